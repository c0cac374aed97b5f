// The calls of the last turn that wait for their results: an editor for each, and what is done with
// all of them together. Tools are never run: a person answers, or a rule.

import { announce } from "./announce.mjs";
import { chat } from "./chat.mjs";
import { suggestions } from "./chat_calls.mjs";
import { el, icon, setText } from "./dom.mjs";
import { recall, remember } from "./memory.mjs";
import { ResultEditor } from "./result_editor.mjs";
import { t } from "./texts.mjs";

const KEPT = "results"; // what was typed and not yet sent, of one turn

export class PendingCalls {
  /** @param {import("./card_page.mjs").CardPage} page */
  constructor(page) {
    this.page = page;
    this.editors = [];
    this.turn = null;
    this.said = el("p.pending-said", { role: "status" });
    this.list = el("ol.pending-list");
    this.send = el(
      "button.button.is-primary",
      { type: "button", "data-testid": "send-results", onclick: () => this.sendAll() },
      icon("continue"),
      t("pending.send"),
    );
    this.byRules = button("tool", t("pending.by_rules"), () => page.answerCalls({ by_rules: true }));
    this.cancel = button("close", t("pending.cancel"), () => page.cancelCalls());
    this.element = el(
      "section.pending",
      { "aria-label": t("pending.name"), "data-testid": "pending", hidden: true },
      el("h3", {}, t("pending.name")),
      this.list,
      this.said,
      el("div.pending-bar", {}, this.cancel, this.byRules, this.send),
    );
    chat.addEventListener("busy", () => this.tell());
  }

  /**
   * @param {{turn: string, calls: object[], limit: number|null}|null} pending
   * @param {{name: string, arguments: string, problems: object[]}[]} made  the turn's calls
   */
  show(pending, made) {
    const isAnother = pending?.turn !== this.turn;
    this.turn = pending?.turn ?? null;
    this.limit = pending?.limit ?? null;
    this.element.hidden = pending === null;
    if (!pending || !isAnother) return;
    const typed = recall(KEPT)?.turn === this.turn ? recall(KEPT).results : {};
    this.editors = pending.calls.map((call, at) => {
      const editor = new ResultEditor(call, made[at] ?? { arguments: "", problems: [] }, {
        changed: () => this.changed(),
        send: () => this.sendAll(),
        repair: (words) => this.page.repairCall(call.id, words),
      });
      const own = typed[call.id] ?? call.suggestion;
      if (own) editor.show(own.content, own.answered_by);
      return editor;
    });
    this.list.replaceChildren(...this.editors.map(({ element }) => element));
    announce(t("pending.waiting", { count: pending.calls.length }));
    this.tell();
    this.suggest();
  }

  /** Rules or samples fill what nobody has answered; the chat's own page knows none of them. */
  async suggest() {
    const { turn } = this;
    if (this.editors.every(({ isAnswered }) => isAnswered)) return;
    const found = await suggestions();
    if (turn !== this.turn) return;
    for (const editor of this.editors) {
      const suggestion = found.get(editor.call.id);
      if (suggestion && !editor.isAnswered) editor.show(suggestion.content, suggestion.answered_by);
    }
    this.tell();
  }

  changed() {
    const answered = this.editors.filter(({ isAnswered }) => isAnswered);
    const results = answered.map(({ result }) => [result.call_id, result]);
    remember(KEPT, { turn: this.turn, results: Object.fromEntries(results) });
    this.tell();
  }

  get left() {
    return this.editors.filter(({ isAnswered }) => !isAnswered);
  }

  tell() {
    if (this.element.hidden) return;
    const left = this.left.length;
    const limit = this.limit === null ? "" : t("pending.limit", { count: this.limit });
    const count = left ? t("pending.left", { count: left }) : t("pending.ready");
    setText(this.said, [limit, count].filter(Boolean).join(" "));
    const isReady = left === 0 && !chat.busy;
    this.send.setAttribute("aria-disabled", String(!isReady));
    const byRule = this.editors.every(({ by, call }) => by?.startsWith("rule") && call.why === "by hand");
    this.byRules.hidden = !byRule;
  }

  /** Sends all results; where some are left, goes to the first of them. */
  sendAll() {
    const [first] = this.left;
    if (first) {
      first.area.focus();
      announce(t("pending.left", { count: this.left.length }));
      return;
    }
    return this.page.answerCalls({ results: this.editors.map(({ result }) => result) });
  }
}

function button(name, words, onclick) {
  return el("button.button.bordered", { type: "button", onclick }, icon(name), words);
}
