// The messages that wait to be sent in this chat, each when the answer before it has ended complete
// and its uploads are there. Draws nothing; the queue outlives a reload.

import { Refused } from "./api.mjs";
import { chat } from "./chat.mjs";
import { here, keep, kept, keyOf } from "./drafts.mjs";
import { list } from "./format.mjs";
import { mayLeaveCalls } from "./leave_calls.mjs";
import { options, problem } from "./settings.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";

/**
 * A message that waits. `problem` is a sentence: why it was not sent, though it was its turn.
 * @typedef {{id: string, text: string, media: object[], files: {name: string, text: string}[],
 *   uploads: import("./upload.mjs").Upload[], problem: string, sending: boolean}} Queued
 */

/** Has one tab alone of those with this chat do something; another one does nothing. */
function alone(id, act) {
  if (!navigator.locks) return act(); // not served over https
  const asked = { ifAvailable: true };
  return navigator.locks.request(`glm.queue.${id}`, asked, (lock) => lock && act());
}

class Queue extends EventTarget {
  constructor() {
    super();
    /** @type {Queued[]} */
    this.items = [];
    /** After a stop or a failure: nothing is sent until the reader says so. */
    this.held = false;
    this.uploads = new Map(); // of items by their ids: they go on while another chat is shown
    this.isKept = true;
    this.load();
    chat.addEventListener("entered", () => this.load());
    chat.addEventListener("reset", ({ detail }) => this.opened(detail));
    chat.addEventListener("ended", ({ detail }) => this.ended(detail.state === "complete"));
    chat.addEventListener("gone", () => this.ended(false));
    chat.addEventListener("busy", () => this.changed());
    window.addEventListener("storage", ({ key }) => key === keyOf(here()) && this.load());
  }

  /** Whether what comes now has to stand behind others. */
  get isMoving() {
    return this.items.length > 0 && !this.held;
  }

  /** Puts a message at the end. */
  add({ text, media, files, uploads }, { held = false } = {}) {
    const id = `q${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
    const item = { id, text, media, files, uploads, problem: "", sending: false };
    this.held = held || (this.held && this.items.length > 0);
    this.items = [...this.items, item];
    this.watch(item);
    this.keep();
    this.advance();
  }

  /** Takes a message out; its uploads go on, for whoever has it now. */
  take(item) {
    this.items = this.items.filter((each) => each !== item);
    this.uploads.delete(item.id);
    if (!this.items.length) this.held = false;
    this.keep();
    this.advance();
  }

  /** Sends a message before all others, and the others after it as before. */
  async sendNow(item) {
    if (!(await mayLeaveCalls()) || !this.items.includes(item)) return;
    item.problem = "";
    this.held = false;
    this.items = [item, ...this.items.filter((each) => each !== item)];
    this.keep();
    this.advance({ isAsked: true });
  }

  /** Nothing goes by itself any more; `problem` says why that one was not sent. */
  hold(item = null, sentence = "") {
    this.held = this.items.length > 0;
    if (item) item.problem = sentence;
    this.keep();
  }

  load() {
    const { queue } = kept();
    const known = new Map(this.items.map((item) => [item.id, item]));
    this.items = (queue?.items ?? []).map((found) => known.get(found.id) ?? this.revive(found));
    this.held = this.items.some((item) => item.problem) || (queue?.held ?? false);
    this.changed();
  }

  revive({ id, text, media, files, sending, lost }) {
    const uploads = this.uploads.get(id);
    const item = { id, text, media, files, uploads: uploads ?? [], sending: false, problem: "" };
    if (uploads) {
      item.media = media.filter(({ hash }) => !uploads.some((one) => one.media?.hash === hash));
      this.watch(item);
    } else if (lost.length) {
      item.problem = t("queue.lost", { names: list(lost) });
    } else if (sending) {
      item.problem = t("queue.perhaps_sent");
    }
    return item;
  }

  watch(item) {
    if (!item.uploads.length) return;
    this.uploads.set(item.id, item.uploads);
    Promise.all(item.uploads.map((upload) => upload.done)).then(
      () => this.items.includes(item) && this.advance(),
      (error) => {
        if (!(error instanceof Refused) || !this.items.includes(item)) return;
        item.uploads = item.uploads.filter((upload) => upload.media);
        this.uploads.set(item.id, item.uploads);
        this.hold(item, error.sentence);
      },
    );
  }

  /** The chat is shown: its last answer may have ended while nobody looked. */
  opened({ messages, running }) {
    if (running || !this.items.length) return this.changed();
    const last = messages.at(-1);
    if (last?.kind === "turn" && last.state !== "complete") this.hold();
    else this.advance();
  }

  ended(isComplete) {
    if (!isComplete) this.hold();
    else this.advance();
  }

  /** Sends the first message, if it is its turn; `isAsked`: the reader wants it, calls or not. */
  async advance({ isAsked = false } = {}) {
    this.changed();
    const [next] = this.items;
    if (!next || next.sending || this.held || chat.busy) return;
    if (chat.pending && !isAsked) return this.hold(); // their results come first, or the reader's word
    if (next.uploads.some((upload) => !upload.media)) return;
    const wrong = problem() ?? setup.problem();
    if (wrong) this.hold(next, wrong);
    else await alone(next.id, () => this.send(next));
  }

  async send(item) {
    if (chat.busy || this.held || this.items[0] !== item) return;
    const place = here();
    const { id } = chat;
    if (this.isKept && !isKeptAt(place, item)) return this.take(item); // another tab has sent it
    item.sending = true;
    this.keep();
    const media = [...item.media, ...item.uploads.map((upload) => upload.media)];
    const attachments = media.map(({ hash }) => hash);
    let refused = "";
    try {
      await chat.send({ text: item.text, attachments, files: item.files }, options());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused = error.sentence;
    }
    item.sending = false;
    if (chat.id !== id) settle(place, item, refused !== "");
    else if (refused) this.hold(item, refused);
    else this.sent(item);
  }

  sent(item) {
    for (const upload of item.uploads) upload.drop();
    this.take(item);
  }

  keep() {
    const items = this.items.map(forKeeping);
    this.isKept = keep({ queue: items.length ? { held: this.held, items } : null });
    this.changed();
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function isKeptAt(place, item) {
  return kept(place).queue?.items.some(({ id }) => id === item.id) ?? false;
}

/** What a message of a chat that was left has come to. */
function settle(place, item, isRefused) {
  const items = kept(place).queue?.items.filter(({ id }) => id !== item.id) ?? [];
  if (isRefused) items.unshift(forKeeping(item));
  keep({ queue: items.length ? { held: isRefused, items } : null }, place);
}

function forKeeping({ id, text, media, files, sending, uploads }) {
  const there = uploads.flatMap((upload) => upload.media ?? []);
  const lost = uploads.filter((upload) => !upload.media).map((upload) => upload.name);
  return { id, text, media: [...media, ...there], files, sending, lost };
}

export const queue = new Queue();
