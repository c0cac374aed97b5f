// The card of one tool call: its name, its arguments as they come, and what their check found.

import { el, icon, setText } from "./dom.mjs";
import { prettyJson } from "./pretty_json.mjs";
import { t } from "./texts.mjs";

export class CallCard {
  constructor(name) {
    this.called = ""; // its name as the model wrote it
    /** What it is, once it is whole. */
    this.call = null;
    this.name = el("code.call-name", { dir: "auto" });
    this.check = el("span.call-check");
    this.code = el("code");
    this.problems = el("ul.call-problems", { hidden: true });
    this.element = el(
      "section.call",
      { "data-testid": "call", "data-state": "arriving" },
      el("div.call-head", {}, icon("tool"), this.name, this.check),
      el(
        "pre.call-arguments",
        { tabindex: "0", role: "region", "aria-label": t("call.arguments"), dir: "ltr" },
        this.code,
      ),
      this.problems,
    );
    this.setName(name);
    setText(this.check, t("call.arriving"));
  }

  setName(name) {
    this.called = name;
    setText(this.name, name || t("call.unnamed"));
    this.element.setAttribute("aria-label", t("call.name", { name }));
  }

  /** The name so far, and more of the arguments' text. */
  append(name, text) {
    this.setName(name);
    this.code.append(text);
  }

  /** The call is whole, and checked against the tool's schema. */
  finish({ name, arguments: text, problems, declared }) {
    if (name !== undefined) this.setName(name);
    this.call = { name: this.called, arguments: text, problems, declared };
    setText(this.code, prettyJson(text || "{}"));
    const isGood = declared && problems.length === 0;
    this.element.dataset.state = isGood ? "good" : "bad";
    this.check.replaceChildren(icon(isGood ? "check" : "warning"), verdict(problems, declared));
    this.problems.replaceChildren(...problems.map(problemLine));
    this.problems.hidden = problems.length === 0;
  }
}

function verdict(problems, declared) {
  const found = problems.length ? t("call.problems", { count: problems.length }) : "";
  if (!declared) return [t("call.unknown"), found].filter(Boolean).join(" · ");
  return found || t("call.fits");
}

function problemLine({ path, message }) {
  return el("li", {}, el("code", {}, path || "$"), " ", message);
}
