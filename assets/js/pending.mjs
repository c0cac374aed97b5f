// The calls of the last turn that wait for their results: an editor for each, and what is done with
// all of them together. Tools are never run: a person answers, or a rule.

import { announce } from "./announce.mjs";
import { chat } from "./chat.mjs";
import { suggestions } from "./chat_calls.mjs";
import { el, icon, setText } from "./dom.mjs";
import { clock } from "./format.mjs";
import { recall, remember } from "./memory.mjs";
import { ResultEditor } from "./result_editor.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";
import { startClock } from "./ticker.mjs";

const KEPT = "results"; // what was put in and not yet sent, by turn
const KEPT_TURNS = 8;

export class PendingCalls {
  /** @param {import("./card_page.mjs").CardPage} page */
  constructor(page) {
    this.page = page;
    this.editors = [];
    this.turn = null;
    this.limit = null;
    this.repaired = null; // the call whose arguments are being mended: its turn gets another id
    this.said = el("p.pending-said");
    this.list = el("ol.pending-list");
    this.send = el(
      "button.button.is-primary",
      { type: "button", "data-testid": "send-results", onclick: () => this.sendAll() },
      icon("continue"),
      el("span"),
    );
    this.byRules = button("tool", t("pending.by_rules"), () => {
      this.stopDelay();
      page.answerCalls({ by_rules: true });
    });
    this.stop = button("stop", t("pending.stop_delay"), () => this.stopDelay({ isAsked: true }));
    this.delaying = null; // stops what is to be sent in a while
    this.cancel = button("close", t("pending.cancel"), () => {
      this.stopDelay();
      page.cancelCalls();
    });
    this.element = el(
      "section.pending",
      { "aria-label": t("pending.name"), "data-testid": "pending", hidden: true },
      el("h3", {}, t("pending.name")),
      this.list,
      this.said,
      el("div.pending-bar", {}, this.cancel, this.byRules, this.stop, this.send),
    );
    chat.addEventListener("busy", () => this.tell());
    setup.addEventListener("checked", () => this.suggest()); // perhaps there are other rules
  }

  /**
   * @param {{turn: string, calls: object[], limit: number|null}|null} pending
   * @param {{name: string, arguments: string, problems: object[]}[]} made  the turn's calls
   */
  show(pending, made) {
    const before = this.turn;
    this.turn = pending?.turn ?? null;
    this.limit = pending?.limit ?? this.limit;
    this.element.hidden = pending === null;
    if (this.turn === before) return this.tell();
    this.limit = pending?.limit ?? null;
    this.stopDelay();
    this.editors = pending ? this.edit(pending.calls, made) : [];
    this.list.replaceChildren(...this.editors.map(({ element }) => element));
    if (!pending) return;
    announce(t("pending.waiting", { count: pending.calls.length }));
    this.tell();
    this.suggest();
    this.editors.find(({ call }) => call.id === this.repaired)?.focus();
    this.repaired = null;
  }

  /** An editor for each call, with what was typed into it before. */
  edit(calls, made) {
    const kept = recall(KEPT)?.[this.turn] ?? {};
    return calls.map((call, at) => {
      const editor = new ResultEditor(call, made[at] ?? { arguments: "", problems: [] }, {
        changed: () => this.changed(),
        send: () => this.sendAll(),
        repair: (words) => this.repair(call.id, words),
      });
      const own = kept[call.id];
      editor.suggest(call.suggestion);
      if (own) editor.restore(own);
      return editor;
    });
  }

  /** The turn with the repaired call is another one; what was put in for its other calls stays. */
  async repair(call, words) {
    const others = this.editors.filter((editor) => editor.kept && editor.call.id !== call);
    const results = others.map(({ kept }) => kept);
    this.repaired = call;
    await this.page.repairCall(call, words);
    this.repaired = null;
    for (const editor of this.editors) {
      const own = results.find(({ call_id: id }) => id === editor.call.id);
      if (own) editor.restore(own);
    }
    if (results.length) this.changed();
  }

  /** Rules or samples fill what nobody has answered; the chat's own page knows none of them. */
  async suggest() {
    const { turn } = this;
    // While a chat is left, what is shown is still of the one before.
    if (turn === null || turn !== chat.pending?.turn || chat.busy) return;
    if (this.editors.every(({ isByHand }) => isByHand)) return;
    const found = await suggestions();
    if (turn !== this.turn) return;
    for (const editor of this.editors) editor.suggest(found.get(editor.call.id) ?? null);
    this.tell();
  }

  changed() {
    const put = this.editors.map(({ kept }) => kept).filter(Boolean);
    const results = put.map((result) => [result.call_id, result]);
    const { [this.turn]: _, ...others } = recall(KEPT) ?? {};
    const recent = Object.entries(others).slice(1 - KEPT_TURNS);
    remember(KEPT, Object.fromEntries([...recent, [this.turn, Object.fromEntries(results)]]));
    this.tell();
  }

  get left() {
    return this.editors.filter(({ isAnswered }) => !isAnswered);
  }

  tell() {
    if (this.element.hidden) return;
    this.stop.hidden = this.delaying === null;
    this.send.hidden = this.delaying !== null;
    if (this.delaying) return;
    const left = this.left.length;
    const limit = this.limit === null ? "" : t("pending.limit", { count: this.limit });
    const count = left ? t("pending.left", { count: left }) : t("pending.ready");
    setText(this.said, [limit, count].filter(Boolean).join(" "));
    setText(this.send.lastChild, t(this.limit === null ? "pending.send" : "pending.go_on"));
    this.send.setAttribute("aria-disabled", String(left > 0 || chat.busy));
    // Where they stand in the editors already, sending them is the same.
    const isRuled = this.editors.every(({ isRuled }) => isRuled);
    this.byRules.hidden = !isRuled || this.editors.every(({ isByHand }) => !isByHand);
  }

  /** Sends all results; where some are left, goes to the first of them. */
  sendAll({ isLate = false } = {}) {
    const [first] = this.left;
    if (first) {
      first.focus();
      return announce(t("pending.left", { count: this.left.length }));
    }
    const wait = Math.max(...this.editors.map(({ delay }) => delay));
    if (wait > 0 && !isLate) return this.sendLater(wait);
    return this.page.answerCalls({ results: this.editors.map(({ result }) => result) });
  }

  /** As slow as the slowest tool: sends after so many seconds, unless it is stopped before. */
  sendLater(seconds) {
    this.stopDelay();
    const timer = setTimeout(() => {
      this.stopDelay();
      this.sendAll({ isLate: true });
    }, seconds * 1000);
    const stopClock = startClock((passed) => {
      const time = clock(Math.max(0, Math.ceil(seconds - passed)));
      setText(this.said, t("pending.delayed", { time }));
    });
    this.delaying = () => {
      clearTimeout(timer);
      stopClock();
    };
    announce(t("pending.delayed", { time: clock(seconds) }));
    this.tell();
    this.stop.focus();
  }

  /** `isAsked`: by the reader, who goes on where the results are sent. */
  stopDelay({ isAsked = false } = {}) {
    if (!this.delaying) return;
    this.delaying();
    this.delaying = null;
    this.tell();
    if (isAsked) this.send.focus();
  }
}

function button(name, words, onclick) {
  return el("button.button.bordered", { type: "button", onclick }, icon(name), words);
}
