// The button above the list of chats whose menu takes chats in, and saves all of them; and the
// choice of case files itself.

import { addMenu } from "./button_menu.mjs";
import { exportAll, importCases } from "./case_files.mjs";
import { el, iconButton } from "./dom.mjs";
import { leaveDrawer } from "./panel.mjs";
import { t } from "./texts.mjs";

const input = el("input", {
  type: "file",
  accept: ".json,.zip,application/json,application/zip",
  multiple: true,
  hidden: true,
  tabindex: "-1",
  "aria-label": t("cases.input"),
  "data-testid": "case-input",
  onchange: () => {
    const files = [...input.files];
    input.value = "";
    leaveDrawer(); // what comes of it is seen above the message box
    if (files.length) importCases(files);
  },
});

/** Lets the reader choose case files, which are imported. */
export function chooseCases() {
  input.click();
}

/** `change(changing)` waits for what is asked of the server, and says what is refused. */
export function caseMenu({ change }) {
  const button = iconButton("more", t("cases.menu"), null);
  const items = () => [
    { icon: "upload", label: t("cases.import.choose"), choose: chooseCases },
    { icon: "download", label: t("cases.export_all"), choose: () => change(exportAll()) },
  ];
  return el("div.chats-more", {}, button, addMenu(button, items), input);
}
