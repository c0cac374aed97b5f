// A box in which JSON is written: numbered lines, what is found in it listed under it. A click on a
// finding leads to its place.

import { el, freshId, icon, setText } from "./dom.mjs";
import { replaceText, startTyping } from "./json_typing.mjs";
import { jsonTree, laidOut } from "./json_tree.mjs";
import { t, told } from "./texts.mjs";

const FEWEST_LINES = 5;
const MOST_LINES = 22;

export class JsonEditor {
  /**
   * @param {{name: string, placeholder: string, changed: (text: string) => void}} editor  `name` is
   *   read out
   */
  constructor({ name, placeholder, changed }) {
    const id = freshId("json");
    this.changed = changed;
    this.lines = 0;
    this.gutter = el("div.json-lines", { "aria-hidden": "true" });
    this.area = el("textarea.json-text", {
      "aria-label": name,
      "aria-describedby": `${id}-hint ${id}-state`,
      placeholder,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      dir: "ltr",
      oninput: () => this.typed(),
      onscroll: () => this.follow(),
    });
    this.box = el("div.json-box", { dir: "ltr" }, this.gutter, this.area);
    this.state = el("p.json-state", { id: `${id}-state`, role: "status" });
    this.hint = el("p.json-hint", { id: `${id}-hint` }, t("json.hint"));
    this.format = el(
      "button.button.json-format",
      { type: "button", title: t("json.format.meaning"), onclick: () => this.layOut() },
      t("json.format"),
    );
    this.list = el("ul.findings", { "aria-label": t("json.findings", { name }), hidden: true });
    this.element = el(
      "div.json-editor",
      {},
      this.box,
      el("div.json-foot", {}, this.state, this.format),
      this.list,
      this.hint,
    );
    startTyping(this.area, (isLeaving) => {
      setText(this.hint, t(isLeaving ? "json.hint.leaving" : "json.hint"));
    });
    this.measure();
  }

  /** Shows a text; the caret of one who writes it stays. */
  show(text) {
    if (this.area.value === text) return;
    this.area.value = text;
    this.measure();
  }

  typed() {
    this.measure();
    this.changed(this.area.value);
  }

  measure() {
    const lines = this.area.value.split("\n").length;
    this.format.disabled = !this.area.value.trim();
    if (lines === this.lines) return;
    this.lines = lines;
    const shown = Math.min(MOST_LINES, Math.max(FEWEST_LINES, lines));
    this.box.style.setProperty("--lines", shown);
    this.box.style.setProperty("--digits", Math.max(2, String(lines).length));
    this.number();
    this.follow();
  }

  /** Only lines with findings are elements of their own: there may be a hundred thousand lines. */
  number(marks = this.marks ?? new Map()) {
    this.marks = marks;
    const parts = [];
    let from = 1;
    const plain = (to) => {
      if (to < from) return;
      parts.push(`${Array.from({ length: to - from + 1 }, (_, at) => from + at).join("\n")}\n`);
    };
    for (const line of [...marks.keys()].sort((a, b) => a - b)) {
      if (line > this.lines) break;
      plain(line - 1);
      parts.push(el("span.json-mark", { "data-kind": marks.get(line) }, String(line)), "\n");
      from = line + 1;
    }
    plain(this.lines);
    this.gutter.replaceChildren(...parts);
  }

  follow() {
    this.gutter.scrollTop = this.area.scrollTop;
  }

  /**
   * Shows what was found, and in one sentence what that comes to.
   * @param {import("./text_check.mjs").Checked|null} checked  null: it is being looked at
   */
  find(checked, sentence) {
    if (checked === null) return;
    const { errors, warnings } = checked;
    const all = [
      ...errors.map((finding) => ({ finding, kind: "error" })),
      ...warnings.map((finding) => ({ finding, kind: "warning" })),
    ];
    const marks = new Map();
    for (const { finding, kind } of [...all].reverse()) marks.set(finding.line, kind);
    this.number(marks);
    this.area.setAttribute("aria-invalid", String(errors.length > 0));
    this.box.dataset.state = errors.length ? "error" : warnings.length ? "warning" : "fine";
    this.state.dataset.state = checked.text.trim() ? this.box.dataset.state : "blank";
    setText(this.state, sentence);
    this.list.hidden = all.length === 0;
    this.list.replaceChildren(...all.map((each) => this.row(each)));
  }

  row({ finding, kind }) {
    const { key, path, line, column, values, message } = finding;
    const sentence = told(`finding.${key}`, values, message);
    return el(
      "li",
      {},
      el(
        "button.finding",
        { type: "button", "data-kind": kind, onclick: () => this.goTo(line, column) },
        icon(kind),
        el(
          "span.finding-text",
          {},
          el("span.finding-place", {}, t("json.place", { line, column })),
          path && path !== "$" && !sentence.includes(path)
            ? el("code.finding-path", {}, path)
            : null,
          el("span", { dir: "auto" }, sentence),
        ),
      ),
    );
  }

  /** Puts the caret at a place, where it can be seen. */
  goTo(line, column) {
    const lines = this.area.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    // Columns count characters, the text area counts UTF-16 units.
    const within = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.area.focus();
    this.area.setSelectionRange(before + within, before + within);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    const isSeen =
      (line - 1) * height >= this.area.scrollTop &&
      line * height <= this.area.scrollTop + this.area.clientHeight;
    if (!isSeen) this.area.scrollTop = Math.max(0, (line - 4) * height);
    this.box.scrollIntoView({ block: "nearest" });
  }

  layOut() {
    const { value } = this.area;
    const tree = jsonTree(value);
    if (!tree) return setText(this.state, t("json.format.failed"));
    const text = laidOut(value, tree);
    if (text !== value) replaceText(this.area, 0, value.length, text);
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.format.focus();
  }
}
