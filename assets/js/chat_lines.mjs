// The lines of the list of chats, in groups by time: drawn anew without moving what need not move,
// so that neither the focus nor the place that was scrolled to is lost. Of all lines Tab reaches
// one, with its menu; the arrow keys reach the others.

import { chat } from "./chat.mjs";
import { arrange, grouped } from "./chat_groups.mjs";
import { ChatLine } from "./chat_line.mjs";
import { el, freshId } from "./dom.mjs";

export class ChatLines {
  /** `options` and `choose` are as of a line; `end()` is called near the end. */
  constructor({ options, choose, end }) {
    this.ofLine = { options, choose };
    this.end = end;
    this.lines = new Map(); // by the chat's id, in the order in which they stand
    this.groups = new Map(); // by heading
    this.stop = null; // the line that Tab reaches
    this.element = el("div.chats-lines", {
      onscroll: () => this.scrolled(),
      onkeydown: (event) => this.pressed(event),
      onfocusin: ({ target }) => this.setStop(this.holding(target) ?? this.stop),
    });
  }

  /** Shows these chats; `words` are what a search looks for. */
  show(chats, words) {
    const isFirst = this.lines.size === 0;
    const focused = document.activeElement;
    const place = this.ordered.indexOf(this.holding(focused));
    this.lines = new Map(chats.map((each) => [each.id, this.lines.get(each.id) ?? this.fresh()]));
    for (const each of chats) this.lines.get(each.id).show(each, words);
    arrange(this.element, this.sections(chats));
    this.showStates();
    this.keepFocus(focused, place);
    if (isFirst) this.lines.get(chat.id)?.element.scrollIntoView({ block: "nearest" });
    this.scrolled();
  }

  fresh() {
    return new ChatLine(this.ofLine);
  }

  /** The groups with their lines in order. */
  sections(chats) {
    const wanted = grouped(chats);
    const groups = [...wanted].map(([heading, members]) => {
      const group = this.groups.get(heading) ?? drawnGroup(heading);
      arrange(group.list, members.map(({ id }) => this.lines.get(id).element));
      return [heading, group];
    });
    this.groups = new Map(groups);
    return groups.map(([, { element }]) => element);
  }

  /** Marks the chat that is on the page, and those that are being answered. */
  showStates() {
    for (const [id, line] of this.lines) {
      const isHere = id === chat.id;
      const isRunning = isHere ? chat.run !== null : line.chat.running;
      line.state({ isOpen: isHere && !chat.isNew, isRunning });
    }
    const { ordered } = this;
    const stop = ordered.find((line) => line === this.stop);
    this.setStop(stop ?? this.lines.get(chat.id) ?? ordered[0] ?? null);
  }

  setStop(stop) {
    this.stop = stop;
    for (const line of this.lines.values()) line.isStop = line === stop;
  }

  get ordered() {
    return [...this.lines.values()];
  }

  /** The line that an element stands in. */
  holding(element) {
    return this.ordered.find((line) => line.element.contains(element)) ?? null;
  }

  /** What was moved has lost the focus; in the place of what is gone, its neighbour gets it. */
  keepFocus(focused, place) {
    if (place < 0 || document.activeElement === focused) return;
    if (focused.isConnected) focused.focus();
    else this.focus(Math.min(place, this.lines.size - 1));
  }

  /** Moves to the line at a place; false where there is none. */
  focus(place) {
    const line = this.ordered[place];
    line?.link.focus();
    return line !== undefined;
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    if (scrollHeight - scrollTop - clientHeight < clientHeight / 2) this.end();
  }

  pressed(event) {
    if (event.defaultPrevented) return;
    const at = this.ordered.indexOf(this.holding(event.target));
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const last = this.lines.size - 1;
    const to = {
      ArrowDown: Math.min(at + 1, last),
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.focus(to);
  }
}

function drawnGroup(heading) {
  const id = freshId("chats");
  const list = el("ul", { "aria-labelledby": id });
  return { list, element: el("section.chats-group", {}, el("h2", { id }, heading), list) };
}
