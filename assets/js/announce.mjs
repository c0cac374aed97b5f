// What a screen reader is told: that the model thinks, answers, is done; never each token.

import { el } from "./dom.mjs";

const region = el("div.visually-hidden", {
  role: "status",
  "aria-live": "polite",
  "data-testid": "announcer",
});
document.body.append(region);

/** Has a sentence read out once what is being read has ended. */
export function announce(text) {
  region.textContent = text;
}
