// Light or dark: the system's choice until the reader makes one, which this browser keeps.

import { changeIcon } from "./dom.mjs";

function isDark() {
  return document.body.classList.contains("dark");
}

function kept() {
  try {
    return localStorage.getItem("glm.theme");
  } catch {
    return null; // nothing is kept here: the system's theme it is
  }
}

function keep(theme) {
  try {
    localStorage.setItem("glm.theme", theme);
  } catch {
    // Nothing is kept here: it lasts until the page is left.
  }
}

function show(button) {
  button.setAttribute("aria-pressed", String(isDark()));
  button.title = isDark() ? "Light theme" : "Dark theme";
  changeIcon(button.querySelector(".icon"), isDark() ? "sun" : "moon");
}

/** Makes `button` switch the theme. */
export function startTheme(button) {
  // Gradio has set the theme of the address, or of the system, long before this runs.
  const chosen = kept();
  if (chosen && !new URL(location.href).searchParams.has("__theme")) {
    document.body.classList.toggle("dark", chosen === "dark");
  }
  button.addEventListener("click", () => {
    document.body.classList.toggle("dark");
    keep(isDark() ? "dark" : "light");
  });
  new MutationObserver(() => show(button)).observe(document.body, { attributeFilter: ["class"] });
  show(button);
}
