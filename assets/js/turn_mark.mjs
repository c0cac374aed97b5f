// What marks an answer that no model was asked for here: recorded, or being replayed.

import { el, icon } from "./dom.mjs";
import { t } from "./texts.mjs";

/** @param {"recorded"|"replaying"} kind */
export function turnMark(kind) {
  return el(
    "p.turn-mark",
    { "data-testid": "turn-mark", "data-kind": kind, title: t(`mark.${kind}.meaning`) },
    icon("recorded"),
    t(`mark.${kind}`),
  );
}
