// What a rule does, in words.

import { list } from "./format.mjs";
import { t } from "./texts.mjs";

const LONGEST = 80;

/** One sentence for a rule; of what is none, that. */
export function ruleInWords(rule) {
  if (typeof rule?.tool !== "string") return t("rule.none");
  const tool = rule.tool === "*" ? t("rule.any") : rule.tool;
  const when = Object.entries(rule.when ?? {}).map(([name, value]) => {
    if (value === "*") return t("rule.when.any", { name });
    return t("rule.when", { name, value: short(value) });
  });
  const subject = when.length ? t("rule.where", { tool, when: list(when) }) : tool;
  const sentence = `${subject} → ${outcome(rule)}`;
  return rule.delay_s ? t("rule.delay", { sentence, seconds: Number(rule.delay_s) }) : sentence;
}

function outcome(rule) {
  if (rule.ask) return t("rule.ask");
  if (rule.generate) return t("rule.generate");
  if (rule.error !== undefined) return t("rule.error", { error: short(rule.error) });
  return short(rule.result);
}

function short(value) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
