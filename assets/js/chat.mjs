// The chat that this tab shows: its id, the run that goes on, and what has the model do something.
// It draws nothing; the transcript, the message box and the list of chats listen to its events.

import { addressed, clearAddress, freshChatId, nameInAddress, pathOf } from "./address.mjs";
import { Refused, request } from "./api.mjs";
import { Elsewhere } from "./elsewhere.mjs";
import { recall, remember } from "./memory.mjs";
import { RunListener } from "./run.mjs";
import { setup } from "./setup.mjs";

/** Entries of a chat that are loaded at a time. */
const PAGE = 40;

/**
 * Events (CustomEvent, `detail`):
 *   leaving             this chat is about to be left for another
 *   entered             the other chat is this one now; what it holds comes with `reset`
 *   reset {messages, earlier, title, running}  another chat, or this one anew: its end; `earlier`
 *                       entries stand before; `running`: a turn of it is about to follow
 *   earlier {before, messages, earlier}  what stands before that entry
 *   message {message}   a message was taken: it is the last entry now
 *   results {results}   results of the last turn's calls were taken: they are the last entry now
 *   cut {id}            what is shown from that entry on is another branch now, and goes
 *   turn {turn, replaces}  a run was started, or found: its first turn; it takes another's place
 *   events {batch}      what happened in it
 *   ended {state}       the run is over: "complete" or "incomplete"
 *   connection {lost: seconds to the next try, or null}
 *   gone                the server has forgotten the run
 *   failed {sentence}   the chat could not be opened
 *   refused {sentence}  something that was asked of this chat was not done
 *   busy                `busy` or `stopping` changed
 *   pending             `pending` changed: the calls of the last turn that wait for their results
 *   context             `context`, `cost` or `calls` changed
 *   chats {chat}        the list of chats is out of date: something was said, renamed, deleted
 */
class Chat extends EventTarget {
  constructor() {
    super();
    const kept = recall("chat");
    const wanted = addressed();
    const isKept = kept && (!wanted || wanted === kept.id);
    // A chat that is not begun keeps its id over a reload, for what is set up for it.
    this.id = wanted ?? kept?.id ?? recall("fresh") ?? freshChatId();
    this.lastEffort = isKept ? kept.lastEffort : undefined;
    this.isNew = !kept && !wanted;
    remember("fresh", this.isNew ? this.id : null);
    this.isEmpty = true;
    this.context = null;
    this.cost = null;
    /** @type {{calls: number, valid: number, invalid: number, unknown: number}|null} */
    this.calls = null;
    /** @type {{turn: string, calls: object[], limit: number|null}|null} */
    this.pending = null;
    this.run = null;
    this.sending = false;
    this.stopping = false;
    this.lastEnd = null;
    this.isStale = false; // another tab has changed it while a turn was on its way here
    this.listener = null;
    this.elsewhere = new Elsewhere();
    setup.enter(this.id);
    this.others = new BroadcastChannel("glm.chats");
    this.others.onmessage = ({ data }) => this.heard(data);
    window.addEventListener("popstate", () => this.followAddress());
    window.addEventListener("hashchange", () => this.followAddress());
  }

  /** Whether a turn is on its way, so that no other can be sent. */
  get busy() {
    return this.sending || this.run !== null;
  }

  tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  keep() {
    remember("chat", { id: this.id, lastEffort: this.lastEffort });
    remember("fresh", null);
    nameInAddress(this.id, { isStep: false });
  }

  /** Says, here and in other tabs, that the list or a chat has changed. */
  changed(id = this.id) {
    this.tell("chats", { chat: id });
    this.others.postMessage({ chat: id });
  }

  /** Another tab has changed a chat; this one shows it anew where it is the same. */
  heard({ chat: id }) {
    this.tell("chats", { chat: id });
    if (id !== this.id || this.isNew) return;
    if (this.busy) this.isStale = true;
    else this.open();
  }

  followAddress() {
    const wanted = addressed();
    if (wanted && wanted !== this.id) this.go(wanted, { isInHistory: true });
    else if (!wanted && !this.isNew) this.fresh({ isInHistory: true });
  }

  /** Shows what the server has of this chat, and goes on with its run. */
  async open() {
    const { id, run: before } = this;
    this.isStale = false;
    if (this.isNew) return this.show({ messages: [], earlier: 0 });
    try {
      const found = await request(`${pathOf(id)}?limit=${PAGE}`);
      if (id !== this.id) return;
      if (this.sending || this.run !== before) {
        this.isStale = true; // a turn has begun meanwhile: what was found is older
        return;
      }
      this.show(found);
      const { run } = found;
      if (run && run.id !== this.run) this.follow(run);
    } catch (error) {
      if (id !== this.id) return;
      if (!(error instanceof Refused)) throw error;
      if (error.status === 404) this.fresh({ isInHistory: true });
      else this.tell("failed", { sentence: error.sentence });
    }
  }

  show({ messages, earlier, title = "", run = null, pending = null, setup: own = null, ...weight }) {
    this.isEmpty = messages.length === 0;
    setup.take(own);
    this.pending = pending && { limit: null, ...pending }; // known to all who hear of the rest
    this.tell("reset", { messages, earlier, title, running: run !== null });
    this.tell("pending");
    this.weigh(weight);
    this.tell("busy");
  }

  /** Calls wait for their results, or none do. */
  await(pending) {
    if (pending === null && this.pending === null) return;
    this.pending = pending;
    this.tell("pending");
  }

  weigh({ context = null, cost = null, calls = null }) {
    this.context = context;
    this.cost = cost;
    this.calls = calls;
    this.tell("context");
  }

  /**
   * Loads what stands before an entry.
   * @throws {Refused}
   */
  async loadEarlier(before) {
    const { id } = this;
    const query = `before=${encodeURIComponent(before)}&limit=${PAGE}`;
    const { messages, earlier } = await request(`${pathOf(id)}?${query}`);
    if (id === this.id) this.tell("earlier", { before, messages, earlier });
  }

  /** Shows another chat; a run of this one goes on, and is still listened to. */
  go(id, { isInHistory = false } = {}) {
    if (id === this.id) return;
    this.leave();
    this.id = id;
    setup.enter(id);
    this.isNew = false;
    if (!isInHistory) nameInAddress(id, { isStep: true });
    this.keep();
    this.tell("entered");
    return this.open();
  }

  /** Leaves this chat for a new one. */
  fresh({ isInHistory = false } = {}) {
    this.leave();
    this.id = freshChatId();
    setup.enter(this.id);
    this.isNew = true;
    remember("chat", null);
    remember("fresh", this.id);
    clearAddress({ isStep: !isInHistory });
    this.tell("entered");
    this.show({ messages: [], earlier: 0 });
  }

  leave() {
    this.tell("leaving");
    if (this.run) {
      const { id } = this;
      this.elsewhere.keep(id, this.listener, () => this.changed(id));
    } else {
      this.listener?.close();
    }
    this.listener = this.run = this.pending = null;
    this.stopping = this.sending = this.isStale = false;
    this.lastEffort = undefined;
  }

  /**
   * Sends a message; it is the server's when this returns. Calls that wait are not executed then.
   * @param {{text: string, attachments: string[], files: {name: string, text: string}[]}} message
   * @throws {Refused}
   */
  send(message, options) {
    const body = this.pending ? { ...message, cancel_calls: true } : message;
    return this.begin({ ...body, options }, ({ message: taken, results }) => {
      if (results) this.tell("results", { results });
      this.tell("message", { message: taken });
    });
  }

  /**
   * Sends another wording of a message, in its place.
   * @throws {Refused}
   */
  edit(id, message, options) {
    return this.begin({ ...message, edit: id, options }, ({ message: taken }) => {
      this.tell("cut", { id });
      this.tell("message", { message: taken });
    });
  }

  /**
   * Answers a message again; the answer that was takes its place among the versions.
   * @param {string} message  the message's id
   * @param {string} answer  the id of the answer that is shown
   * @throws {Refused}
   */
  retry(message, answer, options) {
    return this.begin({ retry: message, options }, () => this.tell("cut", { id: answer }));
  }

  /**
   * Goes on with the last answer.
   * @throws {Refused}
   */
  goOn(options) {
    return this.begin({ continue: true, options }, () => {});
  }

  /**
   * Has a run started, and follows it; `taken(started)` shows what was taken before its first turn.
   * @throws {Refused}
   */
  async begin(body, taken, { to = "turns" } = {}) {
    const { id } = this;
    const { options: more, ...loop } = setup.turn();
    const asked = { ...body.options, ...more };
    this.sending = true;
    this.tell("busy");
    try {
      const path = `${pathOf(id)}/${to}`;
      const all = { ...body, ...loop, options: asked };
      const started = await request(path, { method: "POST", body: all });
      if (id !== this.id) return started;
      this.isNew = this.isEmpty = false;
      this.lastEffort = asked.effort ?? null;
      this.keep();
      this.await(null);
      taken(started);
      this.follow({ id: started.run, turn: started.turn, after: -1, replaces: started.replaces });
      this.changed();
      return started;
    } finally {
      if (id === this.id) {
        this.sending = false;
        this.tell("busy");
      }
    }
  }

  follow({ id: run, turn, after, replaces = null }) {
    this.elsewhere.close(this.id);
    this.run = run;
    this.lastEnd = null; // of its turns
    this.stopping = false;
    this.tell("turn", { turn, replaces });
    this.tell("busy");
    this.listener?.close();
    this.listener = new RunListener(run, after, {
      onEvents: (batch) => this.take(run, batch),
      onLost: (seconds) => this.tell("connection", { lost: seconds }),
      onBack: () => this.tell("connection", { lost: null }),
      onGone: () => this.lose(run),
    });
    this.listener.listen();
  }

  take(run, batch) {
    if (run !== this.run) return;
    this.tell("events", { batch });
    const ended = batch.findLast((event) => event.type === "turn_end");
    if (ended) {
      const { context, chat_cost: cost, chat_calls: calls } = ended;
      this.weigh({ context, cost, calls });
    }
    this.lastEnd = ended ?? this.lastEnd;
    if (batch.at(-1).type !== "end") return;
    this.rest();
    const { state = "incomplete", turn, pending = [], limit = null } = this.lastEnd ?? {};
    if (pending.length) this.await({ turn, calls: pending, limit });
    this.tell("ended", { state });
    this.changed();
    if (this.isStale && !this.busy) this.open();
  }

  /** The server knows the run no more: it ended and its chat tells the rest, or all is lost. */
  async lose(run) {
    if (run !== this.run) return;
    this.rest();
    const { id } = this;
    try {
      const found = await request(`${pathOf(id)}?limit=${PAGE}`);
      if (id === this.id) this.show(found);
    } catch {
      if (id === this.id) this.tell("gone");
    }
  }

  rest() {
    this.run = null;
    this.stopping = false;
    this.tell("busy");
  }

  /**
   * Stops the run; what came is kept, and its last events still arrive.
   * @throws {Refused}
   */
  async stop() {
    if (!this.run || this.stopping) return;
    this.stopping = true;
    this.tell("busy");
    try {
      await request(`runs/${encodeURIComponent(this.run)}`, { method: "DELETE" });
    } catch (error) {
      this.stopping = false;
      this.tell("busy");
      throw error;
    }
  }

  /** Shows another version of a message or an answer, and what followed it. */
  async choose(node) {
    const body = { node };
    await this.change(() => request(`${pathOf(this.id)}/version`, { method: "POST", body }));
  }

  /** Takes the last message back; it comes whole, to be written anew, or null. */
  undo() {
    return this.change(() => request(`${pathOf(this.id)}/undo`, { method: "POST" }));
  }

  /** Puts a person's wording beside an answer. */
  editAnswer(turn, text) {
    const body = { turn, text };
    return this.change(() => request(`${pathOf(this.id)}/edits`, { method: "POST", body }));
  }

  /** Changes which way the chat takes, then shows it so; what was answered, or null. */
  async change(ask) {
    if (this.busy) return null;
    const { id } = this;
    this.sending = true;
    this.tell("busy");
    let answered;
    try {
      answered = await this.ask(async () => (await ask()) ?? true);
    } finally {
      if (id === this.id) {
        this.sending = false;
        this.tell("busy");
      }
    }
    if (answered === null || id !== this.id) return answered;
    await this.open();
    this.changed();
    return answered;
  }

  /** Asks; a refusal is told near the message box, and gives null. */
  async ask(asking) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.tell("refused", { sentence: error.sentence });
      return null;
    }
  }
}

export const chat = new Chat();
