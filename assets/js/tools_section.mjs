// The tools of the chat in the panel: as a form or as JSON, each with a switch.

import { el, icon, setText } from "./dom.mjs";
import { declaredIn, withSchemaWrapped, withTool } from "./declared.mjs";
import { JsonEditor } from "./json_editor.mjs";
import { recall, remember } from "./memory.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";
import { switchOf, toolCard } from "./tool_card.mjs";
import { emptyTools } from "./tools_empty.mjs";

const VIEWS = ["form", "json"];
const FOCUSED = "input, select, textarea, button, summary";
const PLACEHOLDER = '[\n  {"type": "function", "function": {"name": "…"}}\n]';

export class ToolsSection {
  constructor() {
    this.view = recall("tools.view") ?? "form";
    this.open = new Set(); // tools whose forms are open, by their place
    this.drawn = null; // what the form shows
    this.declared = null;
    this.editor = new JsonEditor({
      name: t("tools.json"),
      placeholder: PLACEHOLDER,
      changed: (tools) => setup.set({ tools }),
    });
    this.empty = emptyTools(() => this.views.form.focus());
    this.views = Object.fromEntries(VIEWS.map((view) => [view, this.viewButton(view)]));
    this.form = el("div.tools-form");
    this.faultWords = el("span");
    this.fault = el(
      "p.tools-fault",
      { role: "status", hidden: true },
      icon("error"),
      this.faultWords,
      el("button.button", { type: "button", onclick: () => this.showFault() }, t("tools.form.see")),
    );
    this.switches = el("ul.tool-switches", { "aria-label": t("tools.switches") });
    this.json = el("div.tools-json", {}, this.editor.element, this.switches);
    this.element = el(
      "section.tools-section",
      { "aria-label": t("tools.heading") },
      el(
        "div.tools-bar",
        {},
        this.viewChoice(),
        ...["sets", "import", "export"].map(dialogButton),
      ),
      this.empty,
      this.form,
      this.json,
    );
    setup.addEventListener("change", () => this.show());
    setup.addEventListener("checked", () => this.find());
    this.show();
  }

  viewChoice() {
    const attributes = { role: "group", "aria-label": t("tools.view") };
    return el("div.tools-views", attributes, ...Object.values(this.views));
  }

  viewButton(view) {
    const onclick = () => this.choose(view);
    return el("button.button", { type: "button", onclick }, t(`tools.view.${view}`));
  }

  choose(view) {
    this.view = view;
    remember("tools.view", view);
    this.show();
  }

  show() {
    const { tools } = setup.values;
    for (const view of VIEWS) {
      this.views[view].setAttribute("aria-pressed", String(view === this.view));
    }
    this.empty.hidden = tools.trim() !== "";
    this.form.hidden = this.view !== "form";
    this.json.hidden = this.view !== "json";
    this.editor.show(tools);
    if (this.view === "form") this.drawForm();
    this.find();
  }

  find() {
    const { current } = setup.checks.tools;
    this.editor.find(current, current ? summary(current) : "");
    if (current) this.showFaults(current.errors);
    this.drawSwitches();
  }

  showFaults(errors) {
    this.fault.hidden = errors.length === 0;
    if (errors.length) setText(this.faultWords, t("tools.form.errors", { count: errors.length }));
  }

  drawSwitches() {
    const names = setup.declared();
    const state = JSON.stringify([names, setup.values.off]);
    if (state === this.switched) return;
    this.switched = state;
    const at = [...this.switches.querySelectorAll("button")].indexOf(document.activeElement);
    this.switches.replaceChildren(
      ...names.map((name) => {
        const isOn = !setup.values.off.includes(name);
        const toggle = (on) => turn(name, on);
        return el(
          "li.tool-switch",
          {},
          el("span.tool-name", { dir: "auto" }, name),
          switchOf(t("tools.on", { name }), isOn, toggle),
        );
      }),
    );
    if (at >= 0) this.switches.querySelectorAll("button")[at]?.focus();
  }

  /**
   * Draws the form anew where something else than its own fields has changed what it shows; the
   * focus stays where it was.
   */
  drawForm() {
    if (this.view !== "form") return;
    const { tools, off } = setup.values;
    const state = JSON.stringify([tools, off]);
    if (state === this.drawn) return;
    this.drawn = state;
    const focused = [...this.form.querySelectorAll(FOCUSED)].indexOf(document.activeElement);
    this.declared = declaredIn(tools);
    this.form.replaceChildren(
      this.fault,
      ...(this.declared ? this.cards() : this.notShown(tools)),
    );
    this.form.querySelectorAll(FOCUSED)[focused]?.focus();
  }

  /** A text that has no form; a bare schema can be made a tool, which has one. */
  notShown(tools) {
    const wrapped = withSchemaWrapped(tools);
    if (wrapped === null) return [el("p.tools-note", {}, t("tools.form.json_only"))];
    const wrap = () => {
      this.open = new Set([0]);
      this.rebuild(() => wrapped, "input", 0);
    };
    const attributes = { type: "button", onclick: wrap };
    return [
      el("p.tools-note", {}, t("tools.form.bare")),
      el("button.button.bordered", attributes, icon("tool"), t("tools.form.wrap")),
    ];
  }

  cards() {
    const name = t("tools.heading");
    const rows = this.declared.map((each, at) => this.card(each, at));
    return [el("ul.tool-list", { "aria-label": name }, ...rows), this.addButton()];
  }

  card(declared, at) {
    return toolCard(declared, {
      isOn: !setup.values.off.includes(declared.value?.name),
      isOpen: this.open.has(at),
      toggled: (on) => turn(declared.value?.name, on),
      opened: (isOpen) => (isOpen ? this.open.add(at) : this.open.delete(at)),
      edit: (change) => this.edit(change),
      rebuild: (change, focus) => this.rebuild(change, focus, at),
    });
  }

  /** Takes what a field says into the text. Its form stays: the reader may be in the next field. */
  edit(change) {
    const text = change(setup.values.tools);
    if (text === null) return false;
    this.drawn = JSON.stringify([text, setup.values.off]);
    const fresh = declaredIn(text) ?? [];
    fresh.forEach((each, at) => Object.assign(this.declared[at], each));
    setup.set({ tools: text });
    return true;
  }

  /** Changes what the form consists of; goes on at `focus` in the card, else at the last button. */
  rebuild(change, focus, at) {
    const text = change(setup.values.tools);
    if (text === null) return;
    if (count(text) < count(setup.values.tools)) {
      const others = [...this.open].filter((each) => each !== at);
      this.open = new Set(others.map((each) => (each > at ? each - 1 : each)));
    }
    setup.set({ tools: text });
    const card = this.form.querySelectorAll(".tool-card")[at];
    const found = (focus && card?.querySelector(focus)) ?? this.form.querySelector(".tools-add");
    found?.focus();
    found?.select?.();
  }

  addButton() {
    const onclick = () => {
      const text = withTool(setup.values.tools);
      if (text === null) return;
      const at = declaredIn(text).length - 1;
      this.open = new Set([at]);
      this.rebuild(() => text, "input", at);
    };
    const attributes = { type: "button", onclick };
    return el("button.button.bordered.tools-add", attributes, icon("plus"), t("tools.add"));
  }

  /** Puts the caret at the first error. */
  showFault() {
    this.choose("json");
    const [first] = setup.checks.tools.last.errors;
    if (first) this.editor.goTo(first.line, first.column);
  }
}

function count(text) {
  return declaredIn(text)?.length ?? 0;
}

function turn(name, on) {
  const { off } = setup.values;
  setup.set({ off: on ? off.filter((each) => each !== name) : [...off, name] });
}

function summary({ text, errors, warnings, tools = [] }) {
  if (!text.trim()) return "";
  if (errors.length) return t("json.errors", { count: errors.length });
  const declared = t("tools.declared", { count: tools.length });
  if (!warnings.length) return declared;
  return `${declared} · ${t("json.warnings", { count: warnings.length })}`;
}

function dialogButton(name) {
  const { open, label } = {
    sets: { open: "openSets", label: t("tools.open_sets") },
    import: { open: "openImport", label: t("tools.open_import") },
    export: { open: "openExport", label: t("tools.open_export") },
  }[name];
  const onclick = async () => (await import("./tools_dialogs.mjs"))[open]();
  return el("button.button.tools-open", { type: "button", onclick }, label);
}
