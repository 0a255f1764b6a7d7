// The answers that the server does not have yet. They outlive the page: a reload, a crash, a
// flat battery.
//
// Each item has an entry of its own in localStorage, so that two tabs which write at the same
// moment cannot overwrite each other's list. The names hold a hash of the link, never the link.
export class Queue {
  #prefix;
  #spare = new Map(); // where the browser keeps nothing: private windows, a full disk

  constructor(key) {
    this.#prefix = `typus.${key}.`;
  }

  // put keeps the newest answer to an item: {n, value, was, ms, changes, at}. Its list was holds
  // each answer that the server may have: the one it last confirmed, and all given since, as any
  // of them may have arrived without a reply.
  put(entry) {
    const text = JSON.stringify(entry);
    try {
      localStorage.setItem(this.#prefix + entry.n, text);
      this.#spare.delete(entry.n);
    } catch {
      this.#spare.set(entry.n, text);
    }
  }

  get(n) {
    try {
      const entry = JSON.parse(this.#text(n));
      return entry?.n === n && Array.isArray(entry.was) ? entry : null;
    } catch {
      return null; // nobody of us wrote that
    }
  }

  // lasts reports whether what waits outlives the page.
  lasts() {
    return this.#spare.size === 0;
  }

  // all is what has to be sent, in the order of the items.
  all() {
    return this.#numbers().map((n) => this.get(n)).filter((entry) => entry !== null);
  }

  // confirm drops what the server has taken in. An answer that was changed while its
  // predecessor was on the way stays; it now follows what the server has.
  confirm(sent, values) {
    for (const entry of sent) {
      const kept = this.get(entry.n);
      if (kept === null || JSON.stringify(kept) === JSON.stringify(entry)) {
        this.drop(entry.n);
      } else {
        this.put({ ...kept, was: [values[entry.n - 1]] });
      }
    }
  }

  drop(n) {
    this.#spare.delete(n);
    try {
      localStorage.removeItem(this.#prefix + n);
    } catch {
      // Then there was none.
    }
  }

  clear() {
    for (const n of this.#numbers()) this.drop(n);
  }

  #text(n) {
    return this.#spare.get(n) ?? localStorage.getItem(this.#prefix + n);
  }

  #numbers() {
    let names = [];
    try {
      names = Object.keys(localStorage);
    } catch {
      // Storage is switched off.
    }
    const stored = names.filter((name) => name.startsWith(this.#prefix)).map((name) => Number(name.slice(this.#prefix.length)));
    return [...new Set([...stored, ...this.#spare.keys()])].sort((a, b) => a - b);
  }
}
