// What this tab remembers over a reload. Where the browser refuses storage (a frame of another
// site), it lasts as long as the page, and over a reload that the page makes itself.

const fallback = new Map(carried());

function carried() {
  if (!history.state?.carried) return [];
  window.glmOwner(); // takes its part first
  const { carried: { values }, ...state } = history.state;
  history.replaceState(state, "");
  return values;
}

/** Hands on what is kept nowhere else: to be called right before the page reloads itself. */
export function carryOver() {
  window.dispatchEvent(new Event("pagehide")); // who keeps things at the last moment does it now
  const owner = window.glmOwner();
  const isKept = window.glmOwner.kept !== "memory";
  if (fallback.size === 0 && isKept) return;
  const handed = { values: [...fallback], owner: isKept ? null : owner };
  history.replaceState({ ...history.state, carried: handed }, "");
}

/** Keeps a JSON value under a name; null forgets it. */
export function remember(name, value) {
  const text = value === null ? null : JSON.stringify(value);
  try {
    if (text === null) sessionStorage.removeItem(`glm.${name}`);
    else sessionStorage.setItem(`glm.${name}`, text);
    fallback.delete(name);
  } catch {
    fallback.set(name, text);
  }
}

/** The value kept under a name, or null. */
export function recall(name) {
  let text = fallback.get(name) ?? null;
  try {
    text ??= sessionStorage.getItem(`glm.${name}`);
    return text === null ? null : JSON.parse(text);
  } catch {
    return text === null ? null : JSON.parse(text);
  }
}
