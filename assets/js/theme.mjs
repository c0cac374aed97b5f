// Light or dark: the system's choice until the reader makes one, which this browser keeps (head.js
// takes it up when the page opens).

import { changeIcon } from "./dom.mjs";
import { t } from "./texts.mjs";

let chosen = null;

function isDark() {
  return document.body.classList.contains("dark");
}

function choose(theme) {
  chosen = theme;
  document.body.classList.toggle("dark", theme === "dark");
  try {
    localStorage.setItem("glm.theme", theme);
  } catch {
    // Nothing is kept here: it lasts until the page is left.
  }
}

function show(button) {
  // Gradio follows the system when that changes; a choice stays.
  if (chosen && isDark() !== (chosen === "dark")) choose(chosen);
  button.setAttribute("aria-pressed", String(isDark()));
  button.title = isDark() ? t("header.light") : t("header.dark");
  changeIcon(button.querySelector(".icon"), isDark() ? "sun" : "moon");
}

/** Makes `button` switch the theme. */
export function startTheme(button) {
  button.addEventListener("click", () => choose(isDark() ? "light" : "dark"));
  new MutationObserver(() => show(button)).observe(document.body, { attributeFilter: ["class"] });
  show(button);
}
