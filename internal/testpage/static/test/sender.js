import { noteFailures } from "./plain.js";

// Brings the queue to the server: one request at a time, again after a while when there is no
// connection, never again when the server says no.

const patience = 15_000; // a request without an answer by then counts as lost
const firstWait = 2_000;
const longestWait = 60_000;
const refusals = [400, 404, 409, 410]; // asking again would get the same answer

export class Sender {
  #address;
  #queue;
  #hear; // sending(count), saved(values, count, outdated), done(), failed(), refused()
  #running = null;
  #failures = 0;
  #failing = 0; // since when
  #refused = false;
  #timer;

  constructor(address, queue, hear) {
    this.#address = address;
    this.#queue = queue;
    this.#hear = hear;
    addEventListener("online", () => this.retry());
  }

  // flush sends everything there is, and says when the server has it all. With ask it asks the
  // server even when there is nothing to send, which tells whether it can be reached.
  flush(ask = false) {
    clearTimeout(this.#timer);
    this.#running ??= this.#send(ask).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  // soon flushes after a moment, so that a hand on the arrow keys is one request and not six.
  soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), 250);
  }

  // retry makes up for a failure at once, now that there is hope.
  retry() {
    if (this.#failures > 0) this.flush(true);
  }

  async #send(ask) {
    try {
      let sent = this.#queue.all();
      while (ask || sent.length > 0) {
        ask = false;
        await this.#post(sent);
        sent = this.#queue.all();
      }
      this.#failures = 0;
      if (this.#refused) this.#hear.refused();
      else this.#hear.done();
    } catch {
      if (this.#failures === 0) this.#failing = Date.now();
      this.#failures += 1;
      noteFailures(this.#failures, Date.now() - this.#failing);
      this.#hear.failed();
      const wait = Math.min(firstWait * 2 ** (this.#failures - 1), longestWait);
      // Not all who were cut off together come back in the same second.
      this.#timer = setTimeout(() => this.flush(true), wait * (0.75 + Math.random() / 2));
    }
  }

  async #post(sent) {
    this.#hear.sending(sent.length);
    const response = await fetch(this.#address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ answers: sent.map(wire) }),
      redirect: "error", // our server never sends one from here; the sign-on page of a hotel does
      keepalive: true, // goes on when the page is left
      signal: AbortSignal.timeout(patience),
    });
    const { answers, outdated, error } = await read(response);
    if (response.ok && Array.isArray(answers)) {
      noteFailures(0);
      this.#queue.confirm(sent, answers);
      this.#hear.saved(answers, sent.length, outdated ?? []);
    } else if (refusals.includes(response.status) && typeof error === "string") {
      await this.#refuse(response.status, sent);
    } else {
      throw new Error(`status ${response.status}`);
    }
  }

  // refuse gives up what would be refused for ever. One bad entry must not cost the good ones:
  // they are tried one by one, unless the whole test is over.
  async #refuse(status, sent) {
    if (status === 400 && sent.length > 1) {
      for (const entry of sent) await this.#post([entry]);
      return;
    }
    if (status === 400) {
      for (const entry of sent) this.#queue.drop(entry.n);
    } else {
      this.#queue.clear();
    }
    this.#refused = true;
  }
}

// read is the body of an answer of our server. What a filter or a gateway on the way says instead
// is a page, and no reason to give an answer up.
async function read(response) {
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) throw new Error(`status ${response.status}`);
  return response.json();
}

// wire is an entry as the server reads it. Clocks differ, so it is told an age and not a time.
function wire({ n, value, was, ms, changes, at }) {
  return { n, value, was, ms, changes, age: Math.max(0, Date.now() - at) };
}
