// A notice of a turn as a calm callout: what is wrong, what to do, and the buttons that do it.

import { copyButton } from "./copy.mjs";
import { el, icon } from "./dom.mjs";
import { join, t, told } from "./texts.mjs";

const GRAVE = new Set(["server_error", "unreachable", "timed_out", "too_large", "cut_short", "used_up", "empty_reply"]);
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

/** What a notice says, in the reader's language; the server's own words stay as they are. */
function words({ key, values, message, remedy, more = [] }) {
  const first = told(`notice.${key}.message`, values, message);
  const isEnglish = first === message; // which holds all that there is to say
  const others = isEnglish ? [] : more.map((each) => told(`notice.${each.key}.message`, each.values, ""));
  return {
    message: join(first, ...others),
    remedy: told(`notice.${key}.remedy`, values, remedy),
  };
}

/** What a notice says is so, without what to do. */
export function noticeMessage(notice) {
  return words(notice).message;
}

/** A notice as it is read out. */
export function noticeSentence(notice) {
  const { message, remedy } = words(notice);
  return join(message, remedy);
}

/**
 * The callout of a notice.
 * @param {object} notice
 * @param {{onRetry?: (() => void)|null, goOn?: HTMLElement|null, requestId?: string|null}} ways
 *   `onRetry` adds a button; `goOn` is one; `requestId` is what the server calls the request
 */
export function noticeView(notice, { onRetry = null, goOn = null, requestId = null } = {}) {
  const { code } = notice;
  const { message, remedy } = words(notice);
  const kind = tone(code);
  return el(
    `div.notice.notice-${kind}`,
    { role: "note", "data-testid": "notice", "data-code": code },
    icon(kind === "error" ? "error" : "warning"),
    el(
      "div.notice-text",
      {},
      el("p", {}, message),
      remedy ? el("p.notice-remedy", {}, remedy) : null,
      requestId ? requestLine(requestId) : null,
    ),
    (goOn || onRetry) && el("div.notice-ways", {}, goOn, onRetry && retryButton(onRetry)),
  );
}

function retryButton(onclick) {
  return el(
    "button.button.notice-retry",
    { type: "button", onclick },
    icon("retry"),
    t("notice.retry"),
  );
}

function requestLine(id) {
  return el(
    "p.notice-request",
    { "data-testid": "request-id" },
    el("span", {}, t("notice.request"), " ", el("code", { dir: "ltr" }, id)),
    copyButton(t("notice.copy_request"), () => id),
  );
}
