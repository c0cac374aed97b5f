// The editor of one call's result: text or JSON, or what a tool does on a bad day by one click.

import { announce } from "./announce.mjs";
import { changeIcon, el, icon, setText } from "./dom.mjs";
import { prettyJson } from "./pretty_json.mjs";
import { answeredBy } from "./results.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";

const MOST_DELAY_S = 600;
const DELAY_S = 5; // by one click; any other is typed
const VERY_LARGE_ROWS = 2_000; // about 80,000 characters

/** What is put in by one click: a content, and whether the tool failed. */
const QUICK = {
  error: { content: () => JSON.stringify({ error: t("result.quick.error.text") }), by: "error" },
  timeout: { content: () => JSON.stringify({ error: "timeout" }), by: "error" },
  empty: { content: () => "", by: "hand" },
  large: { content: veryLarge, by: "hand" },
  broken: { content: () => '{"result": [1, 2, ', by: "error" },
};

function veryLarge() {
  const rows = Array.from({ length: VERY_LARGE_ROWS }, (_, id) => ({ id, value: `row number ${id}` }));
  return JSON.stringify({ rows });
}

export class ResultEditor {
  /**
   * @param {{id: string, name: string, why: string}} call  that waits
   * @param {{arguments: string, problems: {path: string, message: string}[]}} made  what the model made of it
   * @param {{changed: () => void, send: () => void, repair: (words: string) => void}} on
   */
  constructor(call, made, on) {
    this.call = call;
    this.made = made;
    this.on = on;
    this.by = null; // what filled the editor; null while nothing has
    this.isByHand = false; // whether the reader has put that in
    this.isRuled = false; // whether a rule would answer the call
    this.area = el("textarea.result-text", {
      rows: "3",
      dir: "auto",
      spellcheck: "false",
      placeholder: t("result.placeholder"),
      "aria-label": t("result.editor", { name: call.name || t("call.unnamed") }),
      oninput: () => this.typed(),
      onkeydown: (event) => this.pressed(event),
    });
    this.kind = el("span.result-kind", { "aria-live": "off" }, icon("check"), el("span"));
    this.source = el("span.result-by");
    this.seconds = el("input.result-seconds", {
      type: "number",
      min: "0",
      max: String(MOST_DELAY_S),
      step: "1",
      value: String(DELAY_S),
      inputmode: "numeric",
      hidden: true,
      "aria-label": t("result.delay.seconds"),
      oninput: () => this.on.changed(),
    });
    this.slow = el(
      "button.button.result-quick",
      {
        type: "button",
        title: t("result.delay.meaning"),
        "aria-pressed": "false",
        onclick: () => this.toggleDelay(),
      },
      t("result.delay"),
    );
    this.ruled = el(
      "button.button.bordered",
      { type: "button", title: t("result.make_rule.meaning"), onclick: () => this.makeRule() },
      icon("plus"),
      t("result.make_rule"),
    );
    this.element = el(
      "li.result-editor",
      { "data-testid": "pending-call", "data-why": call.why },
      el(
        "div.result-head",
        {},
        icon("tool"),
        el("code.call-name", { dir: "auto" }, call.name || t("call.unnamed")),
        el("code.result-arguments", { dir: "auto" }, made.arguments || "{}"),
        this.source,
      ),
      ...this.mending(),
      this.area,
      el("div.result-bar", {}, this.kind, ...this.quick(), this.slow, this.seconds, this.ruled),
    );
    this.tell();
  }

  get content() {
    return this.area.value;
  }

  /** Seconds for which the result is held back. */
  get delay() {
    if (this.seconds.hidden) return 0;
    return Math.min(MOST_DELAY_S, Math.max(0, Number(this.seconds.value) || 0));
  }

  get isAnswered() {
    return this.by !== null;
  }

  /** As the server takes it. */
  get result() {
    return { call_id: this.call.id, content: this.content, answered_by: this.by };
  }

  focus() {
    this.area.focus();
  }

  /** What the reader has put in, to be kept over a reload; null where that is nothing. */
  get kept() {
    const { isByHand, delay } = this;
    return isByHand || delay ? { ...this.result, isByHand, delay } : null;
  }

  /** What the reader had put in before. */
  restore({ content, answered_by: by, isByHand, delay }) {
    if (isByHand) this.fill(content, by, { isByHand });
    if (delay) this.setDelay(delay);
  }

  /** Holds the result back for so many seconds; 0: not at all. */
  setDelay(seconds) {
    this.seconds.hidden = seconds === 0;
    if (seconds) this.seconds.value = String(seconds);
    this.slow.setAttribute("aria-pressed", String(seconds > 0));
  }

  toggleDelay() {
    this.setDelay(this.seconds.hidden ? DELAY_S : 0);
    this.on.changed();
  }

  /** What a rule or a sample says, where the reader has not put in anything; null: they say nothing. */
  suggest(suggestion) {
    this.isRuled = suggestion?.answered_by.startsWith("rule") ?? false;
    if (this.isByHand) return;
    this.fill(suggestion?.content ?? "", suggestion?.answered_by ?? null, { isByHand: false });
  }

  fill(content, by, { isByHand }) {
    this.by = by;
    this.isByHand = isByHand;
    if (this.area.value !== content) this.area.value = content;
    this.tell();
  }

  /** The reader puts a content in by one click. */
  put(content, by) {
    this.fill(content, by, { isByHand: true });
    this.on.changed();
    this.focus();
  }

  typed() {
    const { content } = this;
    this.fill(content, content === "" ? null : "hand", { isByHand: content !== "" });
    this.on.changed();
  }

  pressed(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    this.on.send();
  }

  tell() {
    const [state, words] = kindOf(this.content, this.by);
    this.kind.dataset.state = state;
    changeIcon(this.kind.firstChild, state === "broken" ? "warning" : "check");
    this.kind.firstChild.hidden = state === "none";
    setText(this.kind.lastChild, words);
    setText(this.source, this.by && this.by !== "hand" ? answeredBy(this.by) : "");
    const isHand = this.by === "hand" && this.call.why !== "malformed" && this.call.why !== "unknown";
    this.ruled.hidden = !isHand;
  }

  quick() {
    return Object.entries(QUICK).map(([name, { content, by }]) =>
      el(
        "button.button.result-quick",
        {
          type: "button",
          title: t(`result.quick.${name}.meaning`),
          onclick: () => this.put(content(), by),
        },
        t(`result.quick.${name}`),
      ),
    );
  }

  /** What may be done with arguments that do not fit: mend them, or send the error back. */
  mending() {
    const { why } = this.call;
    if (why === "by hand") return [];
    const words = el("p.result-why", {}, icon("warning"), t(`result.why.${why.replace(" ", "_")}`));
    if (why === "unknown") return [words, this.errorButton(t("result.error.unknown"))];
    const area = el("textarea.result-text", {
      rows: "3",
      dir: "ltr",
      spellcheck: "false",
      "aria-label": t("result.repair.editor", { name: this.call.name }),
    });
    area.value = prettyJson(this.made.arguments || "{}");
    const send = el(
      "button.button.bordered",
      { type: "button", onclick: () => this.on.repair(area.value) },
      icon("edit"),
      t("result.repair"),
    );
    const found = this.made.problems.map(({ path, message }) => `${path || "$"} ${message}`).join("; ");
    return [words, area, el("div.result-bar", {}, send, this.errorButton(found || t("result.error.cut")))];
  }

  /** The model is told what was wrong, and may call again. */
  errorButton(found) {
    const onclick = () => this.put(JSON.stringify({ error: found }), "error");
    return el("button.button.bordered", { type: "button", onclick }, icon("undo"), t("result.send_error"));
  }

  /** What was typed answers this call from now on by itself. */
  makeRule() {
    const rule = { tool: this.call.name, when: given(this.made.arguments), result: valueOf(this.content) };
    if (!setup.addRule(rule)) return announce(t("result.make_rule.refused"));
    this.put(this.content, "rule 1");
    announce(t("result.make_rule.done"));
  }
}

function given(text) {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return {};
  }
}

function valueOf(content) {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

function kindOf(content, by) {
  if (by === null) return ["none", t("result.kind.none")];
  if (content === "") return ["text", t("result.kind.empty")];
  try {
    JSON.parse(content);
    return ["json", t("result.kind.json")];
  } catch {
    if (/^\s*[[{]/.test(content)) return ["broken", t("result.kind.broken")];
    return ["text", t("result.kind.text")];
  }
}
