// What is being imported or exported, in a line each above the message box: how far it is, the way
// to stop it, and what was refused in the end.

import { announce } from "./announce.mjs";
import { el, icon, iconButton, setText } from "./dom.mjs";
import { t } from "./texts.mjs";

const SHOWN_AFTER_MS = 300; // what is done by then needs no line
const MOST_LINES = 50; // of a list

/** Where they are drawn. */
export const transfers = el("div.transfers");

export class Transfer {
  /** @param {string} words  what it is */
  constructor(words) {
    this.stopping = new AbortController();
    this.words = el("p.transfer-words", { dir: "auto" }, words);
    this.progress = el("div.transfer-progress");
    this.row = el("div.transfer-row", {}, this.words);
    this.element = el(
      "section.case-bar.transfer",
      { "aria-label": words, "data-testid": "transfer", hidden: true },
      this.row,
      this.progress,
    );
    this.row.append(
      el(
        "button.button.bordered",
        { type: "button", onclick: () => this.stopping.abort() },
        icon("stop"),
        t("transfers.stop"),
      ),
    );
    transfers.append(this.element);
    this.timer = setTimeout(() => (this.element.hidden = false), SHOWN_AFTER_MS);
  }

  get signal() {
    return this.stopping.signal;
  }

  /** How far it is; `share` is from 0 to 1, or null where that is not known. */
  tell(words, share) {
    setText(this.words, words);
    this.progress.style.setProperty("--progress", String(share ?? 0));
  }

  /** It is over, and all is said elsewhere. */
  end() {
    clearTimeout(this.timer);
    this.leave();
  }

  /**
   * It is over, which the reader has to know.
   * @param {{list?: {name: string, message: string}[], isGrave?: boolean, way?: Node|null}} more
   *   `list` is what did not go as wanted, `isGrave` where something was not done at all; `way` is
   *   a button beside it
   */
  endWith(words, { list = [], isGrave = false, way = null } = {}) {
    clearTimeout(this.timer);
    const hadFocus = this.element.contains(document.activeElement);
    setText(this.words, words);
    this.progress.remove();
    const close = iconButton("close", t("transfers.close"), () => this.leave());
    this.row.replaceChildren(this.words, ...(way ? [way] : []), close);
    if (list.length) this.element.append(drawnList(list));
    this.element.dataset.state = isGrave ? "refused" : "done";
    this.element.hidden = false;
    if (hadFocus) close.focus();
    announce(words);
  }

  leave() {
    if (this.element.contains(document.activeElement)) {
      document.querySelector(".composer-text")?.focus();
    }
    this.element.remove();
  }
}

function drawnList(list) {
  const more = list.length - MOST_LINES;
  return el(
    "ul.transfer-list",
    { tabindex: "0", "aria-label": t("transfers.list") },
    ...list
      .slice(0, MOST_LINES)
      .map(({ name, message }) =>
        el("li", { dir: "auto" }, el("strong", {}, name), " ", el("span", {}, message)),
      ),
    more > 0 && el("li", {}, t("transfers.more", { count: more })),
  );
}
