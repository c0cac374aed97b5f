// What this tab remembers over a reload. Where the browser refuses storage (a frame of another
// site), it lasts as long as the page.

const fallback = new Map();

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
