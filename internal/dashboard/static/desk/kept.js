// What this browser has of drafts that the server does not have yet: an entry for each user
// and candidate, for two weeks at most. Nobody else who logs in here gets to see it, and
// their coming ends it, like logging out.
const keptPrefix = "typus-draft.";
const keptFor = 14 * 24 * 60 * 60 * 1000;

// Kept is the entry of one draft: {at, stand, values}. stand names what the server had when
// it was typed; sent says that the form was sent since.
export class Kept {
  #name;

  constructor(user, candidate) {
    this.#name = `${keptPrefix}${user}.${candidate}`;
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
}

function entryOf(name) {
  try {
    const entry = JSON.parse(localStorage.getItem(name));
    return typeof entry?.at === "number" && typeof entry.values === "object" && entry.values !== null ? entry : null;
  } catch {
    return null; // nobody of us wrote that
  }
}

function forget(name) {
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
// draft of a form that was sent, where the server says that it needs no draft any more.
export function tidyDrafts(root) {
  const user = root.body.dataset.user;
  const now = Date.now();
  const past = (entry) => !entry || entry.at < now - keptFor || entry.at > now + keptFor;
  keptNames((name) => past(entryOf(name)) || user && !name.startsWith(`${keptPrefix}${user}.`)).forEach(forget);
  const [, candidate] = location.pathname.match(/^\/dashboard\/kandidat\/(\d+)/) ?? [];
  if (candidate && new URLSearchParams(location.search).has("erledigt")) {
    const kept = new Kept(user, candidate);
    if (kept.get()?.sent) kept.drop();
  }
  for (const form of root.querySelectorAll('form[action="/abmelden"]')) {
    form.addEventListener("submit", () => keptNames().forEach(forget));
  }
}
