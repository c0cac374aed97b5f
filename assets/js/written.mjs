// What is being written: the text, the two slots, the files, as one value that can be shown, taken
// out, and joined with another.

import { Attachments } from "./attachments.mjs";
import { el, icon } from "./dom.mjs";
import { Files } from "./files.mjs";
import { NotTaken, recognise } from "./intake.mjs";
import { t } from "./texts.mjs";

// For the file chooser alone: whatever is text is taken, whatever its name.
const TEXT_FILES =
  "text/*,application/json,application/xml,.txt,.md,.csv,.tsv,.json,.jsonl,.xml,.yaml,.yml,.toml," +
  ".ini,.log,.py,.js,.mjs,.ts,.tsx,.jsx,.java,.c,.h,.cpp,.hpp,.cs,.go,.rs,.rb,.php,.swift,.kt," +
  ".sql,.sh,.r,.lua,.html,.css,.tex,.diff,.patch";

/**
 * @typedef {{text: string, media: object[], uploads: import("./upload.mjs").Upload[],
 *   files: {name: string, text: string}[]}} Message
 */

/** @type {Message} */
export const NOTHING = { text: "", media: [], uploads: [], files: [] };

export class Written {
  /**
   * `uploadBytes` is the most that one file may have. `say(sentence)` and `refuse(sentence)` tell the reader something; `importCases(files)` takes
   * those that hold chats; `changed` is called after each change, `pressed(event)` for each key.
   */
  constructor({ uploadBytes, say, refuse, importCases, changed, pressed }) {
    this.refuse = refuse;
    this.importCases = importCases;
    this.changed = changed;
    this.reading = Promise.resolve();
    this.text = el("textarea.composer-text", {
      rows: "1",
      dir: "auto",
      placeholder: t("composer.placeholder"),
      "aria-label": t("composer.message"),
      autocomplete: "off",
      "data-testid": "message",
      oninput: () => this.typed(),
      onkeydown: pressed,
    });
    const picked = (files, kind) => this.add(files, kind);
    this.attachments = new Attachments({ uploadBytes, picked, say, refuse, changed });
    this.files = new Files({ changed });
    this.input = el("input", {
      type: "file",
      accept: TEXT_FILES,
      multiple: true,
      hidden: true,
      tabindex: "-1",
      "aria-label": t("files.input"),
      "data-testid": "file-input",
      onchange: () => {
        this.add([...this.input.files]);
        this.input.value = "";
      },
    });
    this.slots = [...this.attachments.elements, this.fileSlot()];
  }

  fileSlot() {
    const attach = t("files.attach");
    const button = el(
      "button.slot-main",
      { type: "button", title: attach, "aria-label": attach, onclick: () => this.input.click() },
      icon("file"),
      el("span.slot-words", {}, el("span.slot-name", {}, t("files.label"))),
    );
    return el("div.slot", { "data-state": "empty", "data-testid": "file-slot" }, this.input, button);
  }

  get isEmpty() {
    return this.text.value.trim() === "" && this.attachments.isEmpty && this.files.isEmpty;
  }

  /** @returns {Message} */
  get value() {
    const { media, uploads } = this.attachments;
    return { text: this.text.value, media, uploads, files: this.files.files };
  }

  /** Takes files by what they are; what cannot be taken is said, and costs nothing else. */
  add(files, picked = null) {
    this.reading = this.reading.then(async () => {
      const cases = [];
      for (const file of files) await this.take(file, picked, cases);
      if (cases.length) this.importCases(cases);
    });
    return this.reading;
  }

  async take(file, picked, cases) {
    try {
      const { kind, text } = await recognise(file, picked);
      if (kind === "case") cases.push(file);
      else if (kind === "text") this.files.add(file, text);
      else this.attachments.add(file, kind);
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      this.refuse(error.message);
    }
  }

  /** Shows a message in the place of what is written. */
  show({ text, media, uploads, files }) {
    this.attachments.clear();
    this.text.value = text;
    this.attachments.restore({ media, uploads });
    this.files.set(files);
    this.typed();
  }

  /** Takes all that is written out of the box; uploads go on. */
  release() {
    const { files } = this.files;
    const text = this.text.value;
    const attached = this.attachments.release();
    this.files.set([]);
    this.text.value = "";
    this.typed();
    return { text, ...attached, files };
  }

  /**
   * Puts a message before what is written, an empty line between them. Where both do not fit into
   * one message, what was written comes out whole, and is given; null where it stayed.
   */
  putBefore({ text, media, uploads, files }) {
    const fits =
      this.attachments.hasRoomFor([...media, ...uploads]) && this.files.hasRoomFor(files);
    const aside = fits ? null : this.release();
    const own = this.text.value;
    this.text.value = own.trim() && text.trim() ? `${text}\n\n${own}` : text || own;
    this.attachments.restore({ media, uploads });
    this.files.set([...files, ...this.files.files]);
    this.typed();
    return aside;
  }

  /** Empties the box of what was sent, but for what was typed since. */
  empty(sent) {
    if (this.text.value === sent.text) this.text.value = "";
    this.attachments.clear();
    this.files.set([]);
    this.typed();
  }

  typed() {
    this.grow();
    this.changed();
  }

  /** For browsers that do not size a text area by its content. */
  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.text.style.height = "auto";
    this.text.style.height = `${this.text.scrollHeight}px`;
  }
}
