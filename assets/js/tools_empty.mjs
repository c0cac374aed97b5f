// What the tools' panel shows while no tool is declared: what tools are, and sets to begin with.

import { el } from "./dom.mjs";
import { jsonTree, laidOut, nodeAt } from "./json_tree.mjs";
import { setup } from "./setup.mjs";
import { language, t } from "./texts.mjs";

const FOLDER = new URL("../tool_sets/", import.meta.url);

/** @param {() => void} taken  called when a set has become the chat's */
export function emptyTools(taken) {
  const sets = el("ul.tool-sets", { "aria-label": t("tools.sets") });
  read("index.json")
    .then((text) => sets.append(...JSON.parse(text).map((set) => card(set, taken))))
    .catch((error) => console.error(error));
  return el(
    "div.tools-empty",
    { "data-testid": "tools-empty" },
    el("p", {}, t("tools.empty")),
    sets,
  );
}

function card({ file, title, description, ...set }, taken) {
  const onclick = async () => {
    const text = await read(file);
    const tree = jsonTree(text);
    const part = (name) => laidOut(text, nodeAt(tree, [name]), name === "tools" ? "" : "  ");
    // Rules that were written already are not lost to a click.
    const rules = `{\n  "mocks": ${part("mocks")},\n  "results": ${part("results")}\n}`;
    const more = setup.values.rules.trim() ? {} : { rules };
    setup.set({ tools: part("tools"), off: [], ...more });
    taken();
  };
  const words = set[language] ?? {};
  return el(
    "li",
    {},
    el(
      "button.tool-set",
      { type: "button", onclick },
      el("span.tool-set-title", {}, words.title ?? title),
      el("span.tool-set-text", {}, words.description ?? description),
    ),
  );
}

async function read(name) {
  const response = await fetch(new URL(name, FOLDER));
  if (!response.ok) throw new Error(`The tool sets could not be loaded (${response.status}).`);
  return response.text();
}
