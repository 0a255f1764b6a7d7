// Measures how long a page is really looked at: while it can be seen and has the focus.
//
// It believes the events and not document.hasFocus(), which on some phones stays false until the
// first touch: time that is not counted would make a careful reader look hasty.
export class Stopwatch {
  #spent = 0; // milliseconds up to the last change
  #since = null; // when it began to run, null while it stands
  #away = false; // the focus is in another window

  constructor() {
    addEventListener("blur", () => this.#notice(true));
    for (const type of ["focus", "pointerdown", "keydown"]) addEventListener(type, () => this.#notice(false));
    for (const type of ["pageshow", "pagehide"]) addEventListener(type, () => this.#notice());
    document.addEventListener("visibilitychange", () => this.#notice());
    this.#notice();
  }

  // restart begins with what was measured before.
  restart(spent) {
    this.#notice();
    this.#spent = spent;
  }

  read() {
    this.#notice();
    return Math.round(this.#spent);
  }

  #notice(away = this.#away) {
    const now = performance.now();
    if (this.#since !== null) this.#spent += now - this.#since;
    this.#away = away;
    this.#since = document.visibilityState === "visible" && !away ? now : null;
  }
}
