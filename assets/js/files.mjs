// The text files of the message being written, each a chip: what it is, a look into it, away with it.

import { copyButton } from "./copy.mjs";
import { showDialog } from "./dialog.mjs";
import { el, icon, iconButton } from "./dom.mjs";
import { list, size } from "./format.mjs";
import { MOST_CHARACTERS, NotTaken, tooLong } from "./intake.mjs";
import { t } from "./texts.mjs";

const MOST_FILES = 20;
const MOST_NAME = 200;

/**
 * @typedef {{name: string, text: string}} TextFile
 */

export class Files {
  /** `changed` is called after each change of what there is. */
  constructor({ changed }) {
    this.changed = changed;
    this.files = [];
    this.element = el("ul.files", { "aria-label": t("files.name"), hidden: true });
  }

  get isEmpty() {
    return this.files.length === 0;
  }

  /** Whether these fit beside those that are there. */
  hasRoomFor(files) {
    return (
      this.files.length + files.length <= MOST_FILES &&
      characters([...this.files, ...files]) <= MOST_CHARACTERS
    );
  }

  /**
   * Takes a file's text.
   * @throws {NotTaken}
   */
  add({ name }, text) {
    if (this.files.length >= MOST_FILES) {
      throw new NotTaken(t("files.too_many", { name, most: MOST_FILES }));
    }
    const file = { name: name.slice(-MOST_NAME), text };
    if (!this.hasRoomFor([file])) throw tooLong(file);
    this.set([...this.files, file]);
  }

  /** Shows these, and no others. */
  set(files) {
    this.files = files;
    this.element.replaceChildren(...files.map((file) => this.chip(file)));
    this.element.hidden = this.isEmpty;
    this.changed();
  }

  chip(file) {
    const name = t("attachments.remove", { name: file.name });
    return el(
      "li.file",
      { "data-testid": "file" },
      fileButton(file),
      iconButton("close", name, () => this.remove(file)),
    );
  }

  remove(file) {
    const at = this.files.indexOf(file);
    this.set(this.files.filter((each) => each !== file));
    const next = this.element.children[Math.min(at, this.files.length - 1)];
    const box = this.element.closest("form").querySelector("textarea");
    (next?.querySelector("button") ?? box).focus();
  }
}

/** "12 lines, 3.4 kB" */
export function fileLine({ text }) {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return list([t("files.lines", { count: lines }), size(new Blob([text]).size)]);
}

function characters(files) {
  return files.reduce((sum, { text }) => sum + text.length, 0);
}

function fileButton(file) {
  const line = fileLine(file);
  return el(
    "button.file-main",
    {
      type: "button",
      title: t("files.show", { name: file.name }),
      "aria-label": list([t("files.show", { name: file.name }), line]),
      onclick: () => showFile(file),
    },
    icon("file"),
    el("span.file-words", {}, el("span.file-name", { dir: "auto" }, file.name), el("span.file-line", {}, line)),
  );
}

/** Shows a file's text in a dialog; Escape or a click outside ends it. */
export function showFile(file) {
  const dialog = el(
    "dialog.reader",
    { "aria-label": file.name, onclick: (event) => event.target === dialog && dialog.close() },
    el(
      "div.reader-head",
      {},
      el("p.reader-name", { dir: "auto" }, file.name),
      el("p.reader-line", {}, fileLine(file)),
      copyButton(t("files.copy"), () => file.text),
      iconButton("close", t("media.close"), () => dialog.close()),
    ),
    el("pre.reader-text", { dir: "auto", tabindex: "0" }, file.text),
  );
  showDialog(dialog);
}
