// What answers the calls, and in which form the model is to answer: two parts of the tools' panel.

import { el, setText } from "./dom.mjs";
import { choice, field, tick } from "./fields.mjs";
import { JsonEditor } from "./json_editor.mjs";
import { ruleInWords } from "./rule_words.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";

const RULES = '[\n  {"tool": "*", "generate": true}\n]';
const SCHEMA = '{\n  "type": "object",\n  "properties": {}\n}';
const MOST_STEPS = 64;
const MOST_IN_WORDS = 50;

/** When the model calls tools: the choice, and several calls at once. */
export function choiceSection() {
  const place = el("section.tools-section.tools-choices", { "aria-label": t("tools.calling") });
  let drawn = "";
  const show = () => {
    const { choice: chosen, parallel } = setup.values;
    const state = JSON.stringify([chosen, parallel, setup.names()]);
    if (state === drawn) return;
    drawn = state;
    const focused = [...place.querySelectorAll("select")].indexOf(document.activeElement);
    place.replaceChildren(toolChoice(chosen), parallelChoice(parallel));
    place.querySelectorAll("select")[focused]?.focus();
  };
  setup.addEventListener("change", show);
  setup.addEventListener("checked", show);
  show();
  return place;
}

function toolChoice(chosen) {
  const named = chosen?.function?.name;
  const names = setup.names();
  const plain = ["", "auto", "none", "required"].map((value) => {
    return { value, label: t(`tools.choice.${value || "unset"}`) };
  });
  const offered = named === undefined || names.includes(named) ? names : [named, ...names];
  const options = offered.map((name) => ({
    value: `=${name}`,
    label: t(names.includes(name) ? "tools.choice.named" : "tools.choice.named_off", { name }),
  }));
  const value = named === undefined ? (chosen ?? "") : `=${named}`;
  return choice(t("tools.choice"), [...plain, ...options], value, (to) => {
    const tool = { type: "function", function: { name: to.slice(1) } };
    setup.set({ choice: to.startsWith("=") ? tool : to || null });
  });
}

function parallelChoice(parallel) {
  const options = ["null", "true", "false"].map((value) => {
    return { value, label: t(`tools.parallel.${value}`) };
  });
  return choice(t("tools.parallel"), options, String(parallel), (to) => {
    setup.set({ parallel: JSON.parse(to) });
  });
}

export class AnswersSection {
  constructor() {
    this.editor = new JsonEditor({
      name: t("rules.json"),
      placeholder: RULES,
      changed: (rules) => setup.set({ rules }),
    });
    this.words = el("ol.rules", { "aria-label": t("rules.words") });
    this.count = el("span.fold-state");
    this.auto = tick(t("rules.auto"), false, (auto) => setup.set({ auto }));
    this.steps = field(t("rules.max_steps"), "8", { changed: (text) => takeSteps(text) });
    this.input = this.steps.querySelector("input");
    this.input.inputMode = "numeric";
    this.element = fold(
      "answers",
      t("rules.heading"),
      this.count,
      el("p.tools-note", {}, t("rules.note")),
      this.words,
      this.editor.element,
      this.auto,
      this.steps,
    );
    setup.addEventListener("change", () => this.show());
    setup.addEventListener("checked", () => this.find());
    this.show();
  }

  show() {
    const { rules, auto, max_steps } = setup.values;
    this.editor.show(rules);
    this.auto.firstChild.checked = auto;
    if (document.activeElement !== this.input) this.input.value = String(max_steps);
    const known = setup.rules();
    setText(this.count, t("rules.count", { count: known.length }));
    this.words.replaceChildren(
      ...known.slice(0, MOST_IN_WORDS).map((rule) => el("li", { dir: "auto" }, ruleInWords(rule))),
    );
    this.find();
  }

  find() {
    const { current } = setup.checks.rules;
    if (!current) return;
    const { text, errors, count = 0 } = current;
    const fine = text.trim() ? t("rules.count", { count }) : "";
    this.editor.find(current, errors.length ? t("json.errors", { count: errors.length }) : fine);
  }
}

function takeSteps(text) {
  const steps = Number(text.trim());
  if (!Number.isInteger(steps) || steps < 1 || steps > MOST_STEPS) return false;
  setup.set({ max_steps: steps });
  return true;
}

export class FormatSection {
  constructor() {
    this.editor = new JsonEditor({
      name: t("answer_format.json"),
      placeholder: SCHEMA,
      changed: (answer_schema) => setup.set({ answer_schema }),
    });
    this.state = el("span.fold-state");
    this.element = fold(
      "format",
      t("answer_format.heading"),
      this.state,
      el("p.tools-note", {}, t("answer_format.note")),
      this.editor.element,
    );
    setup.addEventListener("change", () => this.show());
    setup.addEventListener("checked", () => this.find());
    this.show();
  }

  show() {
    const { answer_schema: text } = setup.values;
    this.editor.show(text);
    setText(this.state, t(text.trim() ? "answer_format.on" : "answer_format.off"));
    this.find();
  }

  find() {
    const { current } = setup.checks.answer_schema;
    if (!current) return;
    const { text, errors, warnings } = current;
    const fine = warnings.length ? t("json.warnings", { count: warnings.length }) : t("json.fine");
    const wrong = t("json.errors", { count: errors.length });
    this.editor.find(current, errors.length ? wrong : text.trim() ? fine : "");
  }
}

function fold(name, heading, state, ...content) {
  return el(
    "details.tools-fold",
    { "data-testid": `${name}-section` },
    el("summary", {}, el("h3", {}, heading), state),
    el("div.tools-fold-body", {}, ...content),
  );
}
