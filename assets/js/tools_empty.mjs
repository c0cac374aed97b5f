// What the tools' panel shows while no tool is declared: what tools are, and sets to begin with.

import { Refused } from "./api.mjs";
import { el } from "./dom.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";
import { listSets, readSet, setCard } from "./tool_sets.mjs";
import { Trouble } from "./tools_incoming.mjs";

/** @param {() => void} taken  called when a set has become the chat's */
export function emptyTools(taken) {
  const sets = el("ul.tool-sets", { "aria-label": t("tools.sets") });
  const trouble = new Trouble();
  const attempt = async (asking) => {
    trouble.tell("");
    try {
      await asking();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      trouble.tell(error.sentence);
    }
  };
  const take = async (file) => {
    const { tools, rules } = await readSet(file);
    // Rules that were written already are not lost to a click.
    const more = setup.values.rules.trim() ? {} : { rules };
    setup.set({ tools, off: [], ...more });
    taken();
  };
  attempt(async () => {
    const all = await listSets();
    const card = (set) => setCard(set, (file) => attempt(() => take(file)));
    sets.append(...all.map((set) => el("li", {}, card(set))));
  });
  return el(
    "div.tools-empty",
    { "data-testid": "tools-empty" },
    el("p", {}, t("tools.empty")),
    sets,
    trouble.element,
  );
}
