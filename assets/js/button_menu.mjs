// A button that opens a small menu. The menu lies above everything else, where nothing cuts it off.

import { el, freshId, icon } from "./dom.mjs";

const GAP_PX = 4;

/**
 * @typedef {{label: string, icon?: string, checked?: boolean, choose: () => void}} MenuItem
 *   `checked` makes it one of a set, of which one is chosen; an item of null is a line between two
 */

/**
 * Makes a button open a menu, and gives the menu's element, to be placed beside the button.
 * @param {HTMLButtonElement} button
 * @param {() => (MenuItem|null)[]} items  asked each time when it opens
 */
export function addMenu(button, items) {
  const id = freshId("menu");
  const name = button.getAttribute("aria-label") ?? button.textContent;
  const menu = el("div.popup", { id, role: "menu", "aria-label": name, popover: "auto" });
  for (const [attribute, value] of Object.entries({ haspopup: "menu", expanded: "false", controls: id })) {
    button.setAttribute(`aria-${attribute}`, value);
  }
  // A click outside closes the menu before the click is heard: then it must not open it again.
  let wasOpen = false;
  button.addEventListener("pointerdown", () => (wasOpen = menu.matches(":popover-open")));
  button.addEventListener("click", () => {
    if (!wasOpen) open(button, menu, items());
    wasOpen = false;
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    open(button, menu, items());
  });
  menu.addEventListener("toggle", ({ newState }) => {
    button.setAttribute("aria-expanded", String(newState === "open"));
  });
  menu.addEventListener("keydown", (event) => pressed(event, button, menu));
  return menu;
}

function open(button, menu, items) {
  menu.replaceChildren(...items.map((item) => row(item, menu)));
  menu.showPopover();
  place(button, menu);
  rows(menu)[0]?.focus();
  // It goes with its button where the page scrolls, as it does while an answer comes; once the
  // button is out of sight, so is what it opened.
  const follow = () => place(button, menu);
  const seen = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting || menu.hidePopover());
  seen.observe(button);
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  window.addEventListener("resize", follow);
  menu.addEventListener("beforetoggle", () => {
    seen.disconnect();
    document.removeEventListener("scroll", follow, { capture: true });
    window.removeEventListener("resize", follow);
  }, { once: true });
}

function rows(menu) {
  return [...menu.querySelectorAll("button")];
}

function row(item, menu) {
  if (item === null) return el("div.popup-line", { role: "separator" });
  const { label, checked, choose } = item;
  const isOneOfSet = checked !== undefined;
  return el(
    "button.popup-item",
    {
      type: "button",
      role: isOneOfSet ? "menuitemradio" : "menuitem",
      "aria-checked": isOneOfSet ? String(checked) : null,
      tabindex: "-1",
      onclick: () => {
        menu.hidePopover();
        choose();
      },
    },
    item.icon || checked ? icon(item.icon ?? "check") : el("span.icon-place"),
    el("span", {}, label),
  );
}

/** Under the button, or above it where there is no room; never beyond the window. */
function place(button, menu) {
  const at = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isLeftToRight = getComputedStyle(button).direction === "ltr";
  const start = isLeftToRight ? at.left : at.right - width;
  const left = Math.max(GAP_PX, Math.min(start, window.innerWidth - width - GAP_PX));
  const isRoom = at.bottom + GAP_PX + height <= window.innerHeight;
  const top = isRoom ? at.bottom + GAP_PX : Math.max(GAP_PX, at.top - GAP_PX - height);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}

function pressed(event, button, menu) {
  const all = rows(menu);
  const at = all.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 };
  if (event.key in next) {
    event.preventDefault();
    all[next[event.key] % all.length].focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    // Nothing else is to be ended by this Escape; Tab goes on from the button.
    if (event.key === "Escape") event.preventDefault();
    event.stopPropagation();
    menu.hidePopover();
    button.focus();
  }
}
