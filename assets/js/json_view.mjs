// JSON as a person reads it: indented, its kinds of values told apart by colour.

import { el } from "./dom.mjs";
import { t } from "./texts.mjs";

const STEP = "  ";
const LONGEST = 4_000; // of a text; the rest of a longer one is drawn when it is asked for

/** @returns {DocumentFragment} */
export function jsonView(value) {
  const view = document.createDocumentFragment();
  write(view, value, "");
  return view;
}

function write(view, value, indent) {
  if (value === null || typeof value !== "object") return view.append(scalar(value));
  const isList = Array.isArray(value);
  const [before, after] = isList ? "[]" : "{}";
  const members = Object.entries(value);
  if (!members.length) return view.append(before + after);
  const inner = indent + STEP;
  view.append(before);
  members.forEach(([key, member], at) => {
    view.append(`${at ? "," : ""}\n${inner}`);
    if (!isList) view.append(el("span.json-key", {}, JSON.stringify(key)), ": ");
    write(view, member, inner);
  });
  view.append(`\n${indent}${after}`);
}

function scalar(value) {
  const text = JSON.stringify(value);
  if (typeof value !== "string") return el(`span.json-${typeof value}`, {}, text);
  return el("span.json-string", {}, ...(text.length > LONGEST ? folded(text) : [text]));
}

function folded(text) {
  const button = el(
    "button.button.json-more",
    {
      type: "button",
      onclick: () => {
        const whole = button.parentElement;
        whole.closest("[tabindex]")?.focus({ preventScroll: true });
        whole.textContent = text;
      },
    },
    t("inspect.request.whole", { figure: text.length }),
  );
  return [`${text.slice(0, LONGEST)}…`, button];
}
