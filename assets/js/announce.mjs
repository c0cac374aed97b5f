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
  // While a dialog is open, nothing outside it is read out.
  const dialog = document.querySelector("dialog:modal");
  if (dialog && region.parentElement !== dialog) {
    dialog.append(region);
    dialog.addEventListener("close", () => document.body.append(region), { once: true });
  }
  region.textContent = text;
}
