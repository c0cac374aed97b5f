// Runs of chats that were left. A run that nobody listens to is stopped after a while; leaving its
// chat must not do that.

/** Runs that are listened to; a browser opens six connections to a host. */
const MOST = 3;

export class Elsewhere {
  constructor() {
    this.listeners = new Map(); // by chat
  }

  /** Goes on listening; `ended` is called when the run is over. */
  keep(chat, listener, ended) {
    const done = () => {
      this.listeners.delete(chat);
      ended();
    };
    listener.tellElsewhere({
      onEvents: (batch) => batch.at(-1).type === "end" && done(),
      onGone: done,
    });
    this.listeners.set(chat, listener);
    if (this.listeners.size <= MOST) return;
    const [oldest] = this.listeners.keys();
    this.close(oldest);
  }

  /** Listens no more; the run goes on. */
  close(chat) {
    this.listeners.get(chat)?.close();
    this.listeners.delete(chat);
  }
}
