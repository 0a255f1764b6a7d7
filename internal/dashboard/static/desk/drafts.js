import { asStored, Kept } from "./kept.js";
import { moment } from "./times.js";

// The ratings of an interview are kept while they are typed: at once in this browser, and a
// moment later with the server, as the draft that the button keeps too. What the server has
// the browser forgets. Without a connection it goes on and catches up. Each page sends what was
// typed into it: where two tabs differ, the server takes one and the other shows both.
export function drafts(root) {
  for (const form of root.querySelectorAll("form[data-draft]")) new Draft(form).begin();
}

const pauseMS = 1_500; // without typing, before it is sent
const againMS = 10_000; // until the next try when nothing was heard

class Draft {
  #form;
  #kept;
  #found;
  #drawn;
  #line;
  #timer;
  #lost = null; // what was sent and may have arrived: it goes again first, so that the server knows it
  #sending = null;
  #closed = false; // the server takes nothing more from this page
  #base; // what a form that is shown again came with: nobody has decided yet about what was saved since

  constructor(form) {
    this.#form = form;
    this.#kept = new Kept(form.elements.von.value, form.dataset.draft);
    this.#found = document.querySelector("[data-found]");
    this.#drawn = document.querySelector("[data-drawn]");
    this.#line = form.querySelector(".draft-state");
    this.#closed = !form.dataset.keep;
    this.#base = form.dataset.typed || null;
  }

  begin() {
    if (!this.#form.querySelector("textarea")) {
      this.#showLeft();
      return;
    }
    this.#restore();
    this.#form.addEventListener("input", () => this.#typed());
    this.#form.addEventListener("submit", (event) => this.#leave(event));
    this.#found.querySelector("button").addEventListener("click", () => this.#discard());
    this.#drawn?.addEventListener("submit", (event) => this.#leave(event));
    addEventListener("online", () => this.#soon(0));
  }

  // #showLeft shows what this browser has beyond ratings that are final, to be copied: nobody
  // can send it any more.
  #showLeft() {
    const saved = answers([...this.#form.elements]);
    const beyond = (entry) => Object.keys(entry.values).filter((name) => entry.values[name] !== saved[name]);
    this.#kept.left().filter((entry) => beyond(entry).length === 0).forEach((entry) => this.#kept.dropLeft(entry));
    if (!this.#found) return; // the server shows what was sent
    const [entry] = this.#kept.left();
    this.#found.hidden = !entry;
    if (!entry) return;
    const list = this.#found.querySelector("dl");
    const keys = new Set(beyond(entry).map((name) => name.slice(name.indexOf("-") + 1)));
    list.replaceChildren(...[...keys].map((key) => answer(key, entry.values, list.dataset)));
    show(this.#found, new Date(entry.at));
    this.#found.querySelector("button").onclick = () => {
      this.#kept.dropLeft(entry);
      this.#showLeft();
    };
  }

  // #restore puts what only this browser has into the form, the newest of it; what other
  // tabs have left waits for the next time. What was shown again by the server is newer,
  // and is what was typed.
  #restore() {
    if ("typed" in this.#form.dataset) {
      const entry = this.#kept.sent();
      if (entry && this.#keep() && holds(this.#values(), entry.values)) this.#kept.dropLeft(entry);
      return;
    }
    this.#kept.left().filter((entry) => same(entry.values, this.#values())).forEach((entry) => this.#kept.dropLeft(entry));
    const [entry] = this.#kept.left();
    if (!entry) return;
    this.#kept.take(entry);
    this.#fill(entry.values);
    show(this.#found, new Date(entry.at));
    this.#found.hidden = false;
    if (entry.stand !== this.#stand) {
      this.#stop("stale");
      this.#stand = entry.stand; // sent with it, the server shows both
    }
    this.#soon(0);
  }

  #typed() {
    if (this.#line.dataset.state === "gone") return;
    const kept = this.#keep();
    if (!this.#closed) this.#soon(pauseMS);
    else if (!kept) this.#say("unkept");
    else if (!this.#line.dataset.state) this.#say("device");
  }

  #keep() {
    return this.#kept.put({ at: Date.now(), stand: this.#base ?? this.#stand, values: this.#values() });
  }

  #soon(ms) {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#send(), ms);
  }

  async #send() {
    if (this.#sending || this.#closed || !this.#lost && same(this.#values(), this.#known())) return;
    this.#sending = this.#post(this.#lost ?? new URLSearchParams(new FormData(this.#form)));
    await this.#sending;
    this.#sending = null;
  }

  async #post(body) {
    try {
      const answer = await fetch(this.#form.dataset.keep, { method: "POST", body, headers: { accept: "application/json" }, redirect: "manual" });
      if (answer.ok) {
        this.#arrived(body, await answer.json());
        return;
      }
      await this.#refused(answer, body);
    } catch {
      this.#again(body);
    }
  }

  // #arrived makes what the server has what the form goes back to, and keeps what was typed
  // since.
  #arrived(body, { stand, at }) {
    this.#lost = null;
    this.#stand = stand;
    for (const field of this.#fields()) {
      if (field.type === "radio") field.defaultChecked = body.get(field.name) === field.value;
      else field.defaultValue = body.get(field.name);
    }
    const kept = this.#kept.get();
    if (kept && same(kept.values, sent(body))) this.#kept.drop();
    for (const field of this.#past()) if (body.has(field.name)) field.remove();
    this.#drawn.elements.stand.value = stand;
    show(this.#drawn, new Date(at));
    if (!this.#found.hidden) this.#drawn.hidden = false; // in its place; where nothing is, nothing appears under the hands
    this.#found.hidden = true;
    this.#say("kept");
    if (!same(this.#values(), this.#known())) {
      this.#keep();
      this.#soon(pauseMS);
    }
  }

  async #refused(answer, body) {
    this.#lost = null;
    if (answer.type === "opaqueredirect") this.#say("login");
    else if (answer.status === 422) this.#say("wrong");
    else if (answer.status === 409) this.#stop("stale");
    else if (answer.status === 403 && await suspended(answer)) this.#say(this.#keep() ? "suspended" : "unkept");
    else if (answer.status === 403 || answer.status === 404) {
      this.#kept.dropAll();
      this.#stop("gone");
    } else this.#again(answer.status < 500 ? null : body); // it may have been kept all the same
  }

  #again(body) {
    this.#lost = body;
    this.#say(this.#keep() ? "local" : "unkept");
    this.#soon(againMS);
  }

  #stop(why) {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#say(why);
  }

  // #leave lets what is on the way arrive first: the server would take the form for one from
  // an old window. The entry stays until a page says that it is not needed any more.
  async #leave(event) {
    clearTimeout(this.#timer);
    this.#kept.leave();
    if (!this.#sending) return;
    event.preventDefault();
    const { submitter, target } = event;
    await this.#sending;
    clearTimeout(this.#timer);
    target.requestSubmit(submitter);
  }

  #discard() {
    this.#kept.drop();
    clearTimeout(this.#timer);
    this.#lost = null;
    this.#form.reset();
    for (const field of this.#past()) field.remove();
    this.#stand = this.#drawn?.elements.stand.value ?? this.#stand;
    this.#found.hidden = true;
    this.#form.querySelector("textarea").focus();
  }

  get #stand() {
    return this.#form.elements.stand.value;
  }

  set #stand(stand) {
    this.#form.elements.stand.value = stand;
  }

  // #fields are those that are typed in.
  #fields() {
    return [...this.#form.elements].filter((field) => field.type === "textarea" || field.type === "radio");
  }

  // #values is what the form holds, by the names of its fields, without what is empty.
  #values() {
    return valuesOf([...this.#fields(), ...this.#past()], (field) => field.type === "radio" ? field.checked : true, (field) => field.value);
  }

  // #known is what the server has.
  #known() {
    return valuesOf(this.#fields(), (field) => field.type === "radio" ? field.defaultChecked : true, (field) => field.type === "radio" ? field.value : field.defaultValue);
  }

  #fill(values) {
    for (const field of this.#fields()) {
      if (field.type === "radio") field.checked = values[field.name] === field.value;
      else field.value = values[field.name] ?? "";
    }
    const asked = new Set(this.#fields().map((field) => field.name));
    for (const [name, value] of Object.entries(values).filter(([name]) => !asked.has(name))) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name, value });
      field.dataset.past = "";
      this.#form.append(field);
    }
  }

  // #past is what was typed for questions that the guide no longer asks. The server keeps it,
  // and shows it from the next time on.
  #past() {
    return this.#form.querySelectorAll("[data-past]");
  }

  // #say speaks only when it says something else than before.
  #say(what) {
    if (this.#line.dataset.state === what) return;
    this.#line.dataset.state = what;
    this.#line.textContent = this.#line.dataset[what];
  }
}

function valuesOf(fields, counts, value) {
  return asStored(fields.filter(counts).map((field) => [field.name, value(field)]));
}

// suspended reports whether nothing is kept because the account is suspended: what was typed
// stays here, and the next word that is typed asks again.
async function suspended(answer) {
  const said = await answer.json().catch(() => null); // a page
  return said?.suspended === true;
}

// sent are the values in what was sent.
function sent(body) {
  return answers([...body].map(([name, value]) => ({ name, value })));
}

// answers are the values of those fields that hold one.
function answers(fields) {
  return valuesOf(fields.filter(({ name }) => /^(notiz|bewertung)-/.test(name)), () => true, ({ value }) => value);
}

// answer is what was typed for a question, to be read.
function answer(key, values, words) {
  const box = document.createElement("div");
  const line = (tag, text, look = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    element.className = look;
    box.append(element);
  };
  line("dt", document.querySelector(`[data-question="${CSS.escape(key)}"] .guide-ask`)?.textContent ?? words.former);
  const { [`notiz-${key}`]: note, [`bewertung-${key}`]: mark } = values;
  if (note) line("dd", note, "note-text");
  if (mark) line("dd", mark === "0" ? words.none : words.rated.replace("#", mark));
  return box;
}

// holds reports whether all of some values is among others.
function holds(values, all) {
  return Object.entries(all).every(([name, value]) => values[name] === value);
}

function same(a, b) {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function show(box, at) {
  const time = box.querySelector("time");
  time.dateTime = at.toISOString();
  time.textContent = moment(at);
}
