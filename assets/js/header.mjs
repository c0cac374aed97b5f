// The buttons of the header.

import { chat } from "./chat.mjs";
import { startPanel } from "./panel.mjs";
import { startTheme } from "./theme.mjs";

/** Called once by the Gradio component with the element that holds the header. */
export function mount(element) {
  startTheme(element.querySelector("#theme-toggle"));
  startPanel();
  element.querySelector("#new-chat").addEventListener("click", () => {
    chat.fresh();
    document.querySelector(".composer-text")?.focus();
  });
}
