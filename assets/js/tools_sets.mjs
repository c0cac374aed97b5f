// The dialog of ready-made sets: one is chosen, what it holds is shown, then it is taken.

import { Refused } from "./api.mjs";
import { el } from "./dom.mjs";
import { t } from "./texts.mjs";
import { listSets, readSet, setCard } from "./tool_sets.mjs";
import { Incoming, Trouble } from "./tools_incoming.mjs";

export class SetsDialog {
  constructor() {
    this.incoming = new Incoming();
    this.trouble = new Trouble();
    this.sets = el("ul.tool-sets", { "aria-label": t("tools.sets") });
    const button = el(
      "button.button.dialog-button.is-primary",
      { type: "submit", disabled: true },
      t("sets.use"),
    );
    this.action = { button, run: () => this.incoming.take() };
    this.content = [this.sets, this.trouble.element, this.incoming.element];
    this.attempt(async () => {
      const all = await listSets();
      const choose = (file, button) => this.attempt(() => this.choose(file, button));
      const card = (set) => setCard(set, choose, { "aria-pressed": "false" });
      this.sets.append(...all.map((set) => el("li", {}, card(set))));
      this.sets.querySelector("button").focus();
    });
  }

  async choose(file, button) {
    for (const each of this.sets.querySelectorAll("button")) {
      each.setAttribute("aria-pressed", String(each === button));
    }
    const found = await readSet(file);
    if (button.getAttribute("aria-pressed") !== "true") return; // another one was chosen meanwhile
    this.incoming.show(found);
    this.action.button.disabled = false;
  }

  async attempt(asking) {
    this.trouble.tell("");
    try {
      await asking();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.trouble.tell(error.sentence);
    }
  }
}
