// The keys that work everywhere on the page, and what they do.

import { chat } from "./chat.mjs";
import { leaveDrawer, openChats } from "./panel.mjs";

const isMac = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform);

/** The keys as a reader knows them, for tooltips. */
export const KEYS = isMac
  ? { newChat: "⇧⌘O", search: "⌘K" }
  : { newChat: "Ctrl+Shift+O", search: "Ctrl+K" };

/** Leaves the chat for a new one, whose message can be written at once. */
export function newChat() {
  leaveDrawer();
  chat.fresh();
  document.querySelector(".composer-text")?.focus();
}

/** Listens to the keys; called once. */
export function startShortcuts() {
  document.addEventListener("keydown", (event) => {
    const isOurs = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (!isOurs || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key === "k" && !event.shiftKey) openChats("#chats-search");
    else if (key === "o" && event.shiftKey) newChat();
    else return;
    event.preventDefault();
  });
}
