// The pane of one thought: opens by itself, follows its tail, closes when the answer starts, and
// is never closed against the reader's will. The text is plain, in chunks that cost nothing while
// they are out of sight.

import { el, freshId, icon, setText } from "./dom.mjs";
import { Follower } from "./follow.mjs";
import { clock, duration, tokens } from "./format.mjs";
import { t } from "./texts.mjs";
import { startClock } from "./ticker.mjs";

// A chunk ends at a line; a paragraph that never ends is cut after a sentence, then at a space.
const CHUNK_LINE = 1_500;
const CHUNK_SENTENCE = 4_000;
const CHUNK_SPACE = 8_000;

export class ReasoningPane {
  /** `live`: more of it comes; its clock runs at `pace`. */
  constructor({ live, pace = 1 }) {
    const id = freshId("thought");
    this.label = el("span.thought-label");
    this.toggle = el(
      "button.thought-head",
      { type: "button", "aria-expanded": "false", "aria-controls": id, onclick: () => this.click() },
      icon("thought"),
      this.label,
      icon("chevron"),
    );
    this.content = el("div.thought-text", { dir: "auto" });
    this.body = el(
      "div.thought-body",
      { id, role: "region", "aria-label": t("thought.name"), tabindex: "0", hidden: true },
      this.content,
    );
    this.element = el(
      "section.thought",
      { "data-testid": "reasoning", "data-state": live ? "live" : "done" },
      this.toggle,
      this.body,
    );
    this.chosen = false; // the reader has opened or closed it
    this.count = null;
    this.estimated = false;
    this.seconds = null;
    this.chunk = null;
    this.filled = 0;
    this.stopClock = () => {};
    if (!live) return this.describe();
    this.follower = new Follower(this.body, this.content);
    this.setOpen(true);
    const tick = (passed) => {
      this.seconds = passed;
      this.describe();
    };
    this.stopClock = startClock(tick, { pace });
  }

  get isLive() {
    return this.element.dataset.state === "live";
  }

  get isOpen() {
    return !this.body.hidden;
  }

  /** More thought; plain text. */
  append(text) {
    let rest = text;
    while (rest) {
      const room = this.cut(rest);
      const piece = rest.slice(0, room);
      if (this.chunk === null) {
        this.chunk = document.createTextNode(piece);
        this.content.append(el("div.thought-chunk", {}, this.chunk));
      } else {
        this.chunk.appendData(piece);
      }
      this.filled += piece.length;
      rest = rest.slice(room);
      if (rest) {
        this.chunk = null;
        this.filled = 0;
      }
    }
  }

  /** How much of a text still belongs to the open chunk. */
  cut(text) {
    for (const [limit, mark] of [
      [CHUNK_LINE, "\n"],
      [CHUNK_SENTENCE, ". "],
      [CHUNK_SPACE, " "],
    ]) {
      const from = Math.max(0, limit - this.filled);
      const at = from < text.length ? text.indexOf(mark, from) : -1;
      if (at >= 0) return at + mark.length;
    }
    return text.length;
  }

  /** The thought as it stands when nothing more comes. */
  fill(text) {
    this.content.replaceChildren();
    this.chunk = null;
    this.filled = 0;
    this.append(text);
  }

  usage(count, estimated) {
    this.count = count;
    this.estimated = estimated;
    this.describe();
  }

  /** It holds the thought of another pane, which is gone: with its figures, open as that was. */
  resume(pane) {
    this.end({ seconds: pane.seconds, tokens: pane.count, estimated: pane.estimated });
    this.isResumed = true;
    this.chosen = pane.chosen;
    this.setOpen(pane.isOpen);
  }

  /** The thought is over. The pane stays as it is: with nothing behind it, it is what there is. */
  end({ seconds, tokens: told, estimated }) {
    this.stopClock();
    this.element.dataset.state = "done";
    if (this.isResumed) return; // what is told now is of its copying
    this.seconds = seconds ?? this.seconds;
    if (told !== null && told !== undefined) {
      this.count = told;
      this.estimated = estimated;
    }
    this.describe();
  }

  closeUnlessRead() {
    if (!this.isBeingRead()) this.setOpen(false);
  }

  isBeingRead() {
    if (this.chosen || this.body.hidden) return this.chosen;
    if (this.follower && !this.follower.following) return true;
    if (this.body.contains(document.activeElement)) return true;
    const selection = document.getSelection();
    return !selection.isCollapsed && selection.containsNode(this.body, true);
  }

  click() {
    this.chosen = true;
    this.setOpen(this.body.hidden);
  }

  setOpen(open) {
    this.body.hidden = !open;
    this.toggle.setAttribute("aria-expanded", String(open));
    if (open && this.isLive) this.follower?.follow();
  }

  describe() {
    const counted = this.count === null ? "" : ` · ${tokens(this.count, this.estimated)}`;
    let said;
    if (this.isLive) said = t("thought.live", { time: clock(this.seconds ?? 0) });
    else said = this.seconds === null ? t("thought.done") : t("thought.lasted", { time: duration(this.seconds) });
    setText(this.label, said + counted);
  }
}
