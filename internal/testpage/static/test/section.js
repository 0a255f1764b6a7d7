// The section in progress: its items, what the server has of the answers, what is still on the
// way. It knows no page.
export class Section {
  #queue;
  #items; // number → {n, text, ms, changes, at}

  constructor(data, queue) {
    this.#queue = queue;
    this.values = data.values; // of all items: 0 open, -1 left out, otherwise the answer
    this.before = data.before; // pages around the section
    this.after = data.after;
    this.#items = new Map(data.items.map((item) => [item.n, item]));
  }

  has(n) {
    return this.#items.has(n);
  }

  item(n) {
    return this.#items.get(n);
  }

  // value is the answer as the candidate gave it last, saved or not.
  value(n) {
    return this.#queue.get(n)?.value ?? this.values[n - 1];
  }

  // done counts the items that are answered or left out.
  done() {
    return this.values.filter((_, i) => this.value(i + 1) !== 0).length;
  }

  // choose takes an answer; ms is how long the item has been looked at by now.
  choose(n, value, ms) {
    const item = this.#items.get(n);
    const before = this.value(n);
    if (before === value) return;
    if (before !== 0) item.changes += 1;
    item.at = Date.now();
    this.#keep(item, value, ms);
  }

  // leave adds the time that passed since the answer. An item that was only looked at again is
  // not sent again.
  leave(n, ms) {
    const item = this.#items.get(n);
    const before = item.ms;
    item.ms = ms;
    if (item.at !== undefined && ms > before) this.#keep(item, this.value(n), ms);
  }

  #keep(item, value, ms) {
    item.ms = ms;
    // What another tab has left for the same item is part of it.
    const saved = this.values[item.n - 1];
    const kept = this.#queue.get(item.n) ?? { value: saved, was: [], ms: 0, changes: 0, at: 0 };
    this.#queue.put({
      n: item.n, value, was: [...new Set([...kept.was, kept.value])],
      ms: Math.max(ms, kept.ms), changes: Math.max(item.changes, kept.changes), at: Math.max(item.at, kept.at),
    });
  }
}
