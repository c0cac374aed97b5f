// What goes with a message beside what is written, shown in its box: the effort, the tools declared.

import { el, icon, iconButton, setText } from "./dom.mjs";
import { list } from "./format.mjs";
import { openSettings, openTools } from "./panel.mjs";
import { effortName, onSettings } from "./settings.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";

/** The effort; a click leads to where it is chosen. */
export function effortChip() {
  const chip = el(
    "button.button.effort-chip",
    {
      type: "button",
      title: t("composer.change_effort"),
      onclick: () => openSettings("#effort input[type=range]"),
    },
    icon("thought"),
    el("span"),
  );
  const show = () => {
    const effort = effortName();
    setText(chip.lastChild, effort);
    chip.setAttribute("aria-label", t("composer.effort", { effort }));
  };
  onSettings(show);
  show();
  return chip;
}

/** The names of the tools that are declared with each turn. */
export function toolsChip() {
  const chip = el("div.composer-tools", { hidden: true, "data-testid": "declared-tools" });
  const show = () => {
    const names = list(setup.names().map((name) => name || t("composer.unnamed_tool")));
    chip.hidden = !names;
    chip.replaceChildren();
    if (!names) return;
    chip.append(
      icon("tool"),
      el(
        "button.button.composer-tools-names",
        {
          type: "button",
          title: t("composer.tools_declared", { names }),
          onclick: () => openTools(),
        },
        names,
      ),
      iconButton("close", t("composer.tools_undeclare", { names }), () => {
        setup.set({ off: setup.declared() });
      }),
    );
  };
  setup.addEventListener("change", show);
  setup.addEventListener("checked", show);
  show();
  return chip;
}
