// The model server as the playground knows it: asked for while the page is seen, and more often
// while something is to be expected. Draws nothing.

import { Refused, request } from "./api.mjs";
import { chat } from "./chat.mjs";

const CALM_MS = 10_000;
const SOON_MS = 2_000;

/**
 * @typedef {{kind: string, label: string, message: string, request_id: string|null,
 *   since_s: number|null, billed: boolean, waiting: number, context_tokens: number,
 *   state: "simulator"|"ready"|"busy"|"asleep"|"waking"|"unreachable"|"unknown"|"offline"}} Status
 */

/** Event "change": `status` or `place` changed; `detail` has the state before. */
class Server extends EventTarget {
  constructor() {
    super();
    /** @type {Status|null} */
    this.status = null;
    /** The place in the line of the run that is shown, from 1; or null. */
    this.place = null;
    this.wait = null; // the run's last `waiting` event, while it waits
    this.timer = 0;
    this.looking = null;
  }

  /** Tokens of the model's context, or null as long as that is not known. */
  get limit() {
    return this.status?.context_tokens ?? null;
  }

  start() {
    document.addEventListener("visibilitychange", () => document.hidden || this.look());
    window.addEventListener("online", () => this.look());
    window.addEventListener("offline", () => this.look());
    chat.addEventListener("events", ({ detail }) => this.follow(detail.batch));
    chat.addEventListener("ended", ({ detail }) => detail.state === "complete" || this.look());
    chat.addEventListener("leaving", () => this.waits(null));
    this.look();
  }

  /** What the run that is shown waits for. */
  follow(batch) {
    const last = batch.findLast(({ type }) => type !== "usage");
    const isWaiting = last?.type === "waiting";
    if (last) this.waits(isWaiting ? last : null);
  }

  waits(wait) {
    const before = this.wait;
    this.wait = wait;
    const place = wait?.reason === "slot" ? wait.before + 1 : null;
    if (place !== this.place) {
      this.place = place;
      this.tell(this.status?.state);
    }
    if (before?.reason !== wait?.reason) this.look();
  }

  /** Asks now; `again`: a person wants it new. */
  async look({ again = false } = {}) {
    clearTimeout(this.timer);
    while (this.looking) await this.looking;
    this.looking = this.ask(again);
    await this.looking;
    this.looking = null;
    clearTimeout(this.timer);
    const pause = this.pause();
    if (pause) this.timer = setTimeout(() => this.look(), pause);
  }

  /** How long to wait before the next look; 0: until something calls for it. */
  pause() {
    const isNear = this.wait !== null || ["waking", "offline"].includes(this.status.state);
    if (document.hidden) return this.status.state === "waking" ? CALM_MS : 0;
    return isNear ? SOON_MS : CALM_MS;
  }

  async ask(again) {
    const before = this.status?.state;
    try {
      this.status = await request(again ? "status?again=true" : "status");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const state = error.status === 0 ? "offline" : "unknown";
      const message = state === "offline" ? "" : error.sentence;
      this.status = { ...this.status, state, message, request_id: null };
    }
    this.tell(before);
  }

  tell(before) {
    this.dispatchEvent(new CustomEvent("change", { detail: { before } }));
  }
}

export const server = new Server();
