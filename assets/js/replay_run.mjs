// The replay of one answer: its run on the server, and the card that draws what comes of it.

import { pathOf } from "./address.mjs";
import { Refused, request } from "./api.mjs";
import { RunListener } from "./run.mjs";
import { TurnView } from "./turn.mjs";

export class ReplayRun {
  /**
   * @param {string} chat  its id
   * @param {TurnView} card  of the answer; it stays as it is
   * @param {number} speed  1 is that of the recording
   */
  constructor(chat, card, speed) {
    this.path = `${pathOf(chat)}/turns/${encodeURIComponent(card.id)}/replay`;
    this.speed = speed;
    this.view = TurnView.replaying(card, speed);
    this.run = null;
    this.listener = null;
    /** @type {Promise<"ended"|"gone"|"closed">} how it ended */
    this.over = new Promise((resolve) => (this.end = resolve));
  }

  /**
   * Has it begun; how many seconds it takes at speed 1.
   * @throws {Refused}
   */
  async begin() {
    const body = { speed: this.speed };
    const { run, seconds } = await request(this.path, { method: "POST", body });
    this.run = run;
    if (this.isClosed) {
      this.stop();
      return seconds;
    }
    this.listener = new RunListener(run, -1, {
      onEvents: (batch) => this.take(batch),
      onLost: (pause) => this.view.connection(pause),
      onBack: () => this.view.connection(null),
      onGone: () => this.end("gone"),
    });
    this.listener.listen();
    return seconds;
  }

  take(batch) {
    try {
      for (const event of batch) {
        // How the answer ended, its own card tells.
        if (event.type !== "turn_end" && event.type !== "end") this.view.apply(event);
      }
    } finally {
      if (batch.at(-1).type === "end") {
        this.run = null;
        this.end("ended");
      }
    }
  }

  /** Nobody looks any more. */
  close() {
    this.isClosed = true;
    this.listener?.close();
    this.view.close();
    this.stop();
    this.end("closed");
  }

  async stop() {
    const { run } = this;
    this.run = null;
    if (run === null) return;
    try {
      await request(`runs/${encodeURIComponent(run)}`, { method: "DELETE" });
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // it ends by itself when nobody listens
    }
  }
}
