// The conversation on the page: draws what the chat tells, and keeps its end in view.

import { CardPage } from "./card_page.mjs";
import { chat } from "./chat.mjs";
import { arrange, el, icon } from "./dom.mjs";
import { Earlier } from "./earlier.mjs";
import { Follower } from "./follow.mjs";
import { translate } from "./labels.mjs";
import { MessageView } from "./message.mjs";
import { noticeView } from "./notice.mjs";
import { PendingCalls } from "./pending.mjs";
import { Replays } from "./replay.mjs";
import { ResultsView } from "./results.mjs";
import { t } from "./texts.mjs";
import { tellInTitle } from "./title.mjs";
import { TurnView } from "./turn.mjs";
import { withAnother } from "./versions.mjs";
import { welcomeView } from "./welcome.mjs";

const EVENTS = [
  "reset", "earlier", "message", "results", "cut", "turn", "events", "connection", "gone", "ended",
  "failed", "busy", "pending",
];

/** Called once by the Gradio component with the element that holds its template. */
export function mount(element) {
  translate(element);
  new Transcript(element.querySelector(".transcript"));
  chat.open();
}

export class Transcript {
  constructor(scroller) {
    this.scroller = scroller;
    this.list = el("div.conversation", {}, el("p.opening", {}, t("transcript.opening")));
    this.entries = []; // the views of messages and turns, in order
    this.current = null; // the turn that runs
    this.shown = null; // the chat that is shown
    this.cutVersions = null; // of what was taken away for another version of it
    this.hasLostFocus = false; // with what was taken away
    this.jump = el(
      "button.button.jump",
      { type: "button", hidden: true, onclick: () => this.follower.follow() },
      icon("chevron"),
      t("transcript.jump"),
    );
    scroller.tabIndex = 0;
    scroller.append(this.list);
    scroller.after(this.jump);
    this.follower = new Follower(scroller, this.list, (following) => {
      this.jump.hidden = following;
    });
    this.above = new Earlier(scroller, () => chat.loadEarlier(this.entries[0].id));
    this.page = new CardPage(this);
    this.pendingCalls = new PendingCalls(this.page);
    this.replays = new Replays(this); // hears of what ends a replay before anything is drawn for it
    for (const name of EVENTS) chat.addEventListener(name, ({ detail }) => this[name](detail));
  }

  view(message) {
    if (message.kind === "user") return new MessageView(message, this.page);
    if (message.kind === "results") return new ResultsView(message, this.page);
    return TurnView.ended(message, this.page);
  }

  find(id) {
    return this.entries.find((entry) => entry.id === id);
  }

  /** Another chat, or this one anew: then what is the same stays, and what is being read too. */
  reset({ messages, earlier }) {
    const isAnother = this.shown !== chat.id;
    this.shown = chat.id;
    this.cutVersions = null;
    // What leads to an entry never changes: what is shown above the first stays above it.
    const first = this.entries.findIndex(({ id }) => id === messages[0]?.id);
    const above = isAnother || first < 0 ? [] : this.entries.slice(0, first);
    const views = messages.map((message) => {
      const known = isAnother ? undefined : this.find(message.id);
      known?.update(message);
      return known ?? this.view(message);
    });
    // What was begun since this was asked for is not among it, and stays.
    const isBegun = (entry) => entry.isNew && !views.includes(entry);
    const begun = !isAnother && chat.busy ? this.entries.filter(isBegun) : [];
    if (!begun.includes(this.current)) this.current = null;
    const shown = [...above, ...views, ...begun];
    for (const entry of this.entries) if (!shown.includes(entry)) entry.close?.();
    this.entries = shown;
    this.above.forget();
    this.draw();
    this.hasLostFocus = false; // who asked for this puts it in its place
    this.above.show(earlier - above.length, this.entries[0]?.created ?? null);
    if (isAnother || this.follower.following) this.follower.follow();
  }

  draw() {
    this.entries.forEach((entry, at) => {
      if (entry.kind === "results") entry.nameCalls(this.entries[at - 1]?.callNames ?? []);
    });
    const elements = this.replays.onStage(this.entries).map(({ element }) => element);
    this.follower.isReadFromTop = !elements.length;
    if (!elements.length) {
      elements.push(welcomeView((example) => chat.tell("example", { example })));
    }
    const focused = document.activeElement;
    const isOurs = this.list.contains(focused);
    if (!this.replays.stage) elements.push(this.pendingCalls.element);
    arrange(this.list, [this.above.element, ...elements]);
    this.hasLostFocus ||= isOurs && !focused.isConnected;
    this.markLast();
  }

  /** What stands above comes in without moving what is being read. */
  earlier({ before, messages, earlier }) {
    if (this.entries[0]?.id !== before) return; // something else is shown by now
    const reading = this.firstInView();
    const from = reading.element.getBoundingClientRect().top;
    this.entries.unshift(...messages.map((message) => this.view(message)));
    this.draw();
    this.above.show(earlier, this.entries[0].created ?? null);
    if (this.follower.following) this.follower.toEnd();
    else this.follower.keepPlace(reading.element, from);
  }

  /** The entry that the reader sees first. */
  firstInView() {
    const { top } = this.scroller.getBoundingClientRect();
    const isInView = ({ element }) => element.getBoundingClientRect().bottom > top;
    return this.entries.find(isInView) ?? this.entries.at(-1);
  }

  message({ message }) {
    const view = new MessageView({ created: Date.now() / 1000, ...message }, this.page);
    if (!this.entries.length) this.above.show(0, view.created);
    view.showVersions(this.takeVersions(message.id));
    this.add(view);
  }

  results({ results }) {
    const view = new ResultsView({ created: Date.now() / 1000, ...results }, this.page);
    view.showVersions(results.versions ?? this.takeVersions(results.id));
    this.add(view);
  }

  /** Calls wait for their results under the turn that made them, or none do. */
  pending() {
    const turn = this.entries.at(-1);
    this.hasLostFocus ||= !chat.pending && this.pendingCalls.element.contains(document.activeElement);
    this.pendingCalls.show(chat.pending, turn?.kind === "turn" ? turn.parts.calls : []);
    this.markLast();
    if (this.follower.following) this.follower.follow();
  }

  turn({ turn, replaces = null }) {
    const old = this.find(replaces ?? turn);
    if (old) {
      // While the old card's parts move, the list is short: the box must not be left where it was cut.
      const { following } = this.follower;
      const from = old.element.getBoundingClientRect().top;
      this.current = TurnView.inPlaceOf(old, turn, this.page);
      this.current.isNew = true;
      this.entries[this.entries.indexOf(old)] = this.current;
      this.draw();
      if (following) this.follower.follow();
      else this.follower.keepPlace(this.current.element, from);
    } else {
      this.current = new TurnView(turn, this.page);
      const isAnswer = this.cutVersions || this.entries.at(-1)?.isNew;
      if (isAnswer) this.current.showVersions(this.takeVersions(turn));
      this.add(this.current);
    }
    if (this.hasLostFocus) this.current.element.focus({ preventScroll: true });
    this.hasLostFocus = false;
  }

  add(view) {
    view.isNew = true;
    this.entries.push(view);
    this.draw();
    this.follower.follow();
  }

  takeVersions(id) {
    const versions = withAnother(this.cutVersions, id);
    this.cutVersions = null;
    return versions;
  }

  /** What is shown from that entry on is another branch now. */
  cut({ id }) {
    const at = this.entries.findIndex((entry) => entry.id === id);
    if (at < 0) return;
    this.cutVersions = this.entries[at].versions.versions;
    this.entries.length = at;
  }

  events({ batch }) {
    for (const event of batch) {
      const last = this.entries.at(-1);
      if (event.type === "results") this.answered(event);
      else if (event.reason === "tool" && last.kind === "results") last.wait(event.seconds);
      else this.applyToTurn(event);
    }
    this.current?.settle();
  }

  /** Rules have answered the calls of a turn; the next one follows. */
  answered({ id, results }) {
    if (this.find(id)) return; // the chat had them already
    const given = results.map((result) => ({ ...result, call_id: result.id }));
    this.results({ results: { id, results: given } });
  }

  applyToTurn(event) {
    if (event.type === "turn" && event.turn !== this.current?.id) {
      const last = this.entries.at(-1);
      if (last?.kind === "results") last.close();
      this.turn(event);
    }
    if (event.type !== "end") this.applySafely(event);
  }

  applySafely(event) {
    try {
      this.current?.apply(event);
    } catch (error) {
      console.error(`The event ${event.type} could not be shown.`, error);
    }
  }

  ended({ state }) {
    const end = this.entries.at(-1);
    if (end?.kind === "results") end.close(); // the run was stopped while it waited
    tellInTitle(state === "complete" ? t("title.answered") : t("title.ended"));
    this.current = null;
    this.markLast();
    // Of a run that was found on the way nothing has told which version it makes; one that was
    // stopped between two turns has left a card of none.
    const isUnknown = !this.entries.at(-1)?.versions.versions || end?.outcome === null;
    if (!chat.busy && isUnknown) chat.open();
  }

  connection({ lost }) {
    if (this.current?.outcome === null) this.current.connection(lost);
  }

  gone() {
    this.current?.abandon();
    this.current = null;
    this.markLast();
  }

  busy() {
    this.scroller.toggleAttribute("data-busy", chat.busy);
    if (chat.stopping && this.current?.outcome === null) this.current.stopping();
    const last = this.entries.at(-1);
    if (last?.kind === "results") last.setLast(true);
  }

  failed({ sentence }) {
    if (this.shown === chat.id) return chat.tell("refused", { sentence }); // what is there stays
    this.entries = [];
    this.list.replaceChildren(
      noticeView({ code: "unreachable", message: sentence, remedy: "" }, { onRetry: () => chat.open() }),
    );
  }

  markLast() {
    const lastMessage = this.entries.findLast(({ kind }) => kind === "user");
    const last = this.entries.at(-1);
    const marked = [lastMessage, last?.kind === "user" ? null : last].filter(Boolean);
    for (const view of this.marked ?? []) if (!marked.includes(view)) view.setLast(false);
    for (const view of marked) view.setLast(true);
    this.marked = marked;
    this.replays.offer(last);
  }

  /** What a turn answers, a message or results; what stands above is loaded where it must be. */
  async answeredBy(turn) {
    do {
      const before = this.entries.slice(0, this.entries.indexOf(turn));
      const answered = before.findLast(({ kind }) => kind !== "turn");
      if (answered) return answered;
    } while (await this.above.more());
    return null;
  }

  /** Shows another version of an entry, with its switch where the other's is. */
  async choose(view, id, way) {
    const from = view.versions.element.getBoundingClientRect().top;
    await chat.choose(id);
    while (!this.find(id) && (await this.above.more())); // it may stand far above
    const { versions } = this.find(id) ?? view;
    this.follower.keepPlace(versions.element, from);
    versions.focus(way);
  }
}
