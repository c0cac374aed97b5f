// Tools that are about to come into the chat: what they are, and whether they take the place of
// what is there or stand beside it. Nothing that was written goes away unless that was chosen.

import { asArray, declaredIn } from "./declared.mjs";
import { el, freshId, icon } from "./dom.mjs";
import { list } from "./format.mjs";
import { insertFirst, insertLast, replaceAt } from "./json_edit.mjs";
import { jsonTree } from "./json_tree.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";

/**
 * As `tools/import` answers: `tools` is the text of OpenAI's array.
 * @typedef {{tools: string, results: object, mocks: object[], notes?: string[]}} Found
 */

export class Incoming {
  constructor() {
    /** @type {Found|null} */
    this.found = null;
    this.isAdding = true;
    this.tools = el("ul.incoming-tools", { "aria-label": t("incoming.tools"), tabindex: "0" });
    this.notes = el("ul.incoming-notes", { "aria-label": t("incoming.notes") });
    this.way = this.drawWay();
    this.element = el(
      "div.incoming",
      { "data-testid": "incoming", hidden: true },
      this.tools,
      this.notes,
      this.way,
    );
  }

  /** @param {Found|null} found */
  show(found) {
    this.found = found;
    this.element.hidden = found === null;
    if (found === null) return;
    const functions = functionsOf(found.tools);
    this.tools.replaceChildren(
      ...functions.map(({ name, description }) =>
        el(
          "li",
          { dir: "auto" },
          el("span.incoming-name", {}, name),
          description ? el("span.incoming-text", {}, description) : null,
        ),
      ),
    );
    this.tell();
  }

  /** What is to be known of them; a part depends on the way. */
  tell() {
    const { mocks, notes = [] } = this.found;
    const known = this.isAdding && this.canAdd ? this.known() : [];
    const all = [
      mocks.length > 0 && t("incoming.rules", { count: mocks.length }),
      known.length > 0 && t("incoming.known", { count: known.length, names: list(known) }),
      this.isSomethingThere && !this.canAdd && t("incoming.not_added"),
      ...notes,
    ].filter(Boolean);
    this.notes.replaceChildren(...all.map((note) => el("li", { dir: "auto" }, note)));
    this.notes.hidden = all.length === 0;
  }

  /** Names among them that are declared already. */
  known() {
    const declared = new Set(setup.declared());
    return functionsOf(this.found.tools)
      .map(({ name }) => name)
      .filter((name) => declared.has(name));
  }

  get isSomethingThere() {
    const { tools, rules } = setup.values;
    return tools.trim() !== "" || rules.trim() !== "";
  }

  /** Whether what is there can be added to: tools in a list, rules that can be read. */
  get canAdd() {
    const { tools, rules } = setup.values;
    return declaredIn(tools) !== null && (!rules.trim() || jsonTree(rules) !== null);
  }

  drawWay() {
    const name = freshId("incoming");
    const choice = (isAdding) => {
      const onchange = () => {
        this.isAdding = isAdding;
        if (this.found) this.tell();
      };
      const attributes = { type: "radio", name, onchange, checked: isAdding === this.isAdding };
      const input = el("input", attributes);
      input.disabled = isAdding && !this.canAdd;
      return el("label.incoming-choice", {}, input, t(isAdding ? "incoming.add" : "incoming.replace"));
    };
    this.isAdding = this.canAdd;
    return el(
      "fieldset.incoming-way",
      { hidden: !this.isSomethingThere },
      el("legend", {}, t("incoming.way")),
      choice(true),
      choice(false),
    );
  }

  /** Makes them the chat's. */
  take() {
    const { tools, mocks, results } = this.found;
    const isAdding = this.isAdding && this.canAdd && this.isSomethingThere;
    const names = functionsOf(tools).map(({ name }) => name);
    // Rules that were written give way to other rules alone, not to tools that bring none.
    const before = isAdding || mocks.length === 0 ? setup.values.rules : "";
    const rules = withRules(before, { mocks, results });
    if (!isAdding) {
      setup.set({ tools, off: [], choice: chosen(names), rules });
      return;
    }
    const off = setup.values.off.filter((name) => !names.includes(name));
    setup.set({ tools: withTools(setup.values.tools, tools, this.known()), off, rules });
  }
}

/** The line that says why nothing can be taken. */
export class Trouble {
  constructor() {
    this.words = el("span", { dir: "auto" });
    this.element = el("p.incoming-trouble", { role: "alert", hidden: true }, icon("error"), this.words);
  }

  /** @param {string} sentence  "" where there is none */
  tell(sentence) {
    this.words.textContent = sentence;
    this.element.hidden = sentence === "";
  }
}

function functionsOf(text) {
  return JSON.parse(text).map((tool) => tool.function);
}

/** The choice of a tool holds as long as the tool is there. */
function chosen(names) {
  const { choice } = setup.values;
  return choice?.function && !names.includes(choice.function.name) ? null : choice;
}

/** The text of tools with more of them at its end. */
function withTools(text, more, known) {
  if (!text.trim()) return more;
  const fresh = JSON.parse(more).filter((tool) => !known.includes(tool.function.name));
  return fresh.length ? insertLast(asArray(text), [], fresh) : text;
}

/** The text of rules with more before them: the new ones are about the new tools. */
function withRules(text, { mocks, results }) {
  const hasResults = Object.keys(results).length > 0;
  const canBeRead = !text.trim() || jsonTree(text) !== null;
  if ((!mocks.length && !hasResults) || !canBeRead) return text;
  if (!text.trim()) return JSON.stringify(hasResults ? { mocks, results } : mocks, null, 2);
  const isList = text.trim().startsWith("[");
  if (!hasResults) return insertFirst(text, isList ? [] : ["mocks"], mocks);
  const inner = text.trim().replaceAll("\n", "\n  ");
  let whole = isList ? `{\n  "mocks": ${inner}\n}` : text;
  if (mocks.length) whole = insertFirst(whole, ["mocks"], mocks);
  if (!JSON.parse(whole).results) whole = replaceAt(whole, ["results"], {});
  for (const [name, schema] of Object.entries(results)) {
    whole = replaceAt(whole, ["results", name], schema);
  }
  return whole;
}
