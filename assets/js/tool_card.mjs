// One tool in the form: its switch, its name and description, its parameters.

import { changed, parameterAdded, parametersOf, withoutTool } from "./declared.mjs";
import { el, icon, iconButton, setText } from "./dom.mjs";
import { field } from "./fields.mjs";
import { parameterRow } from "./parameter_row.mjs";
import { t } from "./texts.mjs";

const LAST = ".parameter:last-child input";

/**
 * @param {import("./declared.mjs").Declared} declared
 * @param {{isOn: boolean, isOpen: boolean, toggled: (on: boolean) => void,
 *   opened: (open: boolean) => void, edit: (change: (text: string) => string|null) => boolean,
 *   rebuild: (change: (text: string) => string|null, focus: string|null) => void}} card  `edit`
 *   changes the text, and says whether it could; `rebuild` also has the form drawn anew
 */
export function toolCard(declared, card) {
  const name = typeof declared.value?.name === "string" ? declared.value.name : t("tools.unnamed");
  const power = switchOf(t("tools.on", { name }), card.isOn, card.toggled);
  const title = el("span.tool-name", { dir: "auto" }, name);
  const details = el(
    "details.tool-card",
    { open: card.isOpen, "data-state": card.isOn ? "on" : "off", "data-testid": "tool-card" },
    el("summary", {}, icon("chevron"), title),
  );
  const draw = () => details.childElementCount === 1 && details.append(body(declared, card, title));
  if (card.isOpen) draw();
  details.addEventListener("toggle", () => {
    if (details.open) draw();
    card.opened(details.open);
  });
  return el("li.tool-row", {}, details, power);
}

/** A switch; it says `on` when it is pressed. */
export function switchOf(label, isOn, toggled) {
  return el(
    "button.switch",
    {
      type: "button",
      role: "switch",
      "aria-checked": String(isOn),
      "aria-label": label,
      title: label,
      onclick: () => toggled(!isOn),
    },
    el("span"),
  );
}

function body(declared, { edit, rebuild }, title) {
  const { value } = declared;
  if (value === null || typeof (value.parameters ?? {}) !== "object") {
    return el("p.tools-note", {}, t("tools.form.not_shown"));
  }
  const form = { edit, rebuild };
  const rows = parametersOf(declared).map((each) => parameterRow(declared, each, form));
  return el(
    "div.tool-body",
    {},
    field(t("tools.form.name"), value.name ?? "", {
      isCode: true,
      changed: (name) => {
        setText(title, name);
        return edit((text) => changed(text, declared, "name", name));
      },
    }),
    field(t("tools.form.description"), value.description ?? "", {
      isLong: true,
      hint: t("tools.form.description.hint"),
      changed: (words) => edit((text) => changed(text, declared, "description", words)),
    }),
    el("h4.tool-heading", {}, t("tools.form.parameters")),
    rows.length ? el("ul.parameters", {}, ...rows) : el("p.tools-note", {}, t("tools.form.none")),
    el(
      "div.tool-buttons",
      {},
      el(
        "button.button.bordered",
        {
          type: "button",
          onclick: () => rebuild((text) => parameterAdded(text, declared), LAST),
        },
        icon("plus"),
        t("tools.form.add_parameter"),
      ),
      iconButton("trash", t("tools.form.remove", { name: String(value.name ?? "") }), () => {
        rebuild((text) => withoutTool(text, declared), null);
      }),
    ),
  );
}
