// The events of the stream as they came, some at a time, with the seconds of their arrival.

import { request } from "./api.mjs";
import { copyTextButton } from "./copy.mjs";
import { el } from "./dom.mjs";
import { precise } from "./format.mjs";
import { warning } from "./inspect_request.mjs";
import { fill } from "./loaded.mjs";
import { t } from "./texts.mjs";

const PAGE = 200;
const SHORT = 24; // characters that any screen has room for: nothing to unfold

/** @returns {Node[]} */
export function wirePanel({ wire_events: count, is_cut: isCut = false }, path) {
  if (count === 0) return [el("p", {}, t("inspect.wire.nothing"))];
  return new Wire(count, isCut, path).elements;
}

class Wire {
  constructor(count, isCut, path) {
    this.count = count;
    this.path = path;
    /** @type {{n: number, at_s: number, text: string}[]} */
    this.events = [];
    this.rows = el("tbody", { onkeydown: (event) => this.pressed(event), onclick: toggle });
    this.shown = el("p.inspect-shown", { role: "status" });
    this.end = el("div.wire-end");
    const bar = el(
      "div.inspect-bar",
      {},
      this.shown,
      copyTextButton(t("inspect.wire.copy"), () => this.text),
    );
    const cut = isCut ? [warning(t("inspect.wire.cut"))] : [];
    this.elements = [bar, ...cut, this.table(), this.end];
    this.load();
  }

  table() {
    const heads = [t("inspect.wire.at"), t("inspect.wire.gap"), t("inspect.wire.event")];
    return el(
      "table.wire",
      { "aria-label": t("inspect.wire.name") },
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      this.rows,
    );
  }

  /** What is shown, as text: seconds and data of an event a line. */
  get text() {
    return this.events.map(({ at_s: at, text }) => `${at.toFixed(3)}\t${text}\n`).join("");
  }

  load() {
    const after = this.events.at(-1)?.n ?? -1;
    return fill(
      this.end,
      () => request(`${this.path}/wire?after=${after}&limit=${PAGE}`),
      ({ events, more }) => {
        this.add(events);
        return more ? [this.moreButton()] : [];
      },
    );
  }

  moreButton() {
    const onclick = async () => {
      const before = this.events.length;
      this.rows.closest("[tabindex]").focus({ preventScroll: true });
      await this.load();
      this.stopAt(this.buttons[before], { isMoved: true });
    };
    return el("button.button.bordered", { type: "button", onclick }, t("inspect.wire.more"));
  }

  add(events) {
    let before = this.events.at(-1)?.at_s ?? null;
    for (const event of events) {
      this.rows.append(row(event, before));
      before = event.at_s;
    }
    this.events.push(...events);
    const shown = this.events.length;
    this.shown.textContent = t("inspect.wire.shown", { shown, all: this.count });
    if (shown === events.length) this.stopAt(this.buttons[0]);
  }

  get buttons() {
    return this.rows.querySelectorAll("button");
  }

  /** One event, and only one, is reached by Tab; arrows go from one to the next. */
  stopAt(button, { isMoved = false } = {}) {
    if (!button) return;
    if (this.stop) this.stop.tabIndex = -1;
    this.stop = button;
    button.tabIndex = 0;
    if (isMoved) button.focus();
  }

  pressed(event) {
    const all = [...this.buttons];
    const at = all.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.stopAt(all[to], { isMoved: true });
  }
}

function row({ at_s: at, text }, before) {
  const shown =
    text.length <= SHORT
      ? text
      : el(
          "button.wire-event",
          { type: "button", "aria-expanded": "false", tabindex: "-1" },
          ...parted(text),
        );
  return el(
    "tr",
    {},
    el("td.wire-figure", {}, precise(at)),
    el("td.wire-figure", {}, before === null ? "" : precise(at - before)),
    el("td.wire-text", { dir: "ltr" }, shown),
  );
}

/** What all chunks begin with is seen only in one that is shown whole: else all lines look alike. */
function parted(text) {
  const at = text.indexOf('"choices"');
  return at < 0 ? [text] : [el("span.wire-head", {}, text.slice(0, at)), text.slice(at)];
}

/** A long event is shown on one line, or whole. */
function toggle({ target }) {
  const button = target.closest("button");
  if (!button) return;
  button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") !== "true"));
}
