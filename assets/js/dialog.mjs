// A small dialog: a heading, what is said, and the buttons. Escape closes it.

import { el, freshId } from "./dom.mjs";

/**
 * Opens it, and gives it; the focus goes to the first button, or where `autofocus` stands, and back at the end.
 * @param {{heading: string, content: Node[], buttons: {text: string, run?: () => void,
 *   isGrave?: boolean}[]}} dialog  each button closes it
 */
export function openDialog({ heading, content, buttons }) {
  const id = freshId("dialog");
  const dialog = el(
    "dialog.dialog",
    { "aria-labelledby": id, onclick: ({ target }) => target === dialog && dialog.close() },
    el(
      "div.dialog-body",
      {},
      el("h2", { id }, heading),
      ...content,
      el("div.dialog-buttons", {}, ...buttons.map((button) => drawn(button, () => dialog.close()))),
    ),
  );
  showDialog(dialog);
  return dialog;
}

/**
 * Asks a question of two answers; resolves to whether it was answered with yes.
 * @param {{heading: string, content: Node[], yes: string, no: string}} question
 * @returns {Promise<boolean>}
 */
export function showQuestion({ heading, content, yes, no }) {
  return new Promise((resolve) => {
    let isYes = false;
    const dialog = openDialog({
      heading,
      content,
      buttons: [{ text: no }, { text: yes, run: () => (isYes = true) }],
    });
    dialog.addEventListener("close", () => setTimeout(() => resolve(isYes)));
  });
}

/** Shows an element of this kind over the page; it goes when it is closed. */
export function showDialog(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.querySelector(".gradio-container").append(dialog);
  dialog.showModal();
}

function drawn({ text, run = () => {}, isGrave = false }, close) {
  const kind = isGrave ? "button.button.dialog-button.is-grave" : "button.button.dialog-button";
  const onclick = () => {
    close();
    run();
  };
  return el(kind, { type: "button", onclick }, text);
}
