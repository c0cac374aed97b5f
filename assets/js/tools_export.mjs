// The dialog that shows the tools of the chat as JSON and as a Python module. Tools without rules
// are shown as they are written; with rules the JSON is a tool-set file, which holds both.

import { Refused, request } from "./api.mjs";
import { copyTextButton } from "./copy.mjs";
import { el, icon } from "./dom.mjs";
import { save } from "./download.mjs";
import { setup } from "./setup.mjs";
import { Tabs } from "./tabs.mjs";
import { t } from "./texts.mjs";

const JSON_FILE = { ending: ".json", type: "application/json" };
const PYTHON_FILE = { ending: ".py", type: "text/x-python" };

export class ExportDialog {
  constructor() {
    this.action = null;
    const { tools, rules } = setup.values;
    if (!tools.trim()) {
      this.content = [el("p", {}, t("export.nothing"))];
      return;
    }
    this.content = new Tabs(t("export.heading"), [
      {
        label: t("export.json"),
        draw: () => rules.trim()
          ? [written({ tools, rules }, "json", JSON_FILE)]
          : shown(tools, JSON_FILE, t("export.json")),
      },
      { label: t("export.python"), draw: () => [written({ tools }, "python", PYTHON_FILE)] },
    ]).elements;
  }
}

/** A text, and what can be done with it. */
function shown(text, file, name) {
  return [
    el("pre.export-text", { tabindex: "0", role: "region", "aria-label": name, dir: "ltr" }, text),
    el(
      "div.export-buttons",
      {},
      copyTextButton(t("export.copy"), () => text),
      el(
        "button.button.bordered",
        { type: "button", onclick: () => save(text, "tools", file) },
        icon("download"),
        t("export.save"),
      ),
    ),
  ];
}

/** What the server writes: the tool-set file or the module. */
function written(body, kind, file) {
  const place = el("div.export-place", { "aria-busy": "true" });
  request("tools/export", { method: "POST", body })
    .then((found) => place.replaceChildren(...shown(found[kind], file, t(`export.${kind}`))))
    .catch((error) => {
      if (!(error instanceof Refused)) throw error;
      place.append(el("p", { role: "alert", dir: "auto" }, error.sentence));
    })
    .finally(() => place.removeAttribute("aria-busy"));
  return place;
}
