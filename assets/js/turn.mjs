// One turn of the model on the page: its thoughts, answers and calls in the order in which they
// came, its notices, and the line under it. Built from a run's events, or from an ended turn.

import { announce } from "./announce.mjs";
import { AnswerView } from "./answer.mjs";
import { CallCard } from "./call.mjs";
import { copyButton } from "./copy.mjs";
import { el, iconButton } from "./dom.mjs";
import { TurnFoot, waitingText } from "./foot.mjs";
import { clock, tokens } from "./format.mjs";
import { isWorthRetry, noticeView } from "./notice.mjs";
import { ReasoningPane } from "./reasoning.mjs";

export class TurnView {
  /**
   * @param {string} id
   * @param {{readSource: (turn: string) => Promise<string>, onRetry: () => void,
   *   isFollowed: () => boolean}} page  what a turn may ask of the page around it
   */
  constructor(id, page) {
    this.id = id;
    this.page = page;
    this.parts = [];
    this.open = null;
    this.count = null;
    this.status = null;
    this.list = el("div.turn-parts");
    this.notices = el("div.turn-notices");
    this.foot = new TurnFoot();
    this.element = el(
      "article.turn",
      { "aria-label": "Answer of the model", "data-testid": "turn", "data-state": "running" },
      this.list,
      this.notices,
      this.foot.element,
    );
    this.work("sending", (passed) => (passed < 1 ? "Sending" : `Sending · ${clock(passed)}`));
  }

  /** A turn that has ended, whole. */
  static ended(turn, page) {
    const view = new TurnView(turn.id, page);
    turn.parts.forEach((part, at) => view.addEnded(at, part));
    view.finish(turn);
    return view;
  }

  addEnded(at, part) {
    this.openPart({ part: at, ...part }, false);
    const view = this.parts[at].view;
    if (part.kind === "reasoning") {
      view.fill(part.text);
      view.end(part);
    } else if (part.kind === "answer") {
      part.blocks.forEach((html, index) => view.setBlock(index, html));
    } else {
      view.finish(part);
    }
  }

  /** Applies one event of the run. */
  apply(event) {
    const handler = HANDLERS[event.type];
    if (handler) handler(this, event);
  }

  openPart({ part, kind, name }, live) {
    this.count = null;
    if (live) this.closeThought();
    const view =
      kind === "reasoning"
        ? new ReasoningPane({ live })
        : kind === "answer"
          ? new AnswerView()
          : new CallCard(name);
    this.parts[part] = { kind, view };
    this.list.append(view.element);
    if (!live) return;
    this.open = this.parts[part];
    if (kind === "reasoning") {
      announce("Thinking");
      this.work("thinking", () => "");
    } else if (kind === "answer") {
      announce("Answering");
      this.work("answering", () => this.counted("Answering"));
    } else {
      announce("Calling a tool");
      this.work("calling", () => this.counted("Writing a tool call"));
    }
  }

  counted(words) {
    return this.count === null ? words : `${words} · ${tokens(...this.count)}`;
  }

  closePart(event) {
    const part = this.parts[event.part];
    if (part?.kind === "reasoning") part.view.end(event);
    if (part === this.open) this.open = null;
  }

  /** Something follows the thought that came last: its pane closes, unless it is being read. */
  closeThought() {
    const last = this.parts.at(-1);
    if (last?.kind === "reasoning" && this.page.isFollowed()) last.view.closeUnlessRead();
  }

  /** What was shown as an answer was a thought. */
  becomeThought({ part, text }) {
    const old = this.parts[part];
    const pane = new ReasoningPane({ live: false });
    pane.fill(text);
    old.view.element.replaceWith(pane.element);
    this.parts[part] = { kind: "reasoning", view: pane };
  }

  usage({ tokens: number, estimated }) {
    if (!this.open || number === null || number === undefined) return;
    this.count = [number, estimated];
    if (this.open.kind === "reasoning") this.open.view.usage(number, estimated);
  }

  work(kind, say) {
    this.status = [kind, say];
    this.foot.show(kind, say);
  }

  /** The connection is lost, for `seconds` until the next try; null: it is back. */
  connection(seconds) {
    if (seconds === null) return this.foot.show(...this.status);
    this.foot.show("lost", (passed) => {
      const left = Math.ceil(seconds - passed);
      const next = left > 0 ? `trying again in ${clock(left)}` : "trying again";
      return `Connection lost, ${next}. The answer goes on meanwhile.`;
    });
  }

  stopping() {
    this.foot.show("stopping", () => "Stopping…");
  }

  /** The turn is over. */
  finish({ state, notices, stats }) {
    this.element.dataset.state = state;
    for (const { kind, view } of this.parts.filter(Boolean)) {
      if (kind === "reasoning" && view.isLive) view.end({});
    }
    this.foot.end(stats);
    this.told = notices;
    this.setLast(false);
    if (this.parts.length === 0) return;
    this.foot.actions.prepend(copyButton("Copy as Markdown", () => this.page.readSource(this.id)));
  }

  /** Only the last turn of a chat can be asked again. */
  setLast(isLast) {
    if (!this.told) return;
    const onRetry = isLast ? () => this.page.onRetry() : null;
    const helped = this.told.find(isWorthRetry);
    this.notices.replaceChildren(
      ...this.told.map((notice) => noticeView(notice, notice === helped ? onRetry : null)),
    );
    this.foot.actions.querySelector("[data-action=retry]")?.remove();
    if (!onRetry) return;
    this.foot.actions.append(
      iconButton("retry", "Answer again", onRetry, { "data-action": "retry" }),
    );
  }

  /** The server has forgotten the run: what came stays. */
  abandon() {
    this.finish({
      state: "incomplete",
      stats: null,
      notices: [
        {
          code: "cut_short",
          message: "The playground no longer knows this chat; what came is shown as it was.",
          remedy: "Copy what you need, then begin a new chat.",
        },
      ],
    });
  }
}

const HANDLERS = {
  turn: (turn) => turn.work("starting", (passed) => `Starting · ${clock(passed)}`),
  waiting: (turn, event) => {
    announce(event.message || "Waiting");
    turn.work("waiting", (passed) => waitingText(event, passed));
  },
  started: (turn) =>
    turn.work("started", (passed) => `Waiting for the first token · ${clock(passed)}`),
  part: (turn, event) => turn.openPart(event, true),
  reasoning: (turn, { part, text }) => turn.parts[part].view.append(text),
  block: (turn, { part, block, html }) => turn.parts[part].view.setBlock(block, html),
  code: (turn, { part, block, text }) => turn.parts[part].view.addCode(block, text),
  item: (turn, { part, block, item, html }) => turn.parts[part].view.setItem(block, item, html),
  truncate: (turn, { part, blocks }) => turn.parts[part].view.truncate(blocks),
  call: (turn, { part, name, arguments: text }) => turn.parts[part].view.append(name, text),
  call_checked: (turn, event) => turn.parts[event.part].view.finish(event),
  part_closed: (turn, event) => turn.closePart(event),
  thought: (turn, event) => turn.becomeThought(event),
  usage: (turn, event) => turn.usage(event),
  turn_end: (turn, event) => {
    turn.finish(event);
    const [grave] = event.notices;
    announce(grave ? `${grave.message} ${grave.remedy}` : "Done");
  },
};
