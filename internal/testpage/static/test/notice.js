// The line that says whether everything is saved. It is a live region and speaks only when what
// it says changes; "saved" after every single answer would be noise.
export class Notice {
  #line;
  #text = ""; // which a translator may have changed on the page
  #slow;

  constructor(line) {
    this.#line = line;
  }

  // say shows one of the texts that the line brings along: saving, saved, offline, waiting,
  // unkept, and outdated and held, which are about items with these numbers.
  say(what, numbers = []) {
    clearTimeout(this.#slow);
    const text = this.#line.dataset[what].replace("{n}", numbers.join(", "));
    if (this.#text !== text) this.#line.textContent = text;
    this.#text = text;
    this.#line.dataset.state = what;
  }

  // saved says so once there was something to save. Of an item that was answered elsewhere since,
  // it says that this stands, until something else is saved.
  saved(count, outdated) {
    clearTimeout(this.#slow);
    if (outdated.length > 0) this.say("outdated", outdated);
    else if (count === 0 && this.#line.dataset.state === "outdated") return;
    else if (count > 0 || this.#text !== "") this.say("saved");
  }

  // sending says so when it takes a while, if there is something to send. Without a connection
  // each try would say it again.
  sending(count) {
    clearTimeout(this.#slow);
    if (count === 0 && this.#line.dataset.state === "outdated") return;
    if (["offline", "waiting", "unkept"].includes(this.#line.dataset.state)) return;
    this.#slow = setTimeout(() => this.say("saving"), 1_000);
  }
}
