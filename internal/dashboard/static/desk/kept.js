// What this browser has of drafts that the server does not have yet: an entry for each page
// that a user has of a candidate, so that no tab writes over what another has, for two weeks
// at most. Nobody else who logs in here gets to see them, and their coming ends them, like
// logging out.
export const keptPrefix = "typus-draft.";
const sentName = "typus-sent";
const sentFormName = "typus-sent-form";
const keptFor = 14 * 24 * 60 * 60 * 1000;

// sentBefore is the entry whose form this tab has sent to come to this page, "" for none.
const sentBefore = takeSent();

function takeSent() {
  try {
    const name = sessionStorage.getItem(sentName) ?? "";
    sessionStorage.removeItem(sentName);
    return name;
  } catch {
    return ""; // Storage is switched off.
  }
}

// sentForm notes which entry's form is being sent, or takes that note, "" for none.
export function sentForm(name = "") {
  try {
    const noted = sessionStorage.getItem(sentFormName) ?? "";
    if (name) sessionStorage.setItem(sentFormName, name);
    else sessionStorage.removeItem(sentFormName);
    return noted;
  } catch {
    return ""; // Storage is switched off.
  }
}

// Kept is the entry of this page: {at, stand, values}. stand names what the server had when
// it was typed.
export class Kept {
  #draft;
  #name;

  constructor(user, candidate) {
    this.#draft = `${keptPrefix}${user}.${candidate}`;
    this.#name = `${this.#draft}.${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
  }

  // put reports whether the browser keeps it: private windows and full disks do not.
  put(entry) {
    try {
      localStorage.setItem(this.#name, JSON.stringify(entry));
      return true;
    } catch {
      return false;
    }
  }

  get() {
    return entryOf(this.#name);
  }

  drop() {
    forget(this.#name);
  }

  // left are the entries of other pages with their names, the newest first.
  left() {
    const entries = keptNames((name) => name !== this.#name && this.#has(name)).map((name) => ({ name, ...entryOf(name) }));
    return entries.filter(({ values }) => values).sort((a, b) => b.at - a.at);
  }

  // sent is the one of them whose form was sent to come to this page.
  sent() {
    return this.left().find(({ name }) => name === sentBefore);
  }

  // take makes an entry of another page the one of this page.
  take({ name, ...entry }) {
    if (this.put(entry)) forget(name);
    else this.#name = name; // the disk is full
  }

  dropLeft({ name }) {
    forget(name);
  }

  dropAll() {
    keptNames((name) => this.#has(name)).forEach(forget);
  }

  // leave notes whose form is being sent. Its answer may never come: the next page of this tab
  // is the answer only where it says that of itself, and tidyDrafts sees to it that a page
  // says so once.
  leave() {
    try {
      sessionStorage.setItem(sentName, this.#name);
    } catch {
      // Then the guide finds out that the server has it.
    }
  }

  #has(name) {
    return name === this.#draft || name.startsWith(`${this.#draft}.`);
  }
}

function entryOf(name) {
  try {
    const entry = JSON.parse(localStorage.getItem(name));
    return typeof entry?.at === "number" && typeof entry.values === "object" ? { ...entry, values: asStored(Object.entries(entry.values)) } : null;
  } catch {
    return null; // nobody of us wrote that
  }
}

// asStored are texts by their names as the server stores them, without what is empty: only so
// do they compare with what comes from there (clerk.Faults.Note).
export function asStored(texts) {
  const stored = (text) => trimmed(text.replace(/\r\n?/g, "\n")).replace(halfCharacter, "\ufffd").normalize("NFC");
  return Object.fromEntries(texts.map(([name, text]) => [name, stored(text)]).filter(([, text]) => text !== ""));
}

const halfCharacter = /\p{Surrogate}/gu; // which no form can send
const space = /\p{White_Space}/u; // Go's, where trim() has one character more and one less

function trimmed(text) {
  let [start, end] = [0, text.length];
  while (start < end && space.test(text[start])) start++;
  while (start < end && space.test(text[end - 1])) end--;
  return text.slice(start, end);
}

export function forget(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // Then there was none.
  }
}

// keptNames are the names of all entries, or of those of which over is true.
function keptNames(over = () => true) {
  let names = [];
  try {
    names = Object.keys(localStorage);
  } catch {
    // Storage is switched off.
  }
  return names.filter((name) => name.startsWith(keptPrefix) && over(name));
}

// tidyDrafts ends what no page shall show any more: on every page what is too old, or of
// another user than the one who is logged in; all of it when somebody logs out; and the
// draft of a form that was sent, where the server says that it needs no draft any more. It
// says so in the address, and once: when the page comes again, from the history or by loading
// it anew, the form that was sent before it is another one, and may not have arrived.
export function tidyDrafts(root) {
  const user = root.body.dataset.user;
  const now = Date.now();
  const past = (entry) => !entry || entry.at < now - keptFor || entry.at > now + keptFor;
  keptNames((name) => past(entryOf(name)) || user && !name.startsWith(`${keptPrefix}${user}.`)).forEach(forget);
  const address = new URL(location.href);
  if (address.searchParams.has("erledigt")) {
    forget(sentBefore);
    address.searchParams.delete("erledigt");
    history.replaceState(history.state, "", address);
  }
  for (const form of root.querySelectorAll('form[action="/abmelden"]')) {
    form.addEventListener("submit", () => keptNames().forEach(forget));
  }
}
