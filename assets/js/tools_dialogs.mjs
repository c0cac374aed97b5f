// The dialogs of the tools: ready-made sets, import, export. Each is loaded when it is first opened.

import { showDialog } from "./dialog.mjs";
import { el, freshId } from "./dom.mjs";
import { ExportDialog } from "./tools_export.mjs";
import { ImportDialog } from "./tools_import.mjs";
import { SetsDialog } from "./tools_sets.mjs";
import { t } from "./texts.mjs";

/** Offers the ready-made sets. */
export function openSets() {
  open(t("sets.heading"), new SetsDialog());
}

/** Takes tools from what a person pastes, chooses or drops, or from a listed MCP server. */
export function openImport() {
  open(t("import.heading"), new ImportDialog());
}

/** Shows the tools of the chat as JSON and as Python, to be copied or saved. */
export function openExport() {
  open(t("export.heading"), new ExportDialog());
}

/** A form of this kind: its content, the line of trouble, and what is done with it. */
function open(heading, { content, action }) {
  const id = freshId("tools");
  const before = document.activeElement;
  const dialog = el(
    "dialog.dialog.wide-dialog.tools-dialog",
    {
      "aria-labelledby": id,
      "data-testid": "tools-dialog",
      onclick: ({ target }) => target === dialog && dialog.close(),
      onclose: () => before?.focus?.(),
    },
    el(
      "form.dialog-body",
      {
        onsubmit: (event) => {
          event.preventDefault();
          if (!action || action.button.disabled) return;
          action.run();
          dialog.close();
        },
      },
      el("h2", { id }, heading),
      ...content,
      el(
        "div.dialog-buttons",
        {},
        el(
          "button.button.dialog-button",
          { type: "button", onclick: () => dialog.close() },
          t(action ? "dialog.cancel" : "dialog.close"),
        ),
        action ? action.button : null,
      ),
    ),
  );
  showDialog(dialog);
}
