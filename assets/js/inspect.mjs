// What was really sent for an answer, and what came back: the dialog that shows it. This module and
// those that it is made of are loaded when it is first asked for.

import { request } from "./api.mjs";
import { showDialog } from "./dialog.mjs";
import { el, freshId, iconButton } from "./dom.mjs";
import { codePanel } from "./inspect_code.mjs";
import { requestPanel } from "./inspect_request.mjs";
import { timingPanel } from "./inspect_timing.mjs";
import { wirePanel } from "./inspect_wire.mjs";
import { fill } from "./loaded.mjs";
import { Tabs } from "./tabs.mjs";
import { t } from "./texts.mjs";

/**
 * Opens it.
 * @param {string} path  where the turn API has the exchanges of the answer
 */
export function openInspector(path) {
  const id = freshId("inspector");
  const choice = el("select.inspector-choice", { "aria-label": t("inspect.choice"), hidden: true });
  const body = el("div.inspector-body");
  let isPressedOutside = false; // a text that is selected may be left go of outside
  const dialog = el(
    "dialog.inspector",
    {
      "aria-labelledby": id,
      "data-testid": "inspector",
      tabindex: "-1",
      onpointerdown: ({ target }) => (isPressedOutside = target === dialog),
      onclick: ({ target }) => target === dialog && isPressedOutside && dialog.close(),
    },
    el(
      "div.inspector-head",
      {},
      el("h2", { id }, t("inspect.heading")),
      choice,
      iconButton("close", t("media.close"), () => dialog.close()),
    ),
    body,
  );
  showDialog(dialog);
  const draw = ({ exchanges }) => {
    if (!exchanges.length) return [el("p.inspector-nothing", {}, t("inspect.nothing"))];
    return drawn(exchanges, path, choice);
  };
  fill(body, () => request(path), draw);
}

/** The tabs; where there was more than one request, `choice` chooses what they show. */
function drawn(exchanges, path, choice) {
  let at = exchanges.length - 1;
  const address = () => `${path}/${exchanges[at].number}`;
  const tabs = new Tabs(t("inspect.tabs"), [
    { label: t("inspect.request"), draw: () => requestPanel(exchanges[at], address()) },
    { label: t("inspect.wire"), draw: () => wirePanel(exchanges[at], address()) },
    { label: t("inspect.timing"), draw: () => timingPanel(exchanges[at]) },
    { label: t("inspect.code"), draw: () => codePanel(address()) },
  ]);
  const of = exchanges.length;
  choice.hidden = of < 2;
  choice.replaceChildren(
    ...exchanges.map((_, each) => {
      const isChosen = each === at;
      return new Option(t("inspect.choice.at", { at: each + 1, of }), each, isChosen, isChosen);
    }),
  );
  choice.onchange = () => {
    at = Number(choice.value);
    tabs.redraw();
  };
  return tabs.elements;
}
