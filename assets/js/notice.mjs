// A notice of a turn as a calm callout: what is wrong, what to do, and a Retry where it helps.

import { el, icon } from "./dom.mjs";

const GRAVE = new Set(["server_error", "unreachable", "timed_out", "cut_short", "empty_reply"]);
const QUIET = new Set(["stopped", "media_replaced", "history_repaired", "thought_in_answer"]);
const RETRY = new Set([
  ...GRAVE,
  "ended_by_server",
  "invalid_arguments",
  "missing_tool_call",
  "only_reasoning",
  "stopped",
  "token_limit",
  "tool_text_in_answer",
  "tool_text_in_reasoning",
  "too_many_calls",
]);

/** Whether asking again may give what this notice says is missing. */
export function isWorthRetry({ code }) {
  return RETRY.has(code);
}

function tone(code) {
  if (GRAVE.has(code)) return "error";
  return QUIET.has(code) ? "quiet" : "warning";
}

/** The callout of a notice; `onRetry` adds the button. */
export function noticeView({ code, message, remedy }, onRetry = null) {
  const kind = tone(code);
  return el(
    `div.notice.notice-${kind}`,
    { role: "note", "data-testid": "notice", "data-code": code },
    icon(kind === "error" ? "error" : "warning"),
    el(
      "div.notice-text",
      { dir: "auto" },
      el("p", {}, message),
      remedy ? el("p.notice-remedy", {}, remedy) : null,
    ),
    onRetry && el("button.button.notice-retry", { type: "button", onclick: onRetry }, icon("retry"), "Retry"),
  );
}
