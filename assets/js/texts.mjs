// The texts of the page in the reader's language: assets/texts/<language>.json, one file each. They
// are there before any module that imports this one draws.

import { carryOver, recall, remember } from "./memory.mjs";

/** The languages there are, by the name of their file; each is named in itself. */
export const LANGUAGES = {
  en: { name: "English", tag: "en" },
  zh: { name: "中文", tag: "zh-Hans" },
};

const KEPT = "glm.language";
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The language of the page: the reader's choice, else the first of the browser's that there is. */
export const language = chosen() ?? preferred();

/** What Intl is asked for: the reader's own kind of English, where English is what is read. */
export const locale =
  language === "en"
    ? (navigator.languages.find((tag) => /^en\b/i.test(tag)) ?? "en")
    : LANGUAGES[language].tag;

const [own, english] = await Promise.all([load(language), load("en")]);
const plurals = new Intl.PluralRules(locale);
const numbers = new Intl.NumberFormat(locale);

document.documentElement.lang = LANGUAGES[language].tag;
document.documentElement.dir = "ltr"; // of both languages so far

function chosen() {
  let kept;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    kept = recall("language");
  }
  return isLanguage(kept) ? kept : null;
}

function preferred() {
  const tags = navigator.languages.map((tag) => tag.toLowerCase().split("-")[0]);
  return tags.find(isLanguage) ?? "en";
}

function isLanguage(name) {
  return name !== null && Object.hasOwn(LANGUAGES, name);
}

async function load(name) {
  const response = await fetch(new URL(`../texts/${name}.json`, import.meta.url));
  if (!response.ok) throw new Error(`The texts could not be loaded (${response.status}).`);
  return response.json();
}

/** Keeps the reader's choice, and draws the page anew in it: chat and draft outlive a reload. */
export function chooseLanguage(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    remember("language", name);
  }
  carryOver();
  location.reload();
}

/**
 * The text of a key, its `{name}` placeholders filled. A number is written as the language writes
 * it. A text with plurals has a key for each form ("unit.tokens.one", "unit.tokens.other"):
 * ask for "unit.tokens", and give `count`.
 * @param {string} key
 * @param {Record<string, string|number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const text = find(own, key, values) ?? find(english, key, values);
  if (text === undefined) console.error(`There is no text for ${key}.`);
  return fill(text ?? key, values);
}

function find(texts, key, { count }) {
  if (typeof count !== "number") return texts[key];
  return texts[`${key}.${plurals.select(count)}`] ?? texts[`${key}.other`] ?? texts[key];
}

/**
 * What the server says in English, in the reader's language where there is a text for it: its key
 * stands under "server." and its values are the server's.
 */
export function told(key, values, said) {
  const text = language === "en" ? undefined : own[`server.${key}`];
  return text === undefined ? said : fill(text, values ?? {});
}

/** Sentences one after another. What ends in a full-width mark brings its own space. */
export function join(...sentences) {
  return sentences
    .filter(Boolean)
    .reduce((all, next) => (/[。！？：]$/.test(all) ? all + next : `${all} ${next}`), "")
    .trim();
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return typeof value === "number" ? numbers.format(value) : isolated(String(value));
  });
}

/** A name that runs from right to left must not turn the sentence around it. */
export function isolated(value) {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}
