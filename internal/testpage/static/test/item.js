import { listenToKeys } from "./keyboard.js";
import { Notice } from "./notice.js";
import { Section } from "./section.js";
import { Sender } from "./sender.js";
import { Stopwatch } from "./stopwatch.js";

// The page of an item. It walks through the items of its section in place, each under its own
// address, so that a lost connection is noticed at the section's end at the earliest.
export class ItemPage {
  #base;
  #n;
  #queue;
  #section;
  #sender;
  #tabs;
  #unsaid;
  #taps;
  #fresh; // the item had no answer when it was shown
  #notice;
  #watch = new Stopwatch();
  #warn = (event) => {
    if (!this.#queue.lasts()) event.preventDefault();
  };
  #leaving = null; // the page to go to as soon as everything is saved
  #counter = document.getElementById("nummer");
  #name; // what the title ends with
  #form = document.querySelector("form[data-title]");
  #question = this.#form.querySelector("fieldset");
  #heading = this.#form.querySelector("h1");
  #alert = document.querySelector("[role=alert]");

  constructor(base, queue, tabs, unsaid, onward) {
    this.#base = base;
    this.#queue = queue;
    this.#tabs = tabs;
    this.#unsaid = unsaid;
    this.#taps = onward;
    const data = JSON.parse(document.getElementById("abschnitt").textContent);
    this.#n = data.n;
    this.#name = document.title.split(this.#called(data.n)).at(-1);
    this.#section = new Section(data, queue);
    this.#notice = new Notice(document.querySelector("[role=status]"));
    this.#sender = new Sender(`${base}/antworten`, queue, {
      sending: (count) => this.#notice.sending(count),
      saved: (values, count, outdated) => this.#saved(values, count, outdated),
      done: () => this.#onward(),
      failed: () => this.#cutOff(),
      refused: () => location.reload(), // to see what the server says
    });
    this.#listen();
    this.#fresh = this.#section.value(this.#n) === 0;
    this.#watch.restart(this.#section.item(this.#n).ms);
    this.#showAnswer();
    this.#notice.saved(0, unsaid.take());
    // Where reading begins, and where the keys work: as if the item had been shown in place. What
    // the page has to say before comes first.
    if (document.querySelector("[autofocus]") === null && document.activeElement === document.body) this.#heading.focus({ preventScroll: true });
    this.#sender.flush();
  }

  #listen() {
    listenToKeys(this.#form);
    // What was answered before was come back to: it can be changed in peace.
    this.#taps.listen(this.#form, () => this.#fresh, () => this.#form.requestSubmit(this.#form.querySelector("button")));
    this.#taps.offer();
    this.#form.addEventListener("change", (event) => this.#choose(Number(event.target.value)));
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.querySelector(".actions-else a")?.addEventListener("click", (event) => {
      event.preventDefault();
      this.#depart(event.currentTarget.href);
    });
    addEventListener("popstate", () => this.#travel());
    addEventListener("pagehide", () => this.#hide());
    addEventListener("storage", () => this.#showAnswer()); // another tab of this browser
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#hide();
      else this.#sender.flush(true); // it may have gone on, or ended, elsewhere
    });
    this.#tabs.hear(({ values }) => {
      if (values) this.#section.values = values;
      this.#showAnswer();
    });
  }

  #submit(event) {
    event.preventDefault();
    const action = event.submitter?.value;
    if (action === "zurueck") return this.#go(this.#n - 1, this.#section.before);
    if (action === "auslassen") this.#choose(-1);
    if (this.#section.value(this.#n) === 0) return this.#complain();
    const back = this.#form.elements.ziel; // came from the list of open items
    if (back) return this.#depart(`${this.#base}/${back.value}`);
    this.#go(this.#n + 1, this.#section.after);
  }

  #choose(value) {
    this.#stay();
    this.#section.choose(this.#n, value, this.#watch.read());
    this.#fault(false);
    this.#showAnswer();
    this.#sender.soon();
  }

  // go shows another item of the section, or leaves for the page behind it.
  #go(n, beyond) {
    if (!this.#section.has(n)) return this.#depart(beyond);
    this.#leave();
    history.pushState(null, "", `${this.#base}/frage/${n}`);
    this.#show(n);
  }

  // travel follows the browser's own Back and Forward.
  #travel() {
    const n = Number(location.pathname.slice(`${this.#base}/frage/`.length));
    if (n === this.#n) return; // a link within the page
    if (!this.#section.has(n)) return location.reload();
    this.#leave();
    this.#show(n);
  }

  // depart leaves for a page of the server, which shows what the server knows: not before it
  // knows everything, however long that takes.
  #depart(address) {
    this.#leave();
    this.#leaving = address;
    this.#sender.flush(true);
  }

  #onward() {
    if (this.#leaving) location.assign(this.#leaving);
  }

  #saved(values, count, outdated) {
    if (this.#queue.lasts()) removeEventListener("beforeunload", this.#warn);
    this.#section.values = values;
    this.#tabs.tell({ values });
    this.#notice.saved(count, outdated);
    // On the way out that is read on the next page, or the way ends here.
    if (this.#leaving && outdated.length > 0 && !this.#unsaid.keep(outdated)) this.#leaving = null;
    this.#showAnswer();
  }

  #leave() {
    this.#taps.stop();
    this.#stay();
    this.#section.leave(this.#n, this.#watch.read());
  }

  // stay ends the wait for the connection: the candidate goes on here.
  #stay() {
    const waited = this.#leaving !== null;
    this.#leaving = null;
    if (waited) this.#cutOff();
  }

  // cutOff promises no more than the browser can keep. Where a reload would lose answers the
  // browser asks before it.
  #cutOff() {
    if (!this.#queue.lasts()) {
      addEventListener("beforeunload", this.#warn);
      this.#notice.say("unkept");
    } else {
      this.#notice.say(this.#leaving ? "waiting" : "offline");
    }
  }

  // hide saves what the page knows while it still can. On the way out that has been done.
  #hide() {
    this.#taps.stop();
    if (this.#leaving) return;
    this.#section.leave(this.#n, this.#watch.read());
    this.#sender.flush();
  }

  #show(n) {
    const item = this.#section.item(n);
    this.#n = n;
    this.#fresh = this.#section.value(n) === 0;
    this.#watch.restart(item.ms);
    this.#heading.textContent = item.text;
    this.#form.action = `${this.#base}/frage/${n}`;
    this.#form.querySelector("[value=zurueck]").hidden = n === 1;
    this.#form.elements.ziel?.remove();
    document.getElementById("neuer")?.remove();
    this.#counter.textContent = this.#called(n);
    document.querySelector("[name=seite]").value = `frage/${n}`; // where the language switch comes back to
    this.#fault(false);
    this.#showAnswer();
    scrollTo(0, 0);
    this.#heading.focus({ preventScroll: true });
  }

  // showAnswer shows what is chosen and how far the test is. It may run at any time: another tab
  // or the server may have news.
  #showAnswer() {
    const value = this.#section.value(this.#n);
    for (const radio of this.#question.querySelectorAll("input")) radio.checked = Number(radio.value) === value;
    document.getElementById("ausgelassen").hidden = value !== -1;
    const bar = document.querySelector("progress");
    bar.value = this.#section.done();
    bar.setAttribute("aria-label", bar.dataset.label.replace("{n}", bar.value));
  }

  #complain() {
    this.#fault(true);
    this.#alert.focus();
  }

  #fault(is) {
    this.#alert.hidden = !is;
    this.#question.classList.toggle("faulty", is);
    document.title = (is ? `${this.#form.dataset.fault} ` : "") + this.#called(this.#n) + this.#name;
  }

  // called is how an item is called in the title and above it, where a translator may have changed
  // it.
  #called(n) {
    return this.#form.dataset.title.replace("{n}", n);
  }
}
