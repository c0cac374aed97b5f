// The figures of a turn that has ended: how long it took, how quick it was, what it cost.

import { el } from "./dom.mjs";
import { count, duration, list, money, speed, tokens } from "./format.mjs";
import { t } from "./texts.mjs";

/** The items of the list under a turn; figures that are not known are left out. */
export function figures({ stats, effort, edited }) {
  return [
    edited && item(t("figures.edited"), { title: t("figures.edited.meaning") }),
    ...(stats ? counted(stats) : []),
    effort && item(t("figures.effort", { effort: t(`effort.${effort}`) })),
  ].filter(Boolean);
}

function item(value, { name = "", title = null } = {}) {
  return el("li", { title }, name && el("span.figure-name", {}, name), name ? " " : "", value);
}

function counted(stats) {
  const { estimated } = stats;
  const named = (key, figure) =>
    item(figure, { name: t(`figures.${key}`), title: t(`figures.${key}.meaning`) });
  const all = (stats.reasoning_tokens ?? 0) + (stats.answer_tokens ?? 0);
  return [
    isNumber(stats.first_token_s) && named("first_token", duration(stats.first_token_s)),
    isNumber(stats.thinking_tokens_per_s) &&
      named("thinking", speed(stats.thinking_tokens_per_s, estimated)),
    isNumber(stats.answer_tokens_per_s) &&
      named("answer", speed(stats.answer_tokens_per_s, estimated)),
    all > 0 && item(tokens(all, estimated), { title: ofTokens(stats) }),
    stats.cached_tokens > 0 &&
      item(t("figures.cached", { figure: count(stats.cached_tokens) }), {
        title: t("figures.cached.meaning"),
      }),
    isNumber(stats.total_s) && named("total", duration(stats.total_s)),
    isNumber(stats.cost) && item(money(stats.cost), { title: t("figures.cost.meaning") }),
  ];
}

function ofTokens({ reasoning_tokens, answer_tokens, prompt_tokens }) {
  const known = [
    [reasoning_tokens, "thinking"],
    [answer_tokens, "answer"],
    [prompt_tokens, "prompt"],
  ].filter(([number]) => isNumber(number));
  return list(known.map(([number, what]) => t(`figures.tokens.${what}`, { figure: count(number) })));
}

function isNumber(value) {
  return typeof value === "number";
}
