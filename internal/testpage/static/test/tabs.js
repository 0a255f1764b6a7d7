// What the tabs of one test tell each other. A browser without the channel, or with one that it
// keeps closed, loses nothing: each tab asks the server anyway.
export class Tabs {
  #channel = null;

  constructor(key) {
    try {
      this.#channel = new BroadcastChannel(`typus.${key}`);
    } catch {
      // Then each tab is alone.
    }
  }

  // tell sends {values} when the server has taken something in, {over: true} at the end of the
  // test.
  tell(message) {
    this.#channel?.postMessage(message);
  }

  hear(listener) {
    this.#channel?.addEventListener("message", (event) => listener(event.data));
  }
}
