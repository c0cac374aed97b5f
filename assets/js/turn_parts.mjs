// The parts of a turn in the order in which they came: thoughts, answers, calls. They grow by the
// events of a run, or are there whole.

import { AnswerView } from "./answer.mjs";
import { CallCard } from "./call.mjs";
import { el } from "./dom.mjs";
import { ReasoningPane } from "./reasoning.mjs";

export class TurnParts {
  /**
   * `isFollowed()` tells whether the reader is at the end, where thoughts close by themselves;
   * `pace` is that of the clocks.
   */
  constructor(isFollowed, { pace = 1 } = {}) {
    this.isFollowed = isFollowed;
    this.pace = pace;
    this.parts = [];
    this.open = null;
    this.element = el("div.turn-parts");
  }

  get isEmpty() {
    return this.parts.length === 0;
  }

  /** Whether there is nothing but thought. */
  get isOnlyThought() {
    return this.parts.every(({ kind }) => kind === "reasoning");
  }

  /** How much is shown; to compare two of the same turn. */
  get length() {
    return this.element.textContent.replace(/\s+/g, "").length;
  }

  get thoughts() {
    return this.parts.filter(({ kind }) => kind === "reasoning").map(({ view }) => view);
  }

  /** Its calls, in their order, as far as they have come. */
  get calls() {
    return this.parts
      .filter(({ kind }) => kind === "call")
      .map(({ view }) => view.call ?? { name: view.called, arguments: "", problems: [] });
  }

  /** Applies an event of the run; false where it is about something else. */
  apply(event) {
    const handler = HANDLERS[event.type];
    if (!handler) return false;
    handler(this, event);
    return true;
  }

  /** Shows the parts of a turn that has ended. */
  fill(parts) {
    const before = this.thoughts;
    this.parts = [];
    this.open = null;
    this.element.replaceChildren();
    parts.forEach((part, at) => this.addEnded(at, part));
    this.thoughts.forEach((pane, at) => before[at]?.isOpen && pane.setOpen(true));
  }

  addEnded(at, part) {
    const view = this.add({ part: at, ...part }, false);
    if (part.kind === "reasoning") {
      view.fill(part.text);
      view.end(part);
    } else if (part.kind === "answer") {
      part.blocks.forEach((html, index) => view.setBlock(index, html));
    } else {
      view.finish(part);
    }
  }

  add({ part, kind, name }, live) {
    const view =
      kind === "reasoning"
        ? new ReasoningPane({ live, pace: this.pace })
        : kind === "answer"
          ? new AnswerView()
          : new CallCard(name);
    this.parts[part] = { kind, view };
    this.element.append(view.element);
    return view;
  }

  begin(event) {
    this.closeThought();
    this.add(event, true);
    this.open = this.parts[event.part];
  }

  /** Something follows the thought that came last: its pane closes, unless it is being read. */
  closeThought() {
    const last = this.parts.at(-1);
    if (last?.kind === "reasoning" && this.isFollowed()) last.view.closeUnlessRead();
  }

  close(event) {
    const part = this.parts[event.part];
    if (part?.kind === "reasoning") part.view.end(event);
    if (part === this.open) this.open = null;
  }

  /** What was shown as an answer was a thought. */
  becomeThought({ part, text }) {
    const old = this.parts[part];
    const pane = new ReasoningPane({ live: false });
    pane.fill(text);
    old.view.element.replaceWith(pane.element);
    this.parts[part] = { kind: "reasoning", view: pane };
  }

  /** What is told of thoughts that are there already. */
  tellFigures(parts) {
    const told = parts.filter(({ kind }) => kind === "reasoning");
    this.thoughts.forEach((pane, at) => told[at] && pane.end(told[at]));
  }

  /** Nothing more comes. */
  end() {
    for (const pane of this.thoughts) if (pane.isLive) pane.end({});
  }

  /** These stand in the place of others, which held the same and were left so by the reader. */
  resume(before) {
    const panes = this.thoughts;
    before.thoughts.forEach((pane, at) => panes[at]?.resume(pane));
  }
}

const HANDLERS = {
  part: (parts, event) => parts.begin(event),
  reasoning: ({ parts }, { part, text }) => parts[part].view.append(text),
  block: ({ parts }, { part, block, html }) => parts[part].view.setBlock(block, html),
  code: ({ parts }, { part, block, text }) => parts[part].view.addCode(block, text),
  item: ({ parts }, { part, block, item, html }) => parts[part].view.setItem(block, item, html),
  truncate: ({ parts }, { part, blocks }) => parts[part].view.truncate(blocks),
  call: ({ parts }, { part, name, arguments: text }) => parts[part].view.append(name, text),
  call_checked: ({ parts }, event) => parts[event.part].view.finish(event),
  part_closed: (parts, event) => parts.close(event),
  thought: (parts, event) => parts.becomeThought(event),
};
