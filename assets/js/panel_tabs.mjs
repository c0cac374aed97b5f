// The two tabs of the panel at the end of the page: the settings, and the tools of the chat. Gradio
// draws the panels; which of them is seen stands at the body, where the stylesheet finds it.

import { recall, remember } from "./memory.mjs";

const NAMES = ["settings", "tools"];
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

let chosen = recall("panel") ?? "settings";

/** Shows one of the panels. */
export function chooseTab(name) {
  chosen = name;
  remember("panel", name === "settings" ? null : name);
  show();
}

function show() {
  document.body.dataset.panel = chosen;
  for (const name of NAMES) {
    const tab = tabOf(name);
    tab?.setAttribute("aria-selected", String(name === chosen));
    if (tab) tab.tabIndex = name === chosen ? 0 : -1;
  }
}

function tabOf(name) {
  return document.querySelector(`#${name}-tab`);
}

/** Ties the tabs to what they show; called once both are on the page. */
export function startTabs() {
  for (const [at, name] of NAMES.entries()) {
    const tab = tabOf(name);
    const panel = document.querySelector(`#${name}-body`);
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => chooseTab(name));
    tab.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const next = NAMES.at((at + step) % NAMES.length);
      chooseTab(next);
      tabOf(next).focus();
    });
  }
  show();
}
