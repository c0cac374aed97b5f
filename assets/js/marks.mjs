// Marks in a text what a search has found in it.

import { el, setText } from "./dom.mjs";

/** Writes a text into an element, each of the search's words marked in it. */
export function mark(element, text, search) {
  const words = search.split(/\s+/).filter(Boolean);
  if (!words.length) {
    if (element.firstElementChild) element.replaceChildren(text);
    else setText(element, text);
    return;
  }
  const longestFirst = words.sort((one, other) => other.length - one.length);
  // "u" folds letters as the server does: one for one.
  const found = new RegExp(`(${longestFirst.map(escaped).join("|")})`, "giu");
  const pieces = text.split(found); // what was found stands at each odd place
  element.replaceChildren(
    ...pieces.map((piece, at) => (at % 2 ? el("mark", {}, piece) : piece)).filter(Boolean),
  );
}

function escaped(word) {
  return word.replace(/[\^$\\.*+?()[\]{}|/-]/g, (sign) => (sign === "-" ? "\\x2d" : `\\${sign}`));
}
