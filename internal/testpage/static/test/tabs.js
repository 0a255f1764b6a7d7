// What the tabs of one test tell each other. A browser without the channel loses nothing: each
// tab asks the server anyway.
export class Tabs {
  #channel;

  constructor(key) {
    this.#channel = "BroadcastChannel" in window ? new BroadcastChannel(`typus.${key}`) : null;
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
