// The one chat of this tab: its id, the run that goes on, and what is asked of the server.
// It draws nothing; the transcript and the message box listen to its events.

import { Refused, request } from "./api.mjs";
import { recall, remember } from "./memory.mjs";
import { RunListener } from "./run.mjs";

/** A random id; crypto.randomUUID is missing where the page is not served over https. */
function freshChatId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Events (CustomEvent, `detail`):
 *   reset {messages}    another chat, or this one anew
 *   message {message}   a message was taken
 *   dropped             the last turn is being replaced
 *   turn {turn}         a run was started, or found: its first turn
 *   events {batch}      what happened in it
 *   connection {lost: seconds to the next try, or null}
 *   gone                the server has forgotten the run
 *   failed {sentence}   the chat could not be opened
 *   busy                `busy` or `stopping` changed
 *   tools               `tools` changed
 */
class Chat extends EventTarget {
  constructor() {
    super();
    const kept = recall("chat");
    this.id = kept?.id ?? freshChatId();
    this.tools = kept?.tools ?? [];
    this.lastEffort = kept?.lastEffort;
    this.isNew = !kept;
    this.isEmpty = true;
    this.run = null;
    this.sending = false;
    this.stopping = false;
    this.listener = null;
  }

  /** Whether a turn is on its way, so that no other can be sent. */
  get busy() {
    return this.sending || this.run !== null;
  }

  tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  keep() {
    remember("chat", { id: this.id, tools: this.tools, lastEffort: this.lastEffort });
  }

  /** Shows what the server has of this chat, and goes on with its run. */
  async open() {
    if (this.isNew) return this.show([]);
    try {
      const { messages, run } = await request(`chats/${encodeURIComponent(this.id)}`);
      this.show(messages);
      if (run) this.follow(run.id, run.turn, run.after);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 404) this.fresh();
      else this.tell("failed", { sentence: error.sentence });
    }
  }

  show(messages) {
    this.isEmpty = messages.length === 0;
    this.tell("reset", { messages });
    this.tell("busy");
  }

  /** Leaves this chat for a new one; a run is stopped, since nobody would see its end. */
  fresh() {
    if (this.run) this.stop().catch(() => {});
    this.listener?.close();
    this.listener = this.run = null;
    this.stopping = this.sending = false;
    this.id = freshChatId();
    this.isNew = true;
    this.tools = [];
    this.lastEffort = undefined;
    remember("chat", null);
    this.tell("tools");
    this.show([]);
  }

  /** The tools declared with each turn of this chat from now on. */
  declare(tools) {
    this.tools = tools;
    if (!this.isNew) this.keep();
    this.tell("tools");
  }

  /**
   * Sends a message; it is the server's when this returns.
   * @throws {Refused}
   */
  async send(text, attachments, options) {
    const body = { text, attachments, options: this.withTools(options) };
    const { message } = await this.begin(body, ({ message: taken }) => {
      this.tell("message", { message: taken });
    });
    return message;
  }

  /**
   * Answers the last message again.
   * @throws {Refused}
   */
  async retry(options) {
    await this.begin({ retry: true, options: this.withTools(options) }, () => {
      this.tell("dropped");
    });
  }

  withTools(options) {
    return this.tools.length ? { ...options, tools: this.tools } : options;
  }

  async begin(body, taken) {
    const id = this.id;
    this.sending = true;
    this.tell("busy");
    try {
      const path = `chats/${encodeURIComponent(id)}/turns`;
      const started = await request(path, { method: "POST", body });
      if (id !== this.id) return started;
      this.isNew = this.isEmpty = false;
      this.lastEffort = body.options.effort ?? null;
      this.keep();
      taken(started);
      this.follow(started.run, started.turn, -1);
      return started;
    } finally {
      if (id === this.id) {
        this.sending = false;
        this.tell("busy");
      }
    }
  }

  follow(run, turn, after) {
    this.run = run;
    this.stopping = false;
    this.tell("turn", { turn });
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
    if (batch.at(-1).type === "end") this.rest();
  }

  /** The server knows the run no more: it ended and its chat tells the rest, or all is lost. */
  async lose(run) {
    if (run !== this.run) return;
    this.rest();
    try {
      const { messages } = await request(`chats/${encodeURIComponent(this.id)}`);
      this.show(messages);
    } catch {
      this.tell("gone");
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

  /** A turn in the model's own words, to be copied. */
  source(turn) {
    return request(
      `chats/${encodeURIComponent(this.id)}/turns/${encodeURIComponent(turn)}`,
    );
  }
}

export const chat = new Chat();
