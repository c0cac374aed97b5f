// How the model is asked: the values of the settings panel, kept over a reload, as the options of
// a turn. Gradio's controls call `read` and `restore` (app/ui/controls.py).

import { chat } from "./chat.mjs";
import { recall, remember } from "./memory.mjs";

const FIELDS = ["effort", "system", "temperature", "topP", "maxTokens", "seed", "stop"];
const EFFORTS = [null, "low", "high", "max"];

/** The words of the effort slider's stops, from left to right. */
export const EFFORT_NAMES = ["Default", "Low", "High", "Max"];

const MEANINGS = [
  "Nothing is sent: the server uses its own default, which is high.",
  "Thinks briefly. The quickest to answer, the fewest tokens.",
  "Thinks at length before it answers.",
  "Thinks as long as it takes. The slowest, the most tokens.",
];

const changes = new EventTarget();
let values = { effort: 0, system: "", temperature: 1, topP: 0.95, maxTokens: "", seed: "", stop: "" };

/** Calls `listener` whenever a value has changed. */
export function onSettings(listener) {
  changes.addEventListener("change", listener);
}

/** The stop of the effort slider, 0 to 3. */
export function effortStop() {
  return values.effort;
}

/** Takes the values of all controls, in the order of FIELDS. */
export function read(list) {
  values = Object.fromEntries(FIELDS.map((name, at) => [name, list[at]]));
  remember("settings", values);
  changes.dispatchEvent(new Event("change"));
}

/** What the controls are to show when the page opens: what this tab has kept, or their defaults. */
export function restore(defaults) {
  const kept = recall("settings") ?? {};
  read(FIELDS.map((name, at) => kept[name] ?? defaults[at]));
  return FIELDS.map((name) => kept[name] ?? { __type__: "update" }); // an update of nothing
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

/** What is wrong with the settings, as one sentence; or null. */
export function problem() {
  const { max_tokens: maxTokens, seed } = options();
  if (maxTokens !== null && !(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    return "Max tokens must be a whole number of at least 1: change it under Settings, or empty it.";
  }
  if (seed !== null && !Number.isSafeInteger(seed)) {
    return "The seed must be a whole number: change it under Settings, or empty it.";
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
  return (
    "The last answer had another effort. A change drops the server's prefix cache: " +
    "the next answer starts later."
  );
}

function describe() {
  const slider = document.querySelector("#effort input[type=range]");
  const meaning = document.querySelector("#effort-meaning");
  const warning = document.querySelector("#effort-warning");
  if (!slider || !meaning || !warning) return;
  for (const box of document.querySelectorAll("#max-tokens textarea, #max-tokens input, #seed textarea, #seed input")) {
    box.inputMode = "numeric";
  }
  slider.setAttribute("aria-label", "Reasoning effort");
  slider.setAttribute("aria-valuetext", EFFORT_NAMES[values.effort]);
  slider.setAttribute("aria-describedby", "effort-meaning");
  meaning.textContent = MEANINGS[values.effort];
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
