// The search above the list of chats: what was typed is looked for once the reader pauses.

import { el, icon, iconButton } from "./dom.mjs";
import { KEYS } from "./shortcuts.mjs";
import { t } from "./texts.mjs";

const PAUSE_MS = 200;
const MOST_CHARACTERS = 200; // that the server looks for

/** The box; `search(words)` is called when they have changed, `leave()` when it is left empty. */
export function searchBox({ search, leave, toLines }) {
  let timer = 0;
  let sought = "";
  const look = () => {
    clearTimeout(timer);
    clear.hidden = field.value === "";
    const words = field.value.trim();
    if (words === sought) return;
    sought = words;
    search(words);
  };
  const empty = () => {
    field.value = "";
    look();
    field.focus();
  };
  const field = el("input", {
    id: "chats-search",
    type: "search",
    dir: "auto",
    autocomplete: "off",
    spellcheck: "false",
    enterkeyhint: "search",
    maxlength: MOST_CHARACTERS,
    placeholder: t("chats.search"),
    "aria-label": t("chats.search"),
    "aria-keyshortcuts": "Control+K Meta+K",
    title: t("chats.keys", { what: t("chats.search"), keys: KEYS.search }),
    oninput: () => {
      clear.hidden = field.value === "";
      clearTimeout(timer);
      timer = setTimeout(look, PAUSE_MS);
    },
    onkeydown: (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") look();
      else if (event.key === "ArrowDown") toLines();
      else if (event.key === "Escape" && field.value !== "") empty();
      else if (event.key === "Escape") leave();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  });
  const clear = iconButton("close", t("chats.search.clear"), empty, { hidden: true });
  return el("div.chats-search", { role: "search" }, icon("search"), field, clear);
}
