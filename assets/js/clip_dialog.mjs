// The dialog in which a reader chooses a part of a clip, or has it shrunk: the clip from the
// reader's own file, its beginning and end in seconds, and what the part would take of the prompt.

import { showDialog } from "./dialog.mjs";
import { el, freshId, setText } from "./dom.mjs";
import { count, duration, list, tokens } from "./format.mjs";
import { unload } from "./media.mjs";
import { t } from "./texts.mjs";

const SHORTEST_S = 0.5; // the model takes two frames a second
const ROUNDED_S = 0.05; // what a figure of the reader's may be off

/**
 * Asks which part is to be sent.
 * @param {{file: File, clip: import("./upload.mjs").Figures, wish?: import("./upload.mjs").Wish,
 *   sentence?: string, offers?: string[]}} asked  `sentence` says why it cannot go as it is
 * @returns {Promise<import("./upload.mjs").Wish|null>} null where the reader has turned away
 */
export function choosePart(asked) {
  return new Promise((resolve) => showDialog(new PartDialog(asked, resolve).element));
}

class PartDialog {
  constructor({ file, clip, wish = {}, sentence = "", offers = [] }, resolve) {
    this.clip = clip;
    this.chosen = null;
    this.url = URL.createObjectURL(file);
    this.player = this.drawPlayer();
    this.unplayable = el("p.clip-unplayable", { hidden: true }, t("clip.unplayable"));
    const end = wish.end_s ?? Math.min(clip.seconds, clip.most_seconds ?? clip.seconds);
    this.from = this.field("from", wish.start_s ?? 0);
    this.to = this.field("to", end);
    this.fill = el("span.clip-bar-part");
    this.line = el("p.clip-line", { role: "status" });
    this.use = button(t("clip.use"), { type: "submit", autofocus: true });
    this.use.classList.add("is-primary");
    const shrink = () => this.choose({ shrink: true });
    const heading = freshId("clip");
    this.element = el(
      "dialog.dialog.wide-dialog",
      {
        "aria-labelledby": heading,
        "data-testid": "clip-dialog",
        onclose: () => {
          unload(this.element);
          URL.revokeObjectURL(this.url);
          resolve(this.chosen);
        },
      },
      el(
        "form.dialog-body",
        { novalidate: true, onsubmit: (event) => this.submit(event) },
        el("h2", { id: heading }, t("clip.heading")),
        sentence && el("p", { dir: "auto" }, sentence),
        this.player,
        this.unplayable,
        el("div.clip-bar", { "aria-hidden": "true" }, this.fill),
        el("div.clip-fields", {}, this.from.element, this.to.element),
        this.line,
        el(
          "div.dialog-buttons",
          {},
          button(t("dialog.cancel"), { onclick: () => this.element.close() }),
          offers.includes("shrink") && button(t("clip.shrink"), { onclick: shrink }),
          this.use,
        ),
      ),
    );
    this.moved();
    this.changed();
  }

  drawPlayer() {
    const { width, height } = this.clip;
    return el("video.clip-player", {
      src: this.url,
      controls: true,
      muted: true,
      playsinline: true,
      preload: "metadata",
      "aria-label": t("clip.player"),
      style: width && height ? `aspect-ratio: ${width} / ${height}` : null,
      ontimeupdate: () => this.moved(),
      onerror: () => this.cannotPlay(),
    });
  }

  /** A field of seconds, and the button that puts it where the clip stands. */
  field(end, seconds) {
    const id = freshId("clip");
    const input = el("input.clip-seconds", {
      id,
      type: "number",
      inputmode: "decimal",
      min: "0",
      step: "0.1",
      value: rounded(seconds),
      "data-testid": `clip-${end}`,
      oninput: () => {
        this.changed();
        this.show(Number(input.value));
      },
    });
    const here = button("", {
      onclick: () => {
        input.value = rounded(this.player.currentTime);
        this.changed();
      },
    });
    const label = el("label", { for: id }, t(`clip.${end}`));
    const unit = el("span.clip-unit", { "aria-hidden": "true" }, t("clip.unit"));
    return { input, here, element: el("div.clip-field", {}, label, input, unit, here) };
  }

  /** The seconds in the fields; NaN where one is empty. */
  get part() {
    const [start, end] = [this.from, this.to].map(({ input }) => input.valueAsNumber);
    return { start, end };
  }

  /** What is wrong with the part, as a sentence. */
  get problem() {
    const { start, end } = this.part;
    if (Number.isNaN(start) || Number.isNaN(end)) return t("clip.empty");
    if (start < 0 || end > this.clip.seconds + ROUNDED_S) {
      return t("clip.outside", { length: duration(this.clip.seconds) });
    }
    if (end - start < SHORTEST_S) return t("clip.too_short");
    return "";
  }

  /** The clip stands elsewhere. */
  moved() {
    const tenths = Math.floor(this.player.currentTime * 10) / 10;
    const time = t("unit.seconds", { figure: count(tenths) });
    setText(this.from.here, t("clip.begin_at", { time }));
    setText(this.to.here, t("clip.end_at", { time }));
  }

  changed() {
    const { problem } = this;
    this.use.disabled = problem !== "" || this.isTooLong;
    this.line.dataset.tone = problem || this.isTooLong ? "warning" : "";
    setText(this.line, problem || this.told);
    this.drawBar();
  }

  get isTooLong() {
    const { start, end } = this.part;
    return end - start > (this.clip.most_seconds ?? Infinity) + ROUNDED_S;
  }

  /** How long the part is, and what it would take. */
  get told() {
    const { start, end } = this.part;
    const length = end - start;
    const { seconds, most_seconds: most, tokens: whole, tokens_a_second: each } = this.clip;
    if (this.isTooLong) return t("clip.too_long", { most: duration(most) });
    const of = t("clip.length", { part: duration(length), whole: duration(seconds) });
    return each ? list([of, tokens(Math.min(Math.ceil(length) * each, whole), true)]) : of;
  }

  drawBar() {
    const { start, end } = this.part;
    const share = (seconds) => Math.min(1, Math.max(0, seconds / this.clip.seconds || 0));
    this.fill.style.insetInlineStart = `${share(start) * 100}%`;
    this.fill.style.insetInlineEnd = `${(1 - share(end)) * 100}%`;
  }

  /** Shows the frame at a time. */
  show(seconds) {
    if (this.player.readyState && seconds >= 0) this.player.currentTime = seconds;
  }

  /** The file is of a kind that this browser does not know: the fields are all there is. */
  cannotPlay() {
    this.player.hidden = true;
    this.unplayable.hidden = false;
    for (const { here } of [this.from, this.to]) here.hidden = true;
  }

  submit(event) {
    event.preventDefault();
    if (this.problem || this.isTooLong) return;
    const { start, end } = this.part;
    const wish = {};
    if (start > 0) wish.start_s = start;
    if (end < this.clip.seconds - ROUNDED_S) wish.end_s = end;
    this.choose(wish);
  }

  choose(wish) {
    this.chosen = wish;
    this.element.close();
  }
}

function rounded(seconds) {
  return String(Math.floor(seconds * 100) / 100);
}

function button(text, attributes) {
  return el("button.button.dialog-button", { type: "button", ...attributes }, text);
}
