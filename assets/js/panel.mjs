// The settings panel: beside the chat where there is room, a drawer over it where there is none.

const wide = window.matchMedia("(min-width: 1000px)");
const panel = () => document.querySelector("#settings");
const toggle = () => document.querySelector("#settings-toggle");
let opened = null; // what the reader has chosen; else it is open where there is room

function isOpen() {
  return opened ?? wide.matches;
}

function show() {
  const open = isOpen();
  document.body.dataset.settings = open ? "open" : "closed";
  toggle()?.setAttribute("aria-expanded", String(open));
  const drawn = panel();
  if (!drawn) return;
  const isDrawer = open && !wide.matches;
  drawn.inert = !open;
  document.querySelector("#tabs")?.toggleAttribute("inert", isDrawer);
}

function set(open, { focus = null } = {}) {
  opened = open;
  show();
  const target = focus ? document.querySelector(focus) : null;
  if (target) target.focus();
  else if (open && !wide.matches) document.querySelector("#settings-close")?.focus();
  else if (!open) toggle()?.focus();
}

/** Opens the panel, and moves to the control that a selector names. */
export function openSettings(focus = null) {
  set(true, { focus });
}

/** Ties the panel to its buttons; called once the header is there. */
export function startPanel() {
  toggle().setAttribute("aria-controls", "settings");
  toggle().addEventListener("click", () => set(!isOpen()));
  document.addEventListener("click", (event) => {
    const isDrawer = isOpen() && !wide.matches;
    if (event.target.closest("#settings-close")) set(false);
    else if (isDrawer && event.target.matches("#body")) set(false);
  });
  // Before the message box hears it: Escape closes the drawer and stops nothing.
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || wide.matches || !isOpen()) return;
      event.preventDefault();
      set(false);
    },
    true,
  );
  wide.addEventListener("change", () => {
    opened = null;
    show();
  });
  show();
}
