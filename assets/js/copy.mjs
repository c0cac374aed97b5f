// Copying text, and the button that does it and says so.

import { announce } from "./announce.mjs";
import { changeIcon, el, icon, iconButton } from "./dom.mjs";
import { t } from "./texts.mjs";

const SHOWN_MS = 1_600;

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text); // not served over https, or in a frame that may not
  }
}

function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  const focused = document.activeElement;
  (focused?.closest("dialog") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  focused?.focus();
}

/** A button that copies what `read()` gives, or promises. */
export function copyButton(label, read) {
  return copying(iconButton("copy", label, null), label, read);
}

/** The same with its label written beside the icon. */
export function copyTextButton(label, read) {
  const attributes = { type: "button", title: label };
  return copying(el("button.button.bordered", attributes, icon("copy"), label), label, read);
}

function copying(button, label, read) {
  let timer = 0;
  const show = (name, said) => {
    changeIcon(button.firstChild, name);
    button.title = said;
    clearTimeout(timer);
    timer = setTimeout(() => {
      changeIcon(button.firstChild, "copy");
      button.title = label;
    }, SHOWN_MS);
    announce(said);
  };
  button.addEventListener("click", async () => {
    try {
      await copy(await read());
      show("check", t("copy.done"));
    } catch {
      show("warning", t("copy.failed"));
    }
  });
  return button;
}
