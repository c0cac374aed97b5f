// A message of the reader that is worded anew in its place: its text, and what goes with it, of
// which anything can be taken away.

import { el, iconButton } from "./dom.mjs";
import { Files } from "./files.mjs";
import { mediaLine } from "./format.mjs";
import { preview } from "./media.mjs";
import { TextEditor } from "./text_editor.mjs";
import { t } from "./texts.mjs";

/**
 * The editor of a message.
 * @param {{text: string, attachments: object[], files: {name: string, text: string}[]}} source
 * @param {{onSend: (message: {text: string, attachments: string[], files: object[]}) =>
 *   Promise<boolean>, onClose: () => void}} page
 */
export function messageEditor(source, { onSend, onClose }) {
  let editor = null; // made last, and told of changes before
  let attachments = source.attachments;
  const changed = () => editor?.changed();
  const files = new Files({ changed });
  files.set(source.files);
  const media = el(
    "ul.editor-media",
    { "aria-label": t("editor.attached"), hidden: attachments.length === 0 },
    ...attachments.map((attachment) =>
      chip(attachment, (element) => {
        attachments = attachments.filter((each) => each !== attachment);
        const next = element.nextElementSibling ?? element.previousElementSibling;
        element.remove();
        media.hidden = attachments.length === 0;
        changed();
        (next?.querySelector("button") ?? editor.area).focus();
      }),
    ),
  );
  editor = new TextEditor({
    name: t("editor.message"),
    text: source.text,
    send: t("composer.send"),
    isEnterSending: true,
    extras: [media, files.element],
    isEmpty: () => attachments.length === 0 && files.isEmpty,
    onSend: (text) =>
      onSend({ text, attachments: attachments.map(({ hash }) => hash), files: files.files }),
    onClose,
  });
  return editor;
}

function chip(media, remove) {
  const name = media.name || t(`media.unnamed.${media.kind}`);
  const element = el(
    "li.editor-chip",
    { title: mediaLine(media), "data-testid": "editor-chip" },
    el("span.editor-picture", {}, preview(media.kind, media.url)),
    el("span.editor-name", { dir: "auto" }, name),
    iconButton("close", t("attachments.remove", { name }), () => remove(element)),
  );
  return element;
}
