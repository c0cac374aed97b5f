// The dialog of ready-made sets: one is chosen, what it holds is shown, then it is taken.

import { Refused, unreachable } from "./api.mjs";
import { el } from "./dom.mjs";
import { jsonTree, laidOut, nodeAt } from "./json_tree.mjs";
import { language, t } from "./texts.mjs";
import { Incoming, Trouble } from "./tools_incoming.mjs";

const FOLDER = new URL("../tool_sets/", import.meta.url);

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
      const all = JSON.parse(await read("index.json"));
      this.sets.append(...all.map((set) => el("li", {}, this.card(set))));
      this.sets.querySelector("button").focus();
    });
  }

  card({ file, title, description, ...set }) {
    const words = set[language] ?? {};
    const onclick = () => this.attempt(() => this.choose(file, button));
    const button = el(
      "button.tool-set",
      { type: "button", "aria-pressed": "false", onclick },
      el("span.tool-set-title", {}, words.title ?? title),
      el("span.tool-set-text", {}, words.description ?? description),
    );
    return button;
  }

  async choose(file, button) {
    for (const each of this.sets.querySelectorAll("button")) {
      each.setAttribute("aria-pressed", String(each === button));
    }
    const text = await read(file);
    if (button.getAttribute("aria-pressed") !== "true") return; // another one was chosen meanwhile
    const { mocks, results } = JSON.parse(text);
    const tools = laidOut(text, nodeAt(jsonTree(text), ["tools"]), "");
    this.incoming.show({ tools, mocks, results });
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

async function read(name) {
  const response = await fetch(new URL(name, FOLDER)).catch(() => null);
  if (!response?.ok) throw unreachable();
  return response.text();
}
