// Where the seconds of an answer went, as a bar and a table; and how many tokens a chunk brought.

import { el } from "./dom.mjs";
import { clock, count, duration, exactPercent, list, mean } from "./format.mjs";
import { t } from "./texts.mjs";

const ROOM_FOR_NAME = 0.16; // of the bar, for the name of a phase on it

/** @returns {Node[]} */
export function timingPanel({ phases, chunks }) {
  return [...timing(phases), ...chunked(chunks)];
}

function timing(phases) {
  const total = phases.at(-1)?.to_s ?? 0;
  if (!total) return [el("p", {}, t("inspect.timing.nothing"))];
  const sums = new Map();
  for (const { phase, from_s: from, to_s: to } of phases) {
    sums.set(phase, (sums.get(phase) ?? 0) + to - from);
  }
  const said = [...sums].map(([phase, seconds]) => `${phaseName(phase)} ${duration(seconds)}`);
  const name = t("inspect.timing.name", { phases: list(said) });
  return [
    el(
      "div.phases",
      { role: "img", "aria-label": name },
      ...phases.map((each) => stretch(each, total)),
    ),
    el(
      "div.phases-axis",
      { "aria-hidden": "true" },
      el("span", {}, clock(0)),
      el("span", {}, duration(total)),
    ),
    legend(sums, total),
  ];
}

function phaseName(phase) {
  return t(`inspect.phase.${phase}`);
}

function stretch({ phase, from_s: from, to_s: to }, total) {
  const seconds = to - from;
  const name = phaseName(phase);
  const element = el(
    "div.phase",
    { "data-phase": phase, title: `${name} · ${duration(seconds)}` },
    seconds / total >= ROOM_FOR_NAME && el("span", {}, name),
  );
  element.style.flexGrow = seconds / total;
  return element;
}

function legend(sums, total) {
  const rows = [...sums].map(([phase, seconds]) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el("span.phase.phase-sample", { "data-phase": phase, "aria-hidden": "true" }),
        phaseName(phase),
      ),
      el("td", {}, duration(seconds)),
      el("td", {}, exactPercent(seconds / total)),
    ),
  );
  const heads = [t("inspect.timing.phase"), t("inspect.timing.time"), t("inspect.timing.share")];
  return el(
    "table.figures-table",
    { "aria-label": t("inspect.timing.table") },
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows),
    el(
      "tfoot",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "row" }, t("inspect.timing.total")),
        el("td", {}, duration(total)),
        el("td", {}, exactPercent(1)),
      ),
    ),
  );
}

/** What multi-token prediction brings: where drafts were right, several tokens come at once. */
function chunked(chunks) {
  const heading = el("h3.chunks-heading", {}, t("inspect.chunks.heading"));
  if (!chunks?.chunks) return [heading, el("p", {}, t("inspect.chunks.not_counted"))];
  const { chunks: all, tokens, by_tokens: byTokens } = chunks;
  return [
    heading,
    el(
      "p.chunks-mean",
      {},
      el("strong", {}, mean(tokens / all)),
      " ",
      t("inspect.chunks.mean", { tokens, chunks: all }),
    ),
    el("p.chunks-meaning", {}, t("inspect.chunks.meaning")),
    histogram(byTokens),
  ];
}

function histogram(byTokens) {
  const most = Math.max(...byTokens.map(([, chunks]) => chunks));
  const heads = [t("inspect.chunks.tokens"), t("inspect.chunks.chunks")];
  const rows = byTokens.map(([tokens, chunks]) => {
    const bar = el("span.chunks-bar", { "aria-hidden": "true" });
    bar.style.inlineSize = `${(100 * chunks) / most}%`;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, count(tokens)),
      el(
        "td",
        {},
        el(
          "span.chunks-row",
          {},
          el("span.chunks-room", {}, bar),
          el("span.chunks-count", {}, count(chunks)),
        ),
      ),
    );
  });
  return el(
    "table.figures-table.chunks",
    { "aria-label": t("inspect.chunks.table") },
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows),
  );
}
