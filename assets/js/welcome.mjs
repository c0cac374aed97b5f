// What an empty chat shows: what to do next, examples of one click each, and the way to what
// somebody else has asked.

import { chooseCases } from "./case_menu.mjs";
import { el, icon } from "./dom.mjs";
import { loadExamples } from "./examples.mjs";
import { t } from "./texts.mjs";

/** The welcome; `onExample` gets the one that was clicked. */
export function welcomeView(onExample) {
  const list = el("ul.examples", { "aria-label": t("welcome.examples") });
  const element = el(
    "section.welcome",
    { "data-testid": "welcome" },
    el("h2", {}, t("welcome.heading")),
    el(
      "p",
      {},
      t("welcome.text"),
    ),
    list,
    el(
      "button.button.welcome-case",
      { type: "button", title: t("welcome.case.meaning"), onclick: chooseCases },
      icon("case"),
      t("welcome.case"),
    ),
  );
  loadExamples()
    .then((examples) => list.append(...examples.map((example) => card(example, onExample))))
    .catch((error) => console.error(error));
  return element;
}

function card(example, onExample) {
  return el(
    "li",
    {},
    el(
      "button.example",
      { type: "button", "data-testid": "example", onclick: () => onExample(example) },
      icon(example.icon ?? "edit"),
      el("span.example-title", {}, example.title),
      el("span.example-text", {}, example.text),
    ),
  );
}
