// How the model is asked: the values of the settings panel, kept over a reload, as the options of
// a turn. Gradio's controls call `read` and `restore` (app/ui/controls.py).

import { chat } from "./chat.mjs";
import { startLanguage, translate } from "./labels.mjs";
import { recall, remember } from "./memory.mjs";
import { t } from "./texts.mjs";

const FIELDS = ["effort", "system", "temperature", "topP", "maxTokens", "seed", "stop"];

// Of each field: its key among the texts, and what of it is words.
const WORDS = {
  effort: ["effort", "label"],
  system: ["system_prompt", "label", "placeholder"],
  temperature: ["temperature", "label", "info"],
  topP: ["top_p", "label", "info"],
  maxTokens: ["max_tokens", "label", "info", "placeholder"],
  seed: ["seed", "label", "info", "placeholder"],
  stop: ["stop_strings", "label", "info", "placeholder"],
};

// The key of each slider by its id.
const SLIDERS = { effort: "effort", temperature: "temperature", "top-p": "top_p" };

const EFFORTS = [null, "low", "high", "max"];

const changes = new EventTarget();
let cap = null;
let values = { effort: 0, system: "", temperature: 1, topP: 0.95, maxTokens: "", seed: "", stop: "" };

/** Calls `listener` whenever a value has changed. */
export function onSettings(listener) {
  changes.addEventListener("change", listener);
}

/** The word of the effort slider's stop. */
export function effortName() {
  return t(`effort.${EFFORTS[values.effort] ?? "default"}`);
}

/** Takes the values of all controls, in the order of FIELDS. */
export function read(list) {
  values = Object.fromEntries(FIELDS.map((name, at) => [name, list[at]]));
  remember("settings", values);
  changes.dispatchEvent(new Event("change"));
}

/**
 * What the controls are to show when the page opens, as updates of Gradio's: their words in the
 * reader's language, and what this tab has kept, or their defaults. `most` is how many tokens a turn
 * may ask for, or null.
 */
export function restore(defaults, most) {
  cap = most;
  const panel = document.querySelector("#settings");
  translate(panel);
  startLanguage(panel.querySelector("#language"));
  const sliders = new MutationObserver(() => nameSliders(panel));
  sliders.observe(panel, { subtree: true, attributeFilter: ["aria-label"] });
  nameSliders(panel);
  const kept = recall("settings") ?? {};
  read(FIELDS.map((name, at) => kept[name] ?? defaults[at]));
  return FIELDS.map((name) => ({
    __type__: "update",
    ...words(name),
    ...(name in kept ? { value: kept[name] } : {}),
  }));
}

/** Gradio names the parts of its sliders in English of its own, whenever their label changes. */
function nameSliders(panel) {
  for (const [id, key] of Object.entries(SLIDERS)) {
    const label = t(`settings.${key}.label`);
    const range = id === "effort" ? label : t("settings.slider.range", { label });
    name(panel.querySelector(`#${id} input[type=range]`), range);
    name(panel.querySelector(`#${id} input[type=number]`), t("settings.slider.number", { label }));
    name(panel.querySelector(`#${id} button`), t("settings.slider.reset"));
  }
}

function name(element, label) {
  if (element && element.ariaLabel !== label) element.ariaLabel = label;
}

function words(name) {
  const [key, ...props] = WORDS[name];
  const said = Object.fromEntries(props.map((prop) => [prop, t(`settings.${key}.${prop}`)]));
  if (name === "maxTokens" && cap !== null) said.info = t("settings.max_tokens.capped", { cap });
  return said;
}

/** The options of a turn; what is not set is not sent. */
export function options() {
  return {
    effort: EFFORTS[values.effort],
    system: values.system ?? "",
    temperature: number(values.temperature),
    top_p: number(values.topP),
    max_tokens: number(values.maxTokens),
    seed: number(values.seed),
    stop: stopStrings(values.stop ?? ""),
  };
}

/** The most tokens that an answer can take, or null where the server alone decides. */
export function mostTokens() {
  const { max_tokens: asked } = options();
  return cap === null || asked === null ? (asked ?? cap) : Math.min(asked, cap);
}

/** What is wrong with the settings, as one sentence; or null. */
export function problem() {
  const { max_tokens: maxTokens, seed } = options();
  if (maxTokens !== null && !(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    return t("settings.max_tokens_wrong");
  }
  if (seed !== null && !Number.isSafeInteger(seed)) {
    return t("settings.seed_wrong");
  }
  return null;
}

function number(value) {
  const text = String(value ?? "").trim();
  return text === "" ? null : Number(text);
}

const ESCAPES = { n: "\n", t: "\t", "\\": "\\" };

/** One a line; `\n`, `\t` and `\\` stand for a line break, a tab and a backslash. */
export function stopStrings(text) {
  return text
    .split("\n")
    .map((line) => line.replace(/\\([nt\\])/g, (_, mark) => ESCAPES[mark]))
    .filter(Boolean);
}

/** The sentence that warns of a change of effort in mid-chat; or null. */
function effortWarning() {
  if (chat.isEmpty || chat.lastEffort === undefined) return null;
  if (EFFORTS[values.effort] === chat.lastEffort) return null;
  return t("settings.effort_changed");
}

function describe() {
  const slider = document.querySelector("#effort input[type=range]");
  const meaning = document.querySelector("#effort-meaning");
  const warning = document.querySelector("#effort-warning");
  if (!slider || !meaning || !warning) return;
  for (const box of document.querySelectorAll("#max-tokens textarea, #max-tokens input, #seed textarea, #seed input")) {
    box.inputMode = "numeric";
  }
  slider.setAttribute("aria-valuetext", effortName());
  slider.setAttribute("aria-describedby", "effort-meaning");
  meaning.textContent = t(`effort.${EFFORTS[values.effort] ?? "default"}.meaning`);
  const sentence = effortWarning();
  warning.hidden = sentence === null;
  warning.textContent = sentence ?? "";
  document.querySelectorAll(".effort-stops > span").forEach((word, at) => {
    word.classList.toggle("is-chosen", at === values.effort);
  });
}

onSettings(describe);
chat.addEventListener("reset", describe);
chat.addEventListener("busy", describe);
