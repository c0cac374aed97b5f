// The ready-made sets of tools, files of this site: what they are, a card for each, what one holds.

import { unreachable } from "./api.mjs";
import { el } from "./dom.mjs";
import { jsonTree, laidOut, nodeAt } from "./json_tree.mjs";
import { language } from "./texts.mjs";

const FOLDER = new URL("../tool_sets/", import.meta.url);

/**
 * All sets, in their order.
 * @throws {import("./api.mjs").Refused}
 */
export async function listSets() {
  return JSON.parse(await read("index.json"));
}

/** The button of a set; `chosen` gets its file and the button. */
export function setCard({ file, title, description, ...set }, chosen, attributes = {}) {
  const words = set[language] ?? {};
  const button = el(
    "button.tool-set",
    { type: "button", ...attributes, onclick: () => chosen(file, button) },
    el("span.tool-set-title", {}, words.title ?? title),
    el("span.tool-set-text", {}, words.description ?? description),
  );
  return button;
}

/**
 * What a set holds: its tools and its rules as texts, and its values.
 * @throws {import("./api.mjs").Refused}
 */
export async function readSet(file) {
  const text = await read(file);
  const tree = jsonTree(text);
  const part = (name, indent) => laidOut(text, nodeAt(tree, [name]), indent);
  const { mocks, results } = JSON.parse(text);
  const rules = `{\n  "mocks": ${part("mocks", "  ")},\n  "results": ${part("results", "  ")}\n}`;
  return { tools: part("tools", ""), rules, mocks, results };
}

async function read(name) {
  const response = await fetch(new URL(name, FOLDER)).catch(() => null);
  if (!response?.ok) throw unreachable();
  return response.text();
}
