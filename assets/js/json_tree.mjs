// Where the values of a JSON text stand in it, so that one can be changed and the rest stays as it
// was written: key order, spaces, figures.

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const DEEPEST = 200;

/**
 * A value: from `start` up to `end` in the text. `members` of an object, `items` of an array.
 * @typedef {{kind: "object"|"array"|"scalar", start: number, end: number,
 *   members?: {key: string, start: number, value: JsonNode}[], items?: JsonNode[]}} JsonNode
 */

class NotJson extends Error {}

/**
 * The tree of a text, or null where it is no JSON.
 * @returns {JsonNode|null}
 */
export function jsonTree(text) {
  try {
    const reader = new Reader(text);
    const root = reader.value(0);
    reader.skip();
    return reader.at === text.length ? root : null;
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

/** What steps (keys and positions) lead to; null where that is nothing. */
export function nodeAt(root, steps) {
  return steps.reduce((node, step) => {
    if (typeof step === "number") return node?.items?.[step] ?? null;
    return node?.members?.find(({ key }) => key === step)?.value ?? null;
  }, root);
}

/** The value of a node. */
export function valueOf(text, node) {
  return JSON.parse(text.slice(node.start, node.end));
}

/** The text with each value on a line of its own, its figures and escapes as they are. */
export function laidOut(text, node, indent = "") {
  const inner = `${indent}  `;
  if (node.kind === "object" && node.members.length) {
    const lines = node.members.map(({ start, value }) => {
      const key = text.slice(start, stringEnd(text, start));
      return `${inner}${key}: ${laidOut(text, value, inner)}`;
    });
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  if (node.kind === "array" && node.items.length) {
    if (node.items.every(({ kind }) => kind === "scalar")) {
      const short = `[${node.items.map(({ start, end }) => text.slice(start, end)).join(", ")}]`;
      if (indent.length + short.length <= 80) return short;
    }
    const lines = node.items.map((item) => inner + laidOut(text, item, inner));
    return `[\n${lines.join(",\n")}\n${indent}]`;
  }
  if (node.kind === "scalar") return text.slice(node.start, node.end);
  return node.kind === "object" ? "{}" : "[]";
}

function stringEnd(text, start) {
  STRING.lastIndex = start;
  STRING.test(text);
  return STRING.lastIndex;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  skip() {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  /** Moves on over what a pattern takes here. */
  take(pattern) {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) throw new NotJson();
    this.at = pattern.lastIndex;
  }

  /** Whether a mark stands here; moves on over it. */
  has(mark) {
    this.skip();
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }

  value(depth) {
    if (depth > DEEPEST) throw new NotJson();
    this.skip();
    const start = this.at;
    if (this.has("{")) return { kind: "object", start, members: this.members(depth), end: this.at };
    if (this.has("[")) return { kind: "array", start, items: this.items(depth), end: this.at };
    this.take(this.text[start] === '"' ? STRING : SCALAR);
    return { kind: "scalar", start, end: this.at };
  }

  members(depth) {
    return this.list("}", () => {
      this.skip();
      const start = this.at;
      this.take(STRING);
      const key = JSON.parse(this.text.slice(start, this.at));
      if (!this.has(":")) throw new NotJson();
      return { key, start, value: this.value(depth + 1) };
    });
  }

  items(depth) {
    return this.list("]", () => this.value(depth + 1));
  }

  list(closing, read) {
    const found = [];
    if (this.has(closing)) return found;
    do found.push(read());
    while (this.has(","));
    if (!this.has(closing)) throw new NotJson();
    return found;
  }
}
