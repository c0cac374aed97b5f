// What a person has set up for the tools of the chat that is shown: the tools as they are written,
// and the rules that answer calls. Draws nothing; this tab keeps it over a reload.

import { recall, remember } from "./memory.mjs";

const NOTHING = Object.freeze({ tools: "", rules: "" });

/** Its event `change` tells that values changed. */
class Setup extends EventTarget {
  constructor() {
    super();
    this.chat = null;
    this.values = NOTHING;
  }

  /** Another chat is shown. */
  enter(chat) {
    this.chat = chat;
    this.values = { ...NOTHING, ...recall(this.place) };
    this.dispatchEvent(new Event("change"));
  }

  /** Changes some of the values, texts that are kept as they are written. */
  set(changes) {
    this.values = { ...this.values, ...changes };
    remember(this.place, this.values);
    this.dispatchEvent(new Event("change"));
  }

  get place() {
    return `setup.${this.chat}`;
  }

  /** The names of the tools that go with the next turn. */
  names() {
    return JSON.parse(this.values.tools || "[]").map((tool) => tool.function?.name ?? "");
  }

  /** What the setup adds to what is asked of the server. */
  turn() {
    const { tools, rules } = this.values;
    return tools ? { options: { tools }, loop: { mocks: rules } } : { options: {} };
  }

  /** Declares these tools in the place of what was declared. */
  declare({ tools }) {
    this.set({ tools: tools.length ? JSON.stringify(tools, null, 2) : "" });
  }

  /** Puts a rule before the others. */
  addRule(rule) {
    const rules = [rule, ...JSON.parse(this.values.rules || "[]")];
    this.set({ rules: JSON.stringify(rules, null, 2) });
    return true;
  }
}

export const setup = new Setup();
