// The times by which the list of chats is grouped: pinned, today, yesterday, …, by month.

import { locale, t } from "./texts.mjs";

const DAY_MS = 86_400_000;
const months = new Intl.DateTimeFormat(locale, { month: "long" });
const monthsAndYears = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });

/**
 * Chats in their order, under the heading of each group.
 * @param {{pinned: boolean, updated: number}[]} chats  `updated` in Unix seconds
 * @returns {Map<string, object[]>}
 */
export function grouped(chats, now = new Date()) {
  const groups = new Map();
  for (const chat of chats) {
    const heading = chat.pinned ? t("chats.pinned") : headingOf(new Date(chat.updated * 1000), now);
    if (!groups.has(heading)) groups.set(heading, []);
    groups.get(heading).push(chat);
  }
  return groups;
}

function headingOf(then, now) {
  const days = dayOf(now) - dayOf(then);
  if (days <= 0) return t("chats.today");
  if (days === 1) return t("chats.yesterday");
  if (days <= 7) return t("chats.week");
  if (days <= 30) return t("chats.month");
  return (then.getFullYear() === now.getFullYear() ? months : monthsAndYears).format(then);
}

/** The number of a local day; that one of them has 23 hours changes nothing. */
function dayOf(date) {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

/** Gives `parent` these children in this order, and moves no element that need not be moved. */
export function arrange(parent, wanted) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of wanted) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}
