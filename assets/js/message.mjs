// A message that the reader sent: its text as typed, with what was attached.

import { copyButton } from "./copy.mjs";
import { el } from "./dom.mjs";
import { thumbnail } from "./media.mjs";

export function userMessage({ text, attachments }) {
  return el(
    "article.user",
    { "aria-label": "Your message", "data-testid": "user-message" },
    attachments.length > 0 && el("div.user-media", {}, ...attachments.map(thumbnail)),
    text ? el("div.user-text", { dir: "auto" }, text) : null,
    text ? el("div.user-actions", {}, copyButton("Copy message", () => text)) : null,
  );
}
