// Figures as a reader wants them: in the language's own way, with units, and "~" before an estimate.

import { isolated, locale, t } from "./texts.mjs";

const numbers = new Intl.NumberFormat(locale);
const tenths = fixed(1);
const hundredths = fixed(2);
const thousandths = fixed(3);
const shares = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const exactShares = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const days = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const dates = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" });
const dollars = new Intl.NumberFormat(locale, {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  maximumSignificantDigits: 2,
});
const cents = new Intl.NumberFormat(locale, {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
});

function fixed(digits) {
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** 4 s, 12 s, 2:14, 1:02:14: seconds, rounded down while a clock runs. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return t("unit.seconds", { figure: numbers.format(whole) });
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const [first, ...rest] = hours ? [hours, minutes, whole % 60] : [minutes, whole % 60];
  return [first, ...rest.map((part) => String(part).padStart(2, "0"))].join(":");
}

/** 0:03, 2:14, 1:02:14: a place in what is played, rounded down. */
export function playTime(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return whole < 60 ? `0:${String(whole).padStart(2, "0")}` : clock(whole);
}

/** A length of time that is over: 0.62 s, 4.2 s, 2:14. */
export function duration(seconds) {
  if (seconds >= 60) return clock(Math.round(seconds));
  const figure = (seconds < 1 ? hundredths : tenths).format(seconds);
  return t("unit.seconds", { figure });
}

/** 12,345 */
export function count(number) {
  return numbers.format(number);
}

/** 45%: of a share from 0 to 1, rounded down. */
export function percent(share) {
  return shares.format(Math.floor(share * 100) / 100);
}

/** 45.3%: of a share from 0 to 1. */
export function exactPercent(share) {
  return exactShares.format(share);
}

/** 0.612: seconds to the millisecond, for a table whose head names the unit. */
export function precise(seconds) {
  return thousandths.format(seconds);
}

/** 2.46: of many whole numbers. */
export function mean(number) {
  return hundredths.format(number);
}

/** 512 tokens, ~1 token. */
export function tokens(number, estimated) {
  return t("unit.tokens", { count: number, figure: about(numbers.format(number), estimated) });
}

/** 143 tok/s, 8.4 tok/s. */
export function speed(perSecond, estimated) {
  const figure = perSecond < 10 ? tenths.format(perSecond) : numbers.format(Math.round(perSecond));
  return t("unit.speed", { figure: about(figure, estimated) });
}

/** 812 kB, 1.2 MB. */
export function size(bytes) {
  if (bytes < 1_000) return t("unit.bytes", { figure: numbers.format(bytes) });
  if (bytes < 1_000_000) {
    return t("unit.kilobytes", { figure: numbers.format(Math.round(bytes / 1_000)) });
  }
  const megabytes = bytes / 1_000_000;
  const figure = megabytes < 100 ? tenths.format(megabytes) : numbers.format(Math.round(megabytes));
  return t("unit.megabytes", { figure });
}

/** $1.24, $0.012, $0.0037: US dollars; of less than one, two figures that count are told. */
export function money(amount) {
  return (amount > 0 && amount < 1 ? dollars : cents).format(amount);
}

/** 9:24 AM today, Mar 3 this year, Mar 3, 2024 before: when something was, in Unix seconds. */
export function when(unixSeconds, now = new Date()) {
  const then = new Date(unixSeconds * 1000);
  if (then.toDateString() === now.toDateString()) return times.format(then);
  return (then.getFullYear() === now.getFullYear() ? days : dates).format(then);
}

/** Wednesday, December 2, 2026 at 9:24 AM: when something was, in Unix seconds, in full. */
export function moment(unixSeconds) {
  return moments.format(new Date(unixSeconds * 1000));
}

/** Several things in a row: "clip.mp4, 640 × 360, 4.0 s". */
export function list(items) {
  return items.map(isolated).join(t("list.separator"));
}

/** What a picture or a clip is, in one line: "clip.mp4, 640 × 360, 4.0 s, 1.2 MB, ~414 tokens". */
export function mediaLine(media) {
  const known = [media.name || t(`media.unnamed.${media.kind}`)];
  if (media.width && media.height) known.push(`${media.width} × ${media.height}`);
  if (media.seconds) known.push(duration(media.seconds));
  if (media.size) known.push(size(media.size));
  if (media.tokens) known.push(tokens(media.tokens, true));
  return list(known);
}

function about(figure, estimated) {
  return estimated ? `~${figure}` : figure;
}
