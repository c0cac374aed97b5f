// The chat in the page's address: a link leads to it, and Back to the one before.

/** A random id; crypto.randomUUID is missing where the page is not served over https. */
export function freshChatId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Where the turn API has a chat. */
export function pathOf(id) {
  return `chats/${encodeURIComponent(id)}`;
}

/** The chat that the page's address names, or null. */
export function addressed() {
  return new URLSearchParams(location.hash.slice(1)).get("chat");
}

/** Names a chat in the address; `isStep`: Back leads to what it named before. */
export function nameInAddress(id, { isStep }) {
  const named = `#chat=${id}`;
  if (isStep) history.pushState(null, "", named);
  else if (addressed() !== id) history.replaceState(null, "", named);
}

/** Names no chat any more. */
export function clearAddress({ isStep }) {
  const plain = location.pathname + location.search;
  if (isStep && location.hash) history.pushState(null, "", plain);
  else if (addressed()) history.replaceState(null, "", plain);
}
