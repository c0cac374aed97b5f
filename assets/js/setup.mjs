// What a person has set up for the tools of the chat that is shown: the tools as they are written,
// which of them are off, the choice, the rules that answer calls, the format of the answer. Draws
// nothing. The server keeps it with the chat, this tab keeps what the server does not have yet.

import { Refused, address, headers, request } from "./api.mjs";
import { pathOf } from "./address.mjs";
import { insertFirst, insertLast } from "./json_edit.mjs";
import { recall, remember } from "./memory.mjs";
import { TextCheck } from "./text_check.mjs";
import { t } from "./texts.mjs";

const KEPT_AFTER_MS = 400;
const AGAIN_AFTER_MS = 5_000;

/**
 * Texts are kept as they are written, whole or not.
 * @typedef {{tools: string, off: string[], choice: string|object|null, parallel: boolean|null,
 *   rules: string, auto: boolean, max_steps: number, answer_schema: string}} Values
 */

/** @type {Values} */
const NOTHING = Object.freeze({
  tools: "",
  off: [],
  choice: null,
  parallel: null,
  rules: "",
  auto: false,
  max_steps: 8,
  answer_schema: "",
});

/** Events: `change` (values changed), `checked` (the server has looked at a text). */
class Setup extends EventTarget {
  constructor() {
    super();
    this.chat = null;
    /** @type {Values} */
    this.values = NOTHING;
    this.timer = 0;
    this.keeping = Promise.resolve();
    const told = () => this.dispatchEvent(new Event("checked"));
    this.checks = {
      tools: new TextCheck((text) => ({ tools: text }), told),
      rules: new TextCheck((text) => ({ rules: text }), told),
      answer_schema: new TextCheck((text) => ({ schema: text }), told),
    };
    window.addEventListener("pagehide", () => this.flush({ keepalive: true }));
  }

  /** Another chat is shown; what the server has of it comes by `take`. */
  enter(chat) {
    if (chat === this.chat) return;
    this.flush();
    if (this.chat && recall(this.place)?.isKept) remember(this.place, null);
    this.chat = chat;
    this.show(recall(this.place)?.values ?? NOTHING);
  }

  /**
   * What the server has of the chat; null where that is nothing. What it does not have yet stays.
   * @param {Values|null} values
   */
  take(values) {
    const own = recall(this.place);
    if (own && !own.isKept) this.keepLater();
    else if (values || !own) this.show(values ?? NOTHING);
  }

  /**
   * Changes some of the values.
   * @param {Partial<Values>} changes
   */
  set(changes) {
    this.values = { ...this.values, ...changes };
    remember(this.place, { values: this.values, isKept: false });
    this.keepLater();
    this.changed({ atOnce: false });
  }

  show(values) {
    this.values = { ...NOTHING, ...values };
    this.changed({ atOnce: true });
  }

  changed(when) {
    for (const [name, check] of Object.entries(this.checks)) check.take(this.values[name], when);
    this.dispatchEvent(new Event("change"));
  }

  get place() {
    return `setup.${this.chat}`;
  }

  keepLater(wait = KEPT_AFTER_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), wait);
  }

  /** Has the server keep what it does not have yet, at once. */
  flush({ keepalive = false } = {}) {
    if (!this.timer) return;
    if (keepalive) this.keepOnLeaving();
    else this.keep();
  }

  /** One after another, so that the last is what stays. */
  keep() {
    clearTimeout(this.timer);
    this.timer = 0;
    const { chat, values, place } = this;
    this.keeping = this.keeping.then(() => this.put(chat, values, place));
    return this.keeping;
  }

  async put(chat, values, place) {
    try {
      await request(`${pathOf(chat)}/setup`, { method: "PUT", body: values });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Too long, or not owned: the tab still has it. Out of reach: it is tried again.
      if (error.status === 0 && chat === this.chat && !this.timer) this.keepLater(AGAIN_AFTER_MS);
      return;
    }
    if (recall(place)?.values && (chat !== this.chat || values === this.values)) {
      remember(place, chat === this.chat ? { values, isKept: true } : null);
    }
  }

  /** A page that goes away hears no answer: what is asked once more when it comes back is known. */
  keepOnLeaving() {
    fetch(address(`${pathOf(this.chat)}/setup`), {
      method: "PUT",
      headers: headers({ "Content-Type": "application/json" }),
      body: JSON.stringify(this.values),
      keepalive: true,
    }).catch(() => {}); // longer than a browser hands on: the tab's memory has it
  }

  /** What was found in the tools' text, the last that is known; its `text` says in which. */
  get checked() {
    return this.checks.tools.last;
  }

  /** Resolves once all texts have been looked at as they are. */
  async settled() {
    await Promise.all(Object.values(this.checks).map((check) => check.settled()));
  }

  /** The names of all declared tools, as far as they are known. */
  declared() {
    const { current } = this.checks.tools;
    if (current?.tools) return current.tools.map(({ name }) => name);
    const tools = parsed(this.values.tools);
    if (!Array.isArray(tools)) return [];
    return tools.map((tool) => tool?.function?.name).filter((name) => typeof name === "string");
  }

  /** The names of declared tools that are on. */
  names() {
    return this.declared().filter((name) => !this.values.off.includes(name));
  }

  /** What the setup adds to what is asked of the server. */
  turn() {
    const { tools, off, choice, parallel, rules, auto, max_steps, answer_schema } = this.values;
    const options = answer_schema.trim() ? { response_schema: answer_schema } : {};
    const declared = this.declared();
    const isAllOff = declared.length > 0 && this.names().length === 0;
    if (!tools.trim() || isAllOff) return { options };
    const tools_off = off.filter((name) => declared.includes(name));
    options.tools = tools;
    if (tools_off.length) options.tools_off = tools_off;
    if (choice !== null) options.tool_choice = choice;
    if (parallel !== null) options.parallel_tool_calls = parallel;
    return { options, loop: { mocks: rules, auto, max_steps } };
  }

  /** Which text has an error, as the last look at it found: the first, or null. */
  faulty() {
    const names = Object.keys(this.checks);
    return names.find((name) => this.checks[name].current?.errors.length) ?? null;
  }

  /** Why nothing can be sent with this setup, as one sentence; or null. */
  problem() {
    const faulty = this.faulty();
    if (faulty) return t(`setup.faulty.${faulty}`);
    const name = this.values.choice?.function?.name;
    if (name === undefined || !this.values.tools.trim()) return null;
    const names = this.names();
    return names.length === 0 || names.includes(name) ? null : t("setup.choice_off", { name });
  }

  /**
   * Declares tools beside those that are there, for an example.
   * @param {{tools: object[], rules?: object[]}} set
   */
  declare({ tools, rules = [] }) {
    const known = new Set(this.declared());
    const fresh = tools.filter((tool) => !known.has(tool.function.name));
    const names = tools.map((tool) => tool.function.name);
    const changes = { off: this.values.off.filter((name) => !names.includes(name)) };
    const text = fresh.length ? insertLast(this.values.tools, [], fresh) : null;
    if (text !== null) changes.tools = text;
    this.set(changes);
    for (const rule of [...rules].reverse()) this.addRule(rule);
  }

  /** The rules as values, or [] where their text cannot be read. */
  rules() {
    const value = parsed(this.values.rules);
    const rules = Array.isArray(value) ? value : value?.mocks;
    return Array.isArray(rules) ? rules : [];
  }

  /** Puts a rule before the others, which stay as written; false where their text is none. */
  addRule(rule) {
    const value = parsed(this.values.rules);
    const steps = value && !Array.isArray(value) ? ["mocks"] : [];
    const text = insertFirst(this.values.rules, steps, [rule]);
    if (text === null) return false;
    this.set({ rules: text });
    return true;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const setup = new Setup();
