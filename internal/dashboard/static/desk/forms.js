import { forget, keptPrefix, sentForm } from "./kept.js";

// What is typed into a form outlives a session that ends before it is sent: this browser keeps
// it, as it keeps drafts of ratings (kept.js says for how long and for whom). It is offered
// where the same form opens again, and dropped once a page has come in answer to it that a
// session shows, unless that page says that nothing was taken. Passwords and codes are never
// kept, nor is a form that asks for one, nor addresses of webhooks, which may hold a key.
export function formDrafts(root) {
  const { user } = root.body.dataset;
  const offer = root.querySelector("[data-form-draft]");
  const arrived = sentForm();
  if (!user || !offer) return;
  if (arrived && !root.querySelector("[data-refused]") && performance.getEntriesByType("navigation")[0]?.type === "navigate") forget(arrived);
  for (const form of root.querySelectorAll('main form[method="post"]')) {
    if (keeps(form)) new FormDraft(form, `${keptPrefix}${user}.form.${new URL(form.action).pathname}`, offer);
  }
}

const secrets = 'input[type="password"], input[type="url"], input[autocomplete="one-time-code"]';
const typed = 'textarea, input:is([type="text"], [type="email"], [type="number"], [type="date"], :not([type]))';

function keeps(form) {
  return !form.matches("[data-draft]") && !form.querySelector(secrets) && form.querySelector(typed) !== null;
}

class FormDraft {
  #form;
  #name;
  #timer = 0;

  constructor(form, name, offer) {
    this.#form = form;
    this.#name = name;
    form.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#keep(), 400);
    });
    form.addEventListener("submit", (event) => {
      clearTimeout(this.#timer);
      if (!this.#keep() || event.submitter?.hasAttribute("formaction")) return;
      sentForm(this.#name);
    });
    this.#offer(offer);
  }

  // #keep reports whether the browser keeps it. What the page shows anyway needs no keeping
  // unless it is being sent.
  #keep() {
    try {
      localStorage.setItem(this.#name, JSON.stringify({ at: Date.now(), values: formValues(this.#form) }));
      return true;
    } catch {
      return false; // a private window, or a full disk
    }
  }

  #offer(pattern) {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(this.#name));
    } catch {
      return; // nobody of us wrote that
    }
    if (!kept?.values || sameTexts(kept.values, formValues(this.#form))) {
      forget(this.#name);
      return;
    }
    const box = pattern.cloneNode(true);
    const [restore, drop] = box.querySelectorAll("button");
    restore.addEventListener("click", () => {
      this.#fill(kept.values);
      box.remove();
    });
    drop.addEventListener("click", () => {
      forget(this.#name);
      box.remove();
    });
    box.hidden = false;
    this.#form.before(box);
    this.#form.closest("details")?.setAttribute("open", "");
  }

  #fill(values) {
    for (const field of formFields(this.#form)) {
      if (field.type === "checkbox" || field.type === "radio") field.checked = Object.hasOwn(values, `${field.name}=${field.value}`);
      else field.value = values[field.name] ?? "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    this.#form.querySelector(typed).focus();
  }
}

// formFields are those that somebody fills in.
function formFields(form) {
  return [...form.elements].filter((field) => field.name && !["hidden", "file", "submit", "button", "fieldset"].includes(field.type));
}

// formValues are the texts of a form by the names of its fields; a box that is ticked has a
// name of its own.
function formValues(form) {
  const texts = {};
  for (const field of formFields(form)) {
    if (field.type !== "checkbox" && field.type !== "radio") texts[field.name] = field.value;
    else if (field.checked) texts[`${field.name}=${field.value}`] = "1";
  }
  return texts;
}

function sameTexts(a, b) {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}
