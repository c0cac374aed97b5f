// The panels at both sides, the chats and the settings: columns where there is room, drawers over
// the chat where there is none. At most one drawer is open.

import { recall, remember } from "./memory.mjs";
import { chooseTab } from "./panel_tabs.mjs";

class Panel {
  constructor(name, width) {
    this.name = name;
    this.room = window.matchMedia(`(min-width: ${width}px)`);
  }

  get element() {
    return document.querySelector(`#${this.name}`);
  }

  get toggle() {
    return document.querySelector(`#${this.name}-toggle`);
  }

  get isDrawer() {
    return !this.room.matches;
  }

  get isOpen() {
    return this.isDrawer ? drawer === this : !closed.has(this.name);
  }

  set(open) {
    if (this.isDrawer) {
      drawer = open ? this : null;
    } else {
      if (open) closed.delete(this.name);
      else closed.add(this.name);
      remember("closed", [...closed]);
    }
    show();
  }

  open(focus = null) {
    this.set(true);
    const target = focus ?? (this.isDrawer ? `#${this.name}-close` : null);
    if (target) document.querySelector(target)?.focus();
  }

  close() {
    this.set(false);
    this.toggle.focus();
  }
}

// The widths stand in frame.css as well.
const chats = new Panel("chats", 800);
const settings = new Panel("settings", 1200);
const panels = [chats, settings];

/** The columns that the reader has closed; head.js takes them up when the page opens. */
const closed = new Set(recall("closed") ?? []);
let drawer = null;

function show() {
  document.body.toggleAttribute("data-drawer", drawer !== null);
  document.querySelector("#tabs")?.toggleAttribute("inert", drawer !== null);
  for (const panel of panels) {
    document.body.dataset[panel.name] = panel.isOpen ? "open" : "closed";
    panel.toggle?.setAttribute("aria-expanded", String(panel.isOpen));
    const isCovered = drawer !== null && drawer !== panel;
    panel.element?.toggleAttribute("inert", !panel.isOpen || isCovered);
  }
}

/** Opens the settings, and moves to the control that a selector names. */
export function openSettings(focus = null) {
  chooseTab("settings");
  settings.open(focus);
}

/** Opens the tools beside the chat. */
export function openTools() {
  chooseTab("tools");
  settings.open("#tools-tab");
}

/** Opens the list of chats, and moves to what a selector names. */
export function openChats(focus = null) {
  chats.open(focus);
}

/** Gives the chat back the room that a drawer takes; whether there was one. */
export function leaveDrawer() {
  const wasOpen = drawer !== null;
  drawer = null;
  show();
  return wasOpen;
}

/** Ties the panels to their buttons; called once the header is there. */
export function startPanels() {
  for (const panel of panels) {
    panel.toggle.setAttribute("aria-controls", panel.name);
    panel.toggle.addEventListener("click", () => (panel.isOpen ? panel.close() : panel.open()));
    panel.room.addEventListener("change", () => {
      if (drawer === panel) drawer = null;
      show();
    });
  }
  document.addEventListener("click", ({ target }) => {
    const left = panels.find((panel) => target.closest(`#${panel.name}-close`));
    if (left) left.close();
    else if (drawer && target.matches("#body")) drawer.close();
  });
  // On the body, so before the message box hears it: Escape closes the drawer and stops nothing.
  document.body.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !drawer) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    drawer.close();
  });
  show();
}
