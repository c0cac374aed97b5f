// A text of the reader as typed; a long one shows its beginning until all of it is asked for, so
// that a pasted book costs nothing and hides nothing of the conversation.

import { el } from "./dom.mjs";
import { t } from "./texts.mjs";

const LINES = 12;
const LINE_CHARACTERS = 70; // about as many stand in a line of a message
const FEW = 4; // so many lines more are not worth a click

/** Where the part that is shown ends; null where all of it is. */
export function foldAt(text) {
  let lines = 0;
  let at = 0;
  let fold = null;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const length = (end < 0 ? text.length : end) - at;
    const taken = Math.max(1, Math.ceil(length / LINE_CHARACTERS));
    if (fold === null && lines + taken > LINES) {
      fold = lines === LINES ? at - 1 : at + (LINES - lines) * LINE_CHARACTERS;
    }
    lines += taken;
    if (lines > LINES + FEW) return isInPair(text, fold) ? fold + 1 : fold;
    at += length + 1;
  }
  return null;
}

/** A character outside the basic plane is two units, not to be torn apart. */
function isInPair(text, at) {
  return /[\udc00-\udfff]/.test(text[at] ?? "");
}

/** The element of a text; a long one is folded. */
export function foldedText(text) {
  const shown = el("div.user-text", { dir: "auto" }, text);
  const fold = foldAt(text);
  if (fold === null) return shown;
  const button = el("button.button.fold", {
    type: "button",
    onclick: () => set(button.getAttribute("aria-expanded") !== "true"),
  });
  const words = document.createTextNode("");
  const set = (isOpen) => {
    words.data = isOpen ? text : text.slice(0, fold);
    shown.classList.toggle("is-folded", !isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
    button.textContent = t(isOpen ? "message.fold" : "message.unfold");
  };
  shown.replaceChildren(words);
  set(false);
  return el("div.user-long", {}, shown, button);
}
