// What can be done to a chat of the list: another title, a place at the top, a copy of it, its end.

import { pathOf } from "./address.mjs";
import { announce } from "./announce.mjs";
import { request, requestText } from "./api.mjs";
import { chat } from "./chat.mjs";
import { openDialog } from "./dialog.mjs";
import { save } from "./download.mjs";
import { el } from "./dom.mjs";
import { forget } from "./drafts.mjs";
import { t } from "./texts.mjs";

/**
 * Gives a chat another title; an empty one is its first message's again.
 * @throws {Refused}
 */
export async function rename(id, title) {
  await request(pathOf(id), { method: "PATCH", body: { title: title || null } });
  chat.changed(id);
}

/**
 * Puts a chat among those at the top of the list, or back among the others.
 * @throws {Refused}
 */
export async function pin(id, pinned) {
  await request(pathOf(id), { method: "PATCH", body: { pinned } });
  announce(pinned ? t("chats.pin.done") : t("chats.unpin.done"));
  chat.changed(id);
}

/**
 * Deletes a chat; where it is the one on the page, a new one takes its place.
 * @throws {Refused}
 */
export async function remove(id, title) {
  await request(pathOf(id), { method: "DELETE" });
  if (id === chat.id) chat.fresh({ isInHistory: true });
  forget(id); // after it was left, which keeps its draft
  announce(t("chats.delete.done", { title }));
  chat.changed(id);
}

/**
 * Saves a chat as a Markdown document.
 * @throws {Refused}
 */
export async function exportMarkdown(id, title) {
  const text = await requestText(`${pathOf(id)}/markdown`);
  const name = save(text, title, { ending: ".md", type: "text/markdown" });
  announce(t("chats.export.done", { name }));
}

/** Asks whether a chat is to be deleted, and says what that means; then calls `run`. */
export function confirmRemoval(title, run) {
  openDialog({
    heading: t("chats.delete.heading"),
    content: [el("p", {}, t("chats.delete.meaning", { title }))],
    buttons: [
      { text: t("dialog.cancel") },
      { text: t("chats.delete"), run, isGrave: true },
    ],
  });
}
