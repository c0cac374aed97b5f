// A row of buttons that is one stop of the Tab key; arrows go from one to the next.

import { el } from "./dom.mjs";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/** A toolbar with a name. Call `settle` when its buttons have changed. */
export function toolbar(name, ...buttons) {
  const element = el("div.toolbar", { role: "toolbar", "aria-label": name }, ...buttons);
  element.addEventListener("keydown", (event) => pressed(event, element));
  element.addEventListener("focusin", ({ target }) => {
    if (reachable(element).includes(target)) stopAt(element, target);
  });
  settle(element);
  return element;
}

/** One of its buttons, and only one, is reached by Tab. */
export function settle(element) {
  const all = reachable(element);
  stopAt(element, all.find((button) => button.tabIndex === 0) ?? all[0]);
}

function stopAt(element, chosen) {
  for (const button of reachable(element)) button.tabIndex = button === chosen ? 0 : -1;
}

function reachable(element) {
  return [...element.querySelectorAll(":scope > button:not([hidden])")];
}

function pressed(event, element) {
  const all = reachable(element);
  const at = all.indexOf(event.target);
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const to = event.key === "Home" ? 0 : event.key === "End" ? -1 : STEPS[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const isStep = event.key in STEPS;
  all.at(isStep ? (at + to) % all.length : to).focus();
}
