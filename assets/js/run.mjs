// Listening to a run: its events, gathered to one batch a frame, over as many connections as it
// takes. The server runs the turn; a lost network loses nothing.

import { Refused, events } from "./api.mjs";

const PAUSES_S = [0.5, 1, 2, 4, 8, 10];
const HIDDEN_MS = 200; // a hidden tab has no frames

/** Gathers what comes between two frames. */
class FrameQueue {
  constructor(apply) {
    this.apply = apply;
    this.waiting = [];
    this.frame = 0;
    this.timer = 0;
    this.flush = this.flush.bind(this);
  }

  push(batch) {
    for (const event of batch) this.waiting.push(event);
    if (this.frame || this.timer) return;
    if (document.hidden) this.timer = setTimeout(this.flush, HIDDEN_MS);
    else this.frame = requestAnimationFrame(this.flush);
  }

  flush() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = this.timer = 0;
    const batch = this.waiting;
    this.waiting = [];
    if (batch.length) this.apply(batch);
  }
}

/**
 * Follows one run to its end.
 *
 * `onEvents(batch)` gets its events; `onLost(secondsToNext)` and `onBack()` tell of the
 * connection; `onGone()` is called where the server knows nothing of the run any more.
 */
export class RunListener {
  constructor(run, after, { onEvents, onLost, onBack, onGone }) {
    this.run = run;
    this.after = after;
    this.told = { onLost, onBack, onGone };
    this.queue = new FrameQueue(onEvents);
    this.closing = new AbortController();
    this.onVisibility = () => this.queue.flush();
    document.addEventListener("visibilitychange", this.onVisibility);
  }

  /** From now on only somebody in the background is told. */
  tellElsewhere({ onEvents, onGone }) {
    this.queue.apply = onEvents;
    this.told = { onLost: () => {}, onBack: () => {}, onGone };
  }

  /** Listens no more; the run goes on. */
  close() {
    this.closing.abort();
    document.removeEventListener("visibilitychange", this.onVisibility);
  }

  async listen() {
    let failures = 0;
    let ended = false;
    while (!this.closing.signal.aborted) {
      try {
        for await (const batch of events(this.run, this.after, this.closing.signal)) {
          if (failures) this.told.onBack();
          failures = 0;
          ended ||= this.take(batch);
        }
      } catch (error) {
        if (this.closing.signal.aborted) return;
        if (error instanceof Refused && error.status >= 400 && error.status < 500) {
          this.close();
          this.told.onGone();
          return;
        }
      }
      if (ended) return this.close();
      if (this.closing.signal.aborted) return;
      const pause = PAUSES_S[Math.min(failures, PAUSES_S.length - 1)];
      failures += 1;
      this.told.onLost(pause);
      await this.pause(pause);
    }
  }

  /** Queues a batch; true where it ends the run. */
  take(batch) {
    const numbered = batch.filter((event) => event.n !== undefined);
    if (numbered.length) {
      this.after = numbered.at(-1).n;
      this.queue.push(numbered);
    }
    return numbered.some((event) => event.type === "end");
  }

  /** Waits; less where the browser says that the network is back. */
  pause(seconds) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        window.removeEventListener("online", done);
        resolve();
      };
      const timer = setTimeout(done, seconds * 1000);
      window.addEventListener("online", done);
      this.closing.signal.addEventListener("abort", done);
    });
  }
}
