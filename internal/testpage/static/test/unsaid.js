// The numbers of items whose answer from here was left out because a newer one counts, for the
// next page: this one has no line that could say it, or is being left.
export class Unsaid {
  #name;

  constructor(key) {
    this.#name = `typus.${key}.unsaid`;
  }

  // keep reports whether the next page will know.
  keep(numbers) {
    try {
      sessionStorage.setItem(this.#name, [...new Set([...this.#kept(), ...numbers])].join(" "));
      return true;
    } catch {
      return false;
    }
  }

  // take gives them to the page that says it. Once is enough.
  take() {
    try {
      const numbers = this.#kept();
      sessionStorage.removeItem(this.#name);
      return numbers;
    } catch {
      return []; // a browser that keeps nothing
    }
  }

  #kept() {
    return (sessionStorage.getItem(this.#name) ?? "").split(" ").map(Number).filter((n) => n > 0);
  }
}
