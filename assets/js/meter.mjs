// How much of the model's context this chat takes with what is being written, and what it has cost:
// a small figure under the message box, a warning above it where the context comes to its end.

import { announce } from "./announce.mjs";
import { Refused, request } from "./api.mjs";
import { chat } from "./chat.mjs";
import { el, icon, setText } from "./dom.mjs";
import { count, money, percent, tokens } from "./format.mjs";
import { server } from "./server.mjs";
import { mostTokens, onSettings } from "./settings.mjs";
import { t } from "./texts.mjs";

const COUNTED_AFTER_MS = 600;
const SEEN_FROM = 0.5;
const WARNED_FROM = 0.8;
const BYTES_A_TOKEN = 4; // as the server estimates, app/turns/tokens.py

const NONE = { tokens: 0, estimated: false };

export class Meter {
  /** @param {() => import("./written.mjs").Message} read  gives what is being written */
  constructor(read) {
    this.read = read;
    this.draft = NONE;
    this.counted = new WeakMap(); // tokens of each file
    this.counting = new AbortController();
    this.timer = 0;
    this.fill = el("span.meter-fill");
    this.figure = el("span.meter-figure", { "aria-hidden": "true" });
    this.meter = el(
      "span.meter",
      {
        role: "meter",
        "aria-label": t("meter.name"),
        "aria-valuemin": "0",
        "data-testid": "meter",
        hidden: true,
      },
      el("span.meter-bar", { "aria-hidden": "true" }, this.fill),
      this.figure,
    );
    this.cost = el("span.cost", { title: t("cost.meaning"), hidden: true, "data-testid": "cost" });
    this.element = el("p.meters", {}, this.cost, this.meter);
    this.sentence = el("span");
    this.warning = el(
      "p.meter-warning",
      { hidden: true, dir: "auto", "data-testid": "meter-warning" },
      icon("warning"),
      this.sentence,
    );
    chat.addEventListener("context", () => this.show());
    chat.addEventListener("entered", () => this.show());
    server.addEventListener("change", () => this.show());
    onSettings(() => this.show());
    this.show();
  }

  /** What is being written has changed: it is counted when the writing pauses. */
  update() {
    clearTimeout(this.timer);
    this.counting.abort();
    const { text, files } = this.read();
    if (text || files.length) {
      this.timer = setTimeout(() => this.countDraft(), COUNTED_AFTER_MS);
    } else {
      this.draft = NONE;
    }
    this.show();
  }

  async countDraft() {
    this.counting = new AbortController();
    const { signal } = this.counting;
    const { text, files } = this.read();
    try {
      const parts = [text ? await countTokens(text, signal) : NONE];
      for (const file of files) {
        if (!this.counted.has(file)) this.counted.set(file, await countTokens(file.text, signal));
        parts.push(this.counted.get(file));
      }
      this.draft = {
        tokens: parts.reduce((sum, part) => sum + part.tokens, 0),
        estimated: parts.some((part) => part.estimated),
      };
      this.show();
    } catch (error) {
      if (!signal.aborted) throw error; // there is something newer to count
    }
  }

  show() {
    const limit = chat.context?.limit ?? server.limit;
    this.cost.hidden = chat.cost === null;
    if (chat.cost !== null) setText(this.cost, money(chat.cost));
    this.meter.hidden = limit === null;
    if (limit === null) return;
    const { media, uploads } = this.read();
    const attached = media.reduce((sum, { tokens: taken = 0 }) => sum + taken, 0);
    const taken = (chat.context?.tokens ?? 0) + this.draft.tokens + attached;
    const estimated =
      (chat.context?.estimated ?? false) || this.draft.estimated || media.length + uploads.length > 0;
    this.draw(taken, estimated, limit);
    this.warn(taken, limit);
  }

  draw(taken, estimated, limit) {
    const share = taken / limit;
    const figure = `${estimated ? "~" : ""}${count(taken)}`;
    const whole = t("meter.of", { figure, limit: count(limit) });
    this.meter.dataset.level = levelOf(share);
    this.fill.style.inlineSize = `${Math.min(1, share) * 100}%`;
    this.meter.setAttribute("aria-valuemax", String(limit));
    this.meter.setAttribute("aria-valuenow", String(Math.min(taken, limit)));
    this.meter.setAttribute("aria-valuetext", whole);
    this.meter.title = `${whole}\n${t(estimated ? "meter.estimated" : "meter.counted")}`;
    setText(this.figure, share < SEEN_FROM ? (taken ? tokens(taken, estimated) : "") : whole);
  }

  /** Says before the limit what to do; nothing is blocked, the server decides. */
  warn(taken, limit) {
    const most = mostTokens();
    const doesNotFit = taken >= limit || (most !== null && taken + most > limit);
    const isNear = taken / limit >= WARNED_FROM;
    this.warning.hidden = !doesNotFit && !isNear;
    this.warning.dataset.tone = doesNotFit ? "error" : "warning";
    const sentence = doesNotFit ? tooMuch(taken, most, limit) : t("meter.near", { share: percent(taken / limit) });
    const tone = this.warning.hidden ? "" : this.warning.dataset.tone;
    if (tone) setText(this.sentence, sentence);
    if (tone && tone !== this.tone) announce(sentence);
    this.tone = tone;
  }
}

function levelOf(share) {
  if (share < SEEN_FROM) return "quiet";
  return share < WARNED_FROM ? "seen" : "near";
}

function tooMuch(taken, most, limit) {
  if (taken >= limit || most === null) return t("meter.full", { limit });
  return t("meter.no_room", { limit, most });
}

/** As the server counts; a rough measure where it cannot be asked. */
async function countTokens(text, signal) {
  try {
    return await request("tokens", { method: "POST", body: { text }, signal });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { tokens: Math.ceil(new Blob([text]).size / BYTES_A_TOKEN), estimated: true };
  }
}
