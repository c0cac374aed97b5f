// The words of what Gradio draws, put into the reader's language: the server renders them in
// English, beside their keys (app/ui/texts.py). And the choice of the language itself.

import { LANGUAGES, chooseLanguage, language, t } from "./texts.mjs";

const ATTRIBUTES = { "data-text-title": "title", "data-text-label": "aria-label" };

/** Writes the texts that elements in `root` name by their keys. */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-text]")) {
    element.textContent = t(element.dataset.text);
  }
  for (const [named, attribute] of Object.entries(ATTRIBUTES)) {
    for (const element of root.querySelectorAll(`[${named}]`)) {
      element.setAttribute(attribute, t(element.getAttribute(named)));
    }
  }
}

/** Makes a select the choice of the language. */
export function startLanguage(select) {
  select.replaceChildren(
    ...Object.entries(LANGUAGES).map(([name, { name: own, tag }]) => {
      const option = new Option(own, name, name === language, name === language);
      option.lang = tag;
      return option;
    }),
  );
  select.addEventListener("change", () => chooseLanguage(select.value));
}
