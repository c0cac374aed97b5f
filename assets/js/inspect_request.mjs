// The request as it was sent: where to, what was changed before, its body as JSON.

import { requestText } from "./api.mjs";
import { copyTextButton } from "./copy.mjs";
import { el, icon } from "./dom.mjs";
import { jsonView } from "./json_view.mjs";
import { noticeMessage } from "./notice.mjs";
import { t } from "./texts.mjs";

/** @returns {Node[]} */
export function requestPanel({ request, is_exact: isExact, repairs, address }, path) {
  return [
    el(
      "div.inspect-bar",
      {},
      el(
        "p.inspect-address",
        {},
        `${t("inspect.request.to")} `,
        el("code", { dir: "ltr" }, address),
      ),
      copyTextButton(t("inspect.request.copy"), () => requestText(`${path}/request`)),
    ),
    ...(isExact ? [] : [warning(t("inspect.request.inexact"))]),
    el("section.inspect-repairs", {}, ...repaired(repairs)),
    el("pre.inspect-text", { dir: "ltr", "data-testid": "request-body" }, jsonView(request)),
  ];
}

/** A line that a reader should know of. */
export function warning(sentence) {
  return el("p.inspect-warning", {}, icon("warning"), sentence);
}

function repaired(repairs) {
  if (!repairs.length) return [el("p", {}, t("inspect.request.unchanged"))];
  return [
    el("h3", {}, t("inspect.request.repairs")),
    el("ul", {}, ...repairs.map((repair) => el("li", {}, noticeMessage(repair)))),
  ];
}
