// The text files of a message that was sent, as small cards; a click shows the text.

import { el, icon } from "./dom.mjs";
import { showFile } from "./files.mjs";
import { list, size } from "./format.mjs";
import { t } from "./texts.mjs";

/**
 * The cards of a message's files. `read()` promises them whole, or null where that was refused.
 * @param {{name: string, lines: number, size: number}[]} files
 * @param {() => Promise<{name: string, text: string}[]|null>} read
 */
export function fileCards(files, read) {
  return el(
    "ul.file-cards",
    { "aria-label": t("files.name") },
    ...files.map((file, at) =>
      el(
        "li",
        {},
        card(file, async () => {
          const whole = await read();
          if (whole) showFile(whole[at]);
        }),
      ),
    ),
  );
}

function card({ name, lines, size: bytes }, open) {
  const line = list([t("files.lines", { count: lines }), size(bytes)]);
  return el(
    "button.file-card",
    {
      type: "button",
      title: t("files.show", { name }),
      "aria-label": list([t("files.show", { name }), line]),
      "data-testid": "file-card",
      onclick: open,
    },
    icon("file"),
    el(
      "span.file-words",
      {},
      el("span.file-name", { dir: "auto" }, name),
      el("span.file-line", {}, line),
    ),
  );
}
