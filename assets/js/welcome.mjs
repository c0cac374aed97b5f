// What an empty chat shows: what to do next, and examples of one click each.

import { el, icon } from "./dom.mjs";
import { loadExamples } from "./examples.mjs";

/** The welcome; `onExample` gets the one that was clicked. */
export function welcomeView(onExample) {
  const list = el("ul.examples", { "aria-label": "Examples" });
  const element = el(
    "section.welcome",
    { "data-testid": "welcome" },
    el("h2", {}, "What would you like to ask?"),
    el(
      "p",
      {},
      "Write a message below, attach a picture or a clip, or start with an example. " +
        "How long the model thinks is set under Settings.",
    ),
    list,
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
