// Going on by itself after a tap: offered on the page to practise with, off until somebody takes
// the offer, for this sitting and this test.
//
// Only what a pointer has touched goes on. The keys of a radio group choose while they move, and
// the click of a screen reader has no hand behind it (WCAG 2.2, 3.2.2).
const look = 400; // milliseconds to see what was chosen
const calmLook = 800; // for whoever wants less to move
const settle = 300; // the second tap of two belongs to the page that was tapped

export class Onward {
  #name;
  #pressed = null; // the answer under the pointer
  #came = null; // when the item on the screen came by itself, until it is touched
  #timer;

  constructor(key) {
    this.#name = `typus.${key}.onward`;
  }

  get on() {
    if (window.name === this.#name) return true;
    try {
      return sessionStorage.getItem(this.#name) !== null;
    } catch {
      return false;
    }
  }

  // turn switches it. The name of the window keeps what a closed storage does not.
  turn(on) {
    this.stop();
    if (window.name === this.#name) window.name = "";
    try {
      if (on) sessionStorage.setItem(this.#name, "");
      else sessionStorage.removeItem(this.#name);
    } catch {
      if (on) window.name = this.#name;
    }
  }

  // offer makes the box switch it that a page may have. The page to practise with has it in
  // sight from the start, so that nothing moves; others have it while it is on, as the way out.
  offer() {
    const box = document.getElementById("gleich-weiter");
    if (box === null) return;
    if (this.on) box.closest(".onward").hidden = false;
    box.checked = this.on;
    box.addEventListener("change", () => this.turn(box.checked));
  }

  // withdraw takes the box away where the script leaves pages alone.
  withdraw() {
    const box = document.getElementById("gleich-weiter");
    if (box !== null) box.closest(".onward").hidden = true;
  }

  // listen goes on from the question of a form when one of its answers is tapped: by go, if may
  // says so, after a moment that anything else ends.
  listen(form, may, go) {
    addEventListener("pointerdown", (event) => this.#touch(answerAt(form, event.target)), true);
    addEventListener("keydown", () => this.#touch(null), true);
    form.addEventListener("click", (event) => {
      const answer = answerAt(form, event.target);
      if (!this.on || event.detail === 0 || answer === null || answer !== this.#pressed) return;
      this.#pressed = null;
      if (this.#came !== null && (event.detail > 1 || event.timeStamp - this.#came < settle)) return event.preventDefault();
      this.#came = null;
      if (may()) this.#soon(go);
    });
  }

  // stop ends the moment. Nothing goes on.
  stop() {
    clearTimeout(this.#timer);
  }

  #touch(answer) {
    this.stop();
    this.#pressed = answer;
  }

  #soon(go) {
    this.#timer = setTimeout(() => {
      this.#came = performance.now();
      go();
    }, matchMedia("(prefers-reduced-motion: reduce)").matches ? calmLook : look);
  }
}

// answerAt is the answer of a form in which an element stands, null for none.
function answerAt(form, element) {
  const answer = element instanceof Element ? element.closest(".choice") : null;
  return answer !== null && form.contains(answer) ? answer : null;
}
