// A text on the page that is written anew in its own place: Send and Cancel under it. What is
// refused is said there, and what was typed stays.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { el, icon } from "./dom.mjs";
import { t } from "./texts.mjs";

/**
 * @typedef {object} Writing
 * @property {string} name  what is written, for a screen reader
 * @property {string} text
 * @property {string} send  the words of the button
 * @property {boolean} isEnterSending  else only Ctrl+Enter or Cmd+Enter sends
 * @property {HTMLElement[]} [extras]  what else belongs to it, above the buttons
 * @property {string|null} [hint]
 * @property {(text: string) => Promise<boolean|void>} onSend  false keeps the editor; so does a
 *   Refused, whose sentence is said
 * @property {() => boolean} [isEmpty]  whether there is nothing to send beside the text
 * @property {() => void} onClose  it was cancelled, or has done its work
 */

export class TextEditor {
  /** @param {Writing} writing */
  constructor(writing) {
    this.writing = writing;
    this.area = el("textarea.editor-text", {
      rows: "2",
      dir: "auto",
      "aria-label": writing.name,
      oninput: () => this.changed(),
    });
    this.area.value = writing.text;
    this.said = el("p.editor-said", { role: "alert", dir: "auto", hidden: true });
    this.send = el("button.button.is-primary", { type: "submit" }, writing.send);
    this.element = el(
      "form.editor",
      {
        "data-testid": "editor",
        onsubmit: (event) => {
          event.preventDefault();
          this.submit();
        },
        onkeydown: (event) => this.pressed(event),
      },
      this.area,
      ...(writing.extras ?? []),
      this.said,
      el(
        "div.editor-bar",
        {},
        writing.hint ? el("span.editor-hint", {}, writing.hint) : null,
        el("button.button", { type: "button", onclick: () => this.close() }, t("editor.cancel")),
        this.send,
      ),
    );
    this.changed();
  }

  /** To be called once it is on the page. */
  focus() {
    this.grow();
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(this.area.value.length, this.area.value.length);
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** What can be sent has changed. */
  changed() {
    this.grow();
    const isNothing = this.area.value.trim() === "" && (this.writing.isEmpty?.() ?? true);
    this.send.disabled = isNothing || this.isSending;
  }

  /** For browsers that do not size a text area by its content. */
  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.area.style.height = "auto";
    this.area.style.height = `${this.area.scrollHeight}px`;
  }

  pressed(event) {
    if (event.isComposing || event.keyCode === 229) return; // an input method takes this key
    if (event.key === "Escape") {
      event.preventDefault(); // it stops no run
      this.close();
    } else if (event.key === "Enter" && event.target === this.area) {
      const isAsked = event.ctrlKey || event.metaKey;
      if (!isAsked && (event.shiftKey || !this.writing.isEnterSending)) return;
      event.preventDefault();
      if (!this.send.disabled) this.submit();
    }
  }

  async submit() {
    this.say("");
    this.isSending = true;
    this.changed();
    try {
      if ((await this.writing.onSend(this.area.value)) !== false) this.close();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(error.sentence);
    } finally {
      this.isSending = false;
      this.changed();
    }
  }

  say(sentence) {
    this.said.hidden = !sentence;
    this.said.replaceChildren();
    if (!sentence) return;
    this.said.append(icon("error"), sentence);
    announce(sentence);
  }

  close() {
    this.element.remove();
    this.writing.onClose();
  }
}
