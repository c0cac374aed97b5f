// What is written and not yet sent: of each chat the draft in its message box, and the queue. This
// browser keeps it, an entry a chat, so that tabs with different chats do not overwrite each other.

import { chat } from "./chat.mjs";
import { recall, remember } from "./memory.mjs";

const PREFIX = "glm.drafts.";
const NOT_BEGUN = "new";
const MOST_CHATS = 50;
const MOST_CHARACTERS = 4_000_000; // browsers keep about 5 million in all

/**
 * @typedef {{text: string, media: object[], files: {name: string, text: string}[]}} Draft
 * @typedef {{held: boolean, items: object[]}} KeptQueue
 * @typedef {{draft?: Draft|null, queue?: KeptQueue|null}} Kept
 */

const storage = openStorage();
let place = placeOfChat();

chat.addEventListener("entered", () => {
  place = placeOfChat();
});
chat.addEventListener("message", () => {
  if (place === NOT_BEGUN) begin();
});

function openStorage() {
  try {
    return window.localStorage;
  } catch {
    return null; // refused, as in a frame of another site
  }
}

function placeOfChat() {
  return chat.isNew ? NOT_BEGUN : chat.id;
}

/** The chat that was not yet begun has an id now: what is kept for it moves there. */
function begin() {
  const { draft = null, queue = null } = kept();
  keep({ draft: null, queue: null });
  place = placeOfChat();
  keep({ draft, queue });
}

/** Where what belongs to the chat that is shown is kept. */
export function here() {
  return place;
}

/** The storage's name for a place, as events of the storage tell it. */
export function keyOf(at) {
  return PREFIX + at;
}

/** @returns {Kept} */
export function kept(at = place) {
  const text = storage?.getItem(keyOf(at));
  return (text ? JSON.parse(text) : recall(`drafts.${at}`)) ?? {};
}

/**
 * Keeps a draft or a queue; what is not named stays as it was kept.
 * @param {Kept} part
 * @returns {boolean} false where it is too long to be kept
 */
export function keep(part, at = place) {
  const { draft, queue } = { ...kept(at), ...part };
  const entry = { at: Date.now(), draft: draft ?? null, queue: queue ?? null };
  if (!entry.draft && !entry.queue) {
    forget(at);
    return true;
  }
  if (!storage) {
    remember(`drafts.${at}`, entry);
    return true;
  }
  return store(keyOf(at), JSON.stringify(entry));
}

/** Nothing is kept of a chat from now on. */
export function forget(at) {
  if (storage) storage.removeItem(keyOf(at));
  else remember(`drafts.${at}`, null);
}

function store(key, text) {
  if (text.length > MOST_CHARACTERS) return false;
  makeRoom(key, text.length);
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false; // something else of this site fills the storage
  }
}

/** Lets the oldest go until an entry of so many characters fits. */
function makeRoom(key, length) {
  const others = Object.keys(storage)
    .filter((name) => name.startsWith(PREFIX) && name !== key)
    .map((name) => ({ name, text: storage.getItem(name) }));
  let total = others.reduce((sum, { text }) => sum + text.length, length);
  if (total <= MOST_CHARACTERS && others.length < MOST_CHATS) return;
  const oldest = others
    .map((entry) => ({ ...entry, at: JSON.parse(entry.text).at }))
    .sort((a, b) => a.at - b.at);
  let left = oldest.length;
  for (const { name, text } of oldest) {
    if (total <= MOST_CHARACTERS && left < MOST_CHATS) return;
    storage.removeItem(name);
    total -= text.length;
    left -= 1;
  }
}
