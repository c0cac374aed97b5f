// A message that the reader sent: its text as typed, what was attached, and what can be done with it.

import { copyButton } from "./copy.mjs";
import { el, iconButton } from "./dom.mjs";
import { fileCards } from "./file_cards.mjs";
import { foldedText } from "./folded_text.mjs";
import { thumbnail } from "./media.mjs";
import { messageEditor } from "./message_editor.mjs";
import { t } from "./texts.mjs";
import { settle, toolbar } from "./toolbar.mjs";
import { VersionSwitch, nameWithVersion } from "./versions.mjs";

export class MessageView {
  kind = "user";

  /**
   * @param {object} message  as the server gives it
   * @param {import("./card_page.mjs").CardPage} page  what a card may ask of the page around it
   */
  constructor(message, page) {
    this.id = message.id;
    this.message = message;
    this.page = page;
    this.versions = new VersionSwitch((id, way) => page.choose(this, id, way));
    this.actions = this.toolbar();
    this.body = el("div.user-body", {}, ...this.content());
    this.foot = el("div.user-foot", {}, this.versions.element, this.actions);
    this.element = el(
      "article.user",
      { "data-testid": "user-message", tabindex: "-1" },
      this.body,
      this.foot,
    );
    this.showVersions(message.versions ?? null);
  }

  /** When it was sent, in Unix seconds. */
  get created() {
    return this.message.created;
  }

  content() {
    const { text, attachments, files = [] } = this.message;
    return [
      attachments.length > 0 && el("div.user-media", {}, ...attachments.map(thumbnail)),
      files.length > 0 && fileCards(files, async () => (await this.source())?.files ?? null),
      text !== "" && foldedText(text),
    ].filter(Boolean);
  }

  toolbar() {
    const { text } = this.message;
    this.takeBack = iconButton("undo", t("message.take_back"), () => this.page.takeBack(this));
    this.takeBack.hidden = true;
    this.edit = iconButton("edit", t("message.edit"), () => this.startEditing());
    return toolbar(
      t("message.actions"),
      ...(text ? [copyButton(t("message.copy"), () => text)] : []),
      this.edit,
      this.takeBack,
    );
  }

  /** The same message as the server has it now; of it only its versions change. */
  update(message) {
    this.showVersions(message.versions);
  }

  showVersions(versions) {
    this.versions.show(versions);
    this.element.setAttribute("aria-label", nameWithVersion(t("message.name"), versions));
  }

  /** Only the last message can be taken back. */
  setLast(isLast) {
    this.takeBack.hidden = !isLast;
    settle(this.actions);
  }

  source() {
    return this.page.messageSource(this.id);
  }

  async startEditing() {
    const source = await this.source();
    if (!source || this.element.querySelector(".editor")) return;
    const editor = messageEditor(source, {
      onSend: (message) => this.page.editMessage(this, message),
      onClose: () => {
        this.body.hidden = this.foot.hidden = false;
        this.edit.focus();
      },
    });
    this.body.hidden = this.foot.hidden = true;
    this.element.append(editor.element);
    editor.focus();
  }
}
