// One turn of the model on the page: its parts, its notices, and the line under it. Built from a
// run's events, or from an ended turn.

import { announce } from "./announce.mjs";
import { answerTree } from "./answer_tree.mjs";
import { el } from "./dom.mjs";
import { TurnFoot, tryingAgain, waitingFor, waitingText } from "./foot.mjs";
import { clock, tokens } from "./format.mjs";
import { isWorthRetry, noticeSentence, noticeView } from "./notice.mjs";
import { TextEditor } from "./text_editor.mjs";
import { t } from "./texts.mjs";
import { TurnActions, continueButton } from "./turn_actions.mjs";
import { turnMark } from "./turn_mark.mjs";
import { TurnParts } from "./turn_parts.mjs";
import { VersionSwitch, nameWithVersion } from "./versions.mjs";

export class TurnView {
  kind = "turn";

  /**
   * @param {string} id
   * @param {import("./card_page.mjs").CardPage} page  what a card may ask of the page around it
   * @param {{pace?: number}} [options]  of its clocks
   */
  constructor(id, page, { pace = 1 } = {}) {
    this.id = id;
    this.page = page;
    this.parts = new TurnParts(() => page.isFollowed(), { pace });
    this.before = null; // the parts of the card that this one takes the place of
    this.outcome = null;
    this.count = null;
    this.status = null;
    this.versions = new VersionSwitch((version, way) => page.choose(this, version, way));
    this.notices = el("div.turn-notices");
    this.foot = new TurnFoot({ pace });
    this.mark = null; // says that it is recorded, or replayed
    this.element = el(
      "article.turn",
      { "data-testid": "turn", "data-state": "running", tabindex: "-1" },
      this.parts.element,
      this.notices,
      this.foot.element,
    );
    this.showVersions(null);
    this.work("sending", (passed) => passed < 1 ? t("turn.sending") : timed(t("turn.sending"), passed));
  }

  /** A turn that has ended, whole. */
  static ended(turn, page) {
    const view = new TurnView(turn.id, page);
    view.parts.fill(turn.parts);
    view.finish(turn);
    view.showVersions(turn.versions);
    return view;
  }

  /** A turn that goes on with another, whose parts are shown until its own are there again. */
  static inPlaceOf(old, id, page) {
    const view = new TurnView(id, page);
    view.before = old.parts;
    view.parts.element.hidden = true;
    view.parts.element.before(old.parts.element);
    view.showVersions(old.versions.versions);
    old.foot.close();
    return view;
  }

  /** A turn that is replayed, in the place of its card; it looks as it did when it came. */
  static replaying(card, pace) {
    const view = new TurnView(card.id, card.page, { pace });
    view.setMark("replaying");
    view.showVersions(card.versions.versions);
    view.work("replaying", () => "");
    return view;
  }

  /** The names of its calls, in their order. */
  get callNames() {
    return this.parts.calls.map(({ name }) => name);
  }

  /** The same turn as the server has it now. */
  update(turn) {
    if (fingerprint(turn) !== fingerprint(this.outcome)) {
      this.parts.fill(turn.parts);
      this.finish(turn);
    } else {
      this.parts.tellFigures(turn.parts);
      this.actions.feedback.update(turn.feedback);
    }
    this.showVersions(turn.versions);
  }

  showVersions(versions) {
    this.versions.show(versions);
    this.name(versions);
  }

  name(versions) {
    const name = this.mark ? t("turn.name.recorded") : t("turn.name");
    this.element.setAttribute("aria-label", nameWithVersion(name, versions));
  }

  setMark(kind) {
    this.mark?.remove();
    this.mark = kind && turnMark(kind);
    if (this.mark) this.element.prepend(this.mark);
  }

  /** Applies one event of the run. */
  apply(event) {
    if (event.type === "part") this.count = null;
    if (this.parts.apply(event)) {
      // A continuation goes on in a part that was there before its first token.
      const isGoingOn = this.status[0] === "started" && this.parts.open;
      if (event.type === "part" || isGoingOn) this.tellPart(this.parts.open.kind);
      this.isGoingOn ||= this.hasStarted;
    } else {
      HANDLERS[event.type]?.(this, event);
    }
  }

  /** A batch of events has been applied. */
  settle() {
    if (!this.before) return;
    if (this.isGoingOn || this.outcome || this.parts.length >= this.before.length) this.reveal();
  }

  reveal() {
    this.parts.resume(this.before);
    this.before.element.remove();
    this.before = null;
    this.parts.element.hidden = false;
  }

  tellPart(kind) {
    const [work, words] = {
      reasoning: ["thinking", ""],
      answer: ["answering", t("turn.answering")],
      call: ["calling", t("turn.writing_call")],
    }[kind];
    this.work(work, () => this.counted(words));
    if (!this.before) announce(t(`turn.${work}`));
  }

  counted(words) {
    return this.count === null || !words ? words : `${words} · ${tokens(...this.count)}`;
  }

  usage({ tokens: number, estimated }) {
    const { open } = this.parts;
    if (!open || number === null || number === undefined) return;
    this.count = [number, estimated];
    if (open.kind === "reasoning") open.view.usage(number, estimated);
  }

  work(kind, say) {
    this.status = [kind, say];
    this.foot.show(kind, say);
  }

  /** The connection is lost, for `seconds` until the next try; null: it is back. */
  connection(seconds) {
    if (seconds === null) return this.foot.show(...this.status);
    this.foot.show("lost", (passed) => {
      const next = tryingAgain(Math.ceil(seconds - passed));
      return t("turn.lost", { next });
    });
  }

  stopping() {
    this.foot.show("stopping", () => t("turn.stopping"));
  }

  /** The turn is over; with `parts` it is drawn anew from them. */
  finish(outcome) {
    this.outcome = outcome;
    this.element.dataset.state = outcome.state;
    if (outcome.parts && outcome.type === "turn_end") this.parts.fill(outcome.parts);
    this.parts.end();
    this.setMark(outcome.recorded ? "recorded" : null);
    this.name(this.versions.versions);
    this.actions = new TurnActions(this, this.page);
    this.foot.end(outcome, this.versions.element, this.actions.element, this.actions.goOn);
    this.showAnswerCheck(outcome);
    this.element.querySelector(".feedback")?.remove();
    this.element.append(this.actions.feedback.element);
    this.setLast(false);
  }

  /** An answer that was to be JSON of a schema: its value as a tree, under its text. */
  async showAnswerCheck(outcome) {
    this.element.querySelector(".answer-check")?.remove();
    if (!outcome.answer_check) return;
    const text = await this.page.answerText(this);
    if (text === null || outcome !== this.outcome) return;
    this.parts.element.after(answerTree(text, outcome.answer_check));
  }

  /** Only the last turn of a chat can be gone on with, and has the way out in its notices. */
  setLast(isLast) {
    this.element.classList.toggle("is-last", isLast);
    if (!this.outcome) return;
    const { notices, can_continue: canContinue, error } = this.outcome;
    const helped = notices.find(isWorthRetry) ?? (canContinue ? notices[0] : null);
    const ways = {
      goOn: isLast && canContinue ? continueButton(this, this.page) : null,
      onRetry: isLast ? () => this.page.retry(this) : null,
    };
    this.notices.replaceChildren(
      ...notices.map((notice, at) =>
        noticeView(notice, {
          ...(notice === helped ? ways : {}),
          requestId: at === 0 ? error?.request_id : null,
        }),
      ),
    );
    this.actions.goOn.hidden = !(isLast && canContinue && !helped);
  }

  /** Lets the reader word the answer anew, in its place. */
  async startEditing() {
    const text = await this.page.answerText(this);
    if (text === null || this.element.querySelector(".editor")) return;
    const hidden = this.parts.parts.filter(({ kind }) => kind !== "reasoning");
    const show = (isShown) => {
      for (const { view } of hidden) view.element.hidden = !isShown;
      this.notices.hidden = this.foot.element.hidden = !isShown;
    };
    const editor = new TextEditor({
      name: t("turn.editor"),
      text,
      send: t("editor.save"),
      hint: t("editor.markdown"),
      onSend: (words) => this.page.editAnswer(this, words),
      onClose: () => {
        show(true);
        this.actions.edit.focus();
      },
    });
    show(false);
    this.parts.element.after(editor.element);
    editor.focus();
  }

  /** It leaves the page: its clocks stop. */
  close() {
    this.foot.close();
    this.parts.end();
  }

  /** The server has forgotten the run: what came stays. */
  abandon() {
    if (this.before) this.reveal();
    const [message, remedy] = [t("turn.forgotten.message"), t("turn.forgotten.remedy")];
    const notices = [{ code: "cut_short", message, remedy }];
    this.finish({ state: "incomplete", stats: null, notices });
  }
}

function timed(words, passed) {
  return `${words} · ${clock(passed)}`;
}

/** What tells two states of a turn apart: it may have been gone on with elsewhere. */
function fingerprint(outcome) {
  if (!outcome) return null;
  const { state, notices, stats, edited, recorded } = outcome;
  return JSON.stringify([state, notices, stats, edited, recorded]);
}

const HANDLERS = {
  turn: (turn) => turn.work("starting", (passed) => timed(t("turn.starting"), passed)),
  waiting: (turn, event) => {
    announce(waitingFor(event));
    turn.work("waiting", (passed) => waitingText(event, passed));
  },
  started: (turn) => {
    turn.hasStarted = true;
    turn.work("started", (passed) => timed(t("turn.first_token"), passed));
  },
  usage: (turn, event) => turn.usage(event),
  turn_end: (turn, event) => {
    turn.finish(event);
    const [grave] = event.notices;
    announce(grave ? noticeSentence(grave) : t("turn.done"));
  },
};
