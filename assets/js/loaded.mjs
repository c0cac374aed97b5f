// A place whose content comes from the server: it says that it loads, or why it could not.

import { Refused } from "./api.mjs";
import { el, icon } from "./dom.mjs";
import { t } from "./texts.mjs";

/**
 * Fills an element with what `draw` makes of what `load` promises. What is refused is said in its
 * place, with a way to try again.
 * @template T
 * @param {HTMLElement} place
 * @param {() => Promise<T>} load
 * @param {(loaded: T) => Node[]} draw
 */
export async function fill(place, load, draw) {
  place.replaceChildren(el("p.loading", { role: "status" }, t("loaded.loading")));
  let loaded;
  try {
    loaded = await load();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    place.replaceChildren(refused(error, () => again(place, load, draw)));
    return;
  }
  place.replaceChildren(...draw(loaded));
}

/** The button that was pressed goes: the focus stays near. */
function again(place, load, draw) {
  place.closest("[tabindex], dialog")?.focus();
  fill(place, load, draw);
}

function refused({ sentence }, onclick) {
  return el(
    "div.not-loaded",
    { role: "alert" },
    el("p", {}, sentence),
    el("button.button.bordered", { type: "button", onclick }, icon("retry"), t("loaded.again")),
  );
}
