// The same request as a program: Python or cURL, which run as they stand.

import { requestText } from "./api.mjs";
import { copyTextButton } from "./copy.mjs";
import { el } from "./dom.mjs";
import { fill } from "./loaded.mjs";
import { t } from "./texts.mjs";

const LANGUAGES = ["python", "curl"];
const LONGEST_LINE = 4_000; // characters; of a longer line, a picture's, its ends are shown
const SHOWN = { start: 400, end: 80 };
const KEY_VARIABLE = /^ +(?:api_key=os\.environ\["|-H "Authorization: Bearer \$)(\w+)/m;

/** @returns {Node[]} */
export function codePanel(path) {
  const place = el("div.inspect-code");
  const buttons = LANGUAGES.map((language) =>
    el(
      "button.button",
      { type: "button", onclick: () => choose(language) },
      t(`inspect.code.${language}`),
    ),
  );
  const choose = (chosen) => {
    LANGUAGES.forEach((language, at) => {
      buttons[at].setAttribute("aria-pressed", String(language === chosen));
    });
    // A slow answer of the other language finds its place taken.
    const own = el("div");
    place.replaceChildren(own);
    fill(own, () => requestText(`${path}/${chosen}`), (code) => drawn(chosen, code));
  };
  choose(LANGUAGES[0]);
  const name = t("inspect.code.language");
  return [el("div.segments", { role: "group", "aria-label": name }, ...buttons), place];
}

function drawn(language, code) {
  const lines = code.split("\n");
  const isShortened = lines.some((line) => line.length > LONGEST_LINE);
  return [
    el(
      "div.inspect-bar",
      {},
      el("p.inspect-needs", {}, needs(language, code)),
      copyTextButton(t("inspect.code.copy"), () => code),
    ),
    isShortened && el("p.inspect-needs", {}, t("inspect.code.shortened")),
    el("pre.inspect-text", { dir: "ltr", "data-testid": "code" }, lines.map(shortened).join("\n")),
  ].filter(Boolean);
}

/** What must be there for the program to run; the program itself says where its key is. */
function needs(language, code) {
  const variable = code.match(KEY_VARIABLE)?.[1];
  const need = variable ? "key" : "no_key";
  return t(`inspect.code.${language}.${need}`, { variable });
}

function shortened(line) {
  if (line.length <= LONGEST_LINE) return line;
  const left = line.length - SHOWN.start - SHOWN.end;
  const said = t("inspect.code.left_out", { figure: left });
  return `${line.slice(0, SHOWN.start)}… ${said} …${line.slice(-SHOWN.end)}`;
}
