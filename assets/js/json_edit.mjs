// Changes to a JSON text that leave all else as it was written. Each gives the new text, or null
// where the text is no JSON or has no such place.

import { jsonTree, nodeAt } from "./json_tree.mjs";

/** Puts a value where steps lead to; a key that its object does not have yet becomes its last. */
export function replaceAt(text, steps, value) {
  const root = jsonTree(text);
  if (!root) return null;
  const node = nodeAt(root, steps);
  if (node) return spliced(text, node.start, node.end, written(text, node.start, value));
  const key = steps.at(-1);
  const parent = nodeAt(root, steps.slice(0, -1));
  if (parent?.kind !== "object" || typeof key !== "string") return null;
  return inserted(text, parent, parent.members.length, (at) => {
    return `${JSON.stringify(key)}: ${written(text, at, value)}`;
  });
}

/** Takes out the member or the item that steps lead to. */
export function removeAt(text, steps) {
  const root = jsonTree(text);
  const parent = root && nodeAt(root, steps.slice(0, -1));
  if (!parent) return null;
  const all = partsOf(parent);
  const step = steps.at(-1);
  const at = parent.items ? step : parent.members?.findIndex(({ key }) => key === step);
  if (at === undefined || at < 0 || at >= all.length) return null;
  if (all.length === 1) return spliced(text, parent.start + 1, parent.end - 1, "");
  // With the comma after it, or, of the last one, the comma before it.
  const isLast = at === all.length - 1;
  return isLast
    ? spliced(text, all[at - 1].end, all[at].end, "")
    : spliced(text, all[at].start, all[at + 1].start, "");
}

/** Gives the member that steps lead to another key, in its place. */
export function renameAt(text, steps, key) {
  const root = jsonTree(text);
  const parent = root && nodeAt(root, steps.slice(0, -1));
  const member = parent?.members?.find((each) => each.key === steps.at(-1));
  if (!member || parent.members.some((each) => each.key === key)) return null;
  const colon = text.slice(member.start).match(/"(?:[^"\\]|\\.)*"/)[0].length;
  return spliced(text, member.start, member.start + colon, JSON.stringify(key));
}

/** Puts values at the beginning of the array that steps lead to; a blank text becomes an array. */
export function insertFirst(text, steps, values) {
  return insertAll(text, steps, values, () => 0);
}

/** Puts values at the end of it. */
export function insertLast(text, steps, values) {
  return insertAll(text, steps, values, ({ items }) => items.length);
}

function insertAll(text, steps, values, place) {
  if (!text.trim()) return steps.length ? null : JSON.stringify(values, null, 2);
  const root = jsonTree(text);
  if (!root) return null;
  const array = nodeAt(root, steps);
  if (!array) return replaceAt(text, steps, values);
  if (array.kind !== "array") return null;
  return inserted(text, array, place(array), (at) => {
    return values.map((value) => written(text, at, value)).join(`,\n${" ".repeat(at.column)}`);
  });
}

/**
 * Puts one part into an object or array, laid out as its other parts are. `write` gets the column
 * at which the part will stand.
 */
function inserted(text, parent, at, write) {
  const parts = partsOf(parent);
  if (!parts.length) {
    const column = indentOf(text, parent.start);
    const part = write({ column: column + 2 });
    const inner = `\n${" ".repeat(column + 2)}${part}\n${" ".repeat(column)}`;
    return spliced(text, parent.start + 1, parent.end - 1, inner);
  }
  const near = parts[Math.min(at, parts.length - 1)];
  const isOnOneLine = !text.slice(parent.start, near.start).includes("\n");
  const column = isOnOneLine ? indentOf(text, parent.start) : columnOf(text, near.start);
  const part = write({ column });
  const gap = isOnOneLine ? " " : `\n${" ".repeat(column)}`;
  if (at === parts.length) return spliced(text, near.end, near.end, `,${gap}${part}`);
  return spliced(text, near.start, near.start, `${part},${gap}`);
}

function partsOf({ members, items }) {
  if (items) return items;
  return members?.map(({ start, value }) => ({ start, end: value.end })) ?? [];
}

/** A value as JSON, indented as far as the place where it will stand. */
function written(text, place, value) {
  const column = typeof place === "number" ? indentOf(text, place) : place.column;
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(column)}`);
}

function columnOf(text, offset) {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

/** How far in the line of an offset begins. */
function indentOf(text, offset) {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return text.slice(start).match(/^ */)[0].length;
}

function spliced(text, start, end, part) {
  return text.slice(0, start) + part + text.slice(end);
}
