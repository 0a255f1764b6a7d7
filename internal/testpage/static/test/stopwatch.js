// Measures how long a page is really looked at: while it can be seen and has the focus.
export class Stopwatch {
  #spent = 0; // milliseconds up to the last change
  #since = null; // when it began to run, null while it stands

  constructor() {
    for (const type of ["focus", "blur", "pageshow", "pagehide"]) addEventListener(type, () => this.#notice());
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

  #notice() {
    const now = performance.now();
    if (this.#since !== null) this.#spent += now - this.#since;
    const looked = document.visibilityState === "visible" && document.hasFocus();
    this.#since = looked ? now : null;
  }
}
