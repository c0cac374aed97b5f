// The link that brings this browser's chats into another one, and what is to be said about whose
// chats the page shows. head.js takes such a link when the page opens with it.

import { copyButton } from "./copy.mjs";
import { openDialog } from "./dialog.mjs";
import { el, icon, iconButton } from "./dom.mjs";
import { recall, remember } from "./memory.mjs";
import { t } from "./texts.mjs";

/** The page's own address, without what else it may hold, and the owner that it is opened with. */
function recoveryLink() {
  return `${location.origin}${location.pathname}#owner=${window.glmOwner()}`;
}

/** Shows the link, and says what it does. */
export function openRecovery() {
  const { before } = window.glmOwner;
  const field = el("input.recovery-link", {
    type: "text",
    readonly: true,
    dir: "ltr",
    value: recoveryLink(),
    "aria-label": t("recovery.field"),
    autofocus: true,
    onfocus: () => field.select(),
  });
  const copy = copyButton(t("recovery.copy"), () => field.value);
  openDialog({
    heading: t("recovery.heading"),
    content: [
      el("p", {}, t("recovery.meaning")),
      el("div.recovery-row", {}, field, copy),
      before && el("p", {}, t("recovery.linked"), " ", back()),
    ].filter(Boolean),
    buttons: [{ text: t("dialog.close") }],
  });
}

/** The button that opens it. */
export function recoveryButton() {
  return el(
    "button.button.chats-recovery",
    { type: "button", onclick: openRecovery },
    icon("link"),
    t("recovery.open"),
  );
}

function back() {
  return el(
    "button.link",
    { type: "button", onclick: () => window.glmOwner.goBack() },
    t("recovery.back"),
  );
}

/** What the reader must know of whose chats these are, as notes above the list; often none. */
export function ownerNotes() {
  const { kept, link, before } = window.glmOwner;
  const notes = [];
  if (link === "wrong") notes.push(note("wrong", t("recovery.wrong"), null));
  if (before && recall("linkNoted") !== before) {
    notes.push(note("linked", t("recovery.linked"), back(), () => remember("linkNoted", before)));
  }
  if (kept === "memory") {
    const keep = el("button.link", { type: "button", onclick: openRecovery }, t("recovery.keep"));
    notes.push(note("memory", t("recovery.memory"), keep));
  }
  return notes;
}

function note(name, sentence, button, onClose = null) {
  const element = el(
    "div.chats-note",
    { "data-testid": `note-${name}`, role: name === "wrong" ? "alert" : null },
    el("p", {}, sentence, button && " ", button),
  );
  if (onClose) {
    const close = iconButton("close", t("recovery.close"), () => {
      onClose();
      element.remove();
      document.querySelector("#chats-search")?.focus();
    });
    element.append(close);
  }
  return element;
}
