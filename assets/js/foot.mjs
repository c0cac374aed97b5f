// The line under a turn: what it waits for while it runs, its figures when it has ended. It keeps
// one place from the first moment, so that nothing shifts.

import { el, setText } from "./dom.mjs";
import { clock, count, duration, speed, tokens } from "./format.mjs";
import { startClock } from "./ticker.mjs";

export class TurnFoot {
  constructor() {
    this.actions = el("div.turn-actions");
    this.text = el("span.turn-state-text");
    this.state = el("div.turn-state", { hidden: true }, el("span.pulse"), this.text);
    this.stats = el("ul.turn-stats", { "aria-label": "Figures of this turn", hidden: true });
    this.element = el("footer.turn-foot", {}, this.actions, this.state, this.stats);
    this.stopClock = () => {};
  }

  /**
   * The turn waits, or works: `say(seconds since now)` words it, again and again. An empty text
   * leaves the sign of life alone.
   */
  show(kind, say) {
    this.stopClock();
    this.state.hidden = false;
    this.state.dataset.kind = kind;
    this.stopClock = startClock((passed) => {
      setText(this.text, say(passed));
      const beat = String(Math.floor(passed) % 2);
      if (this.state.dataset.beat !== beat) this.state.dataset.beat = beat;
    });
  }

  /** The turn has ended; figures that are not known are left out. */
  end(stats) {
    this.stopClock();
    this.state.hidden = true;
    this.stats.replaceChildren(...(stats ? figures(stats) : []));
    this.stats.hidden = !this.stats.children.length;
  }
}

/** What a wait is for, in plain words, with its clock. */
export function waitingText({ reason, message, seconds }, passed) {
  const words = message || { slot: "Waiting for a free slot", waking: "Waking the server" }[reason] || "Waiting";
  const sentence = words.replace(/[.…\s]+$/u, "");
  if (reason === "retry" && seconds) {
    const left = Math.ceil(seconds - passed);
    return left > 0 ? `${sentence} · trying again in ${clock(left)}` : `${sentence} · trying again`;
  }
  return `${sentence} · ${clock(passed)}`;
}

function figures(stats) {
  const { estimated } = stats;
  const items = [];
  const add = (name, value, title) =>
    items.push(el("li", { title }, name && el("span.figure-name", {}, name), name ? " " : "", value));
  if (isNumber(stats.first_token_s)) {
    add("First token", duration(stats.first_token_s), "Time from sending to the first token");
  }
  if (isNumber(stats.thinking_tokens_per_s)) {
    add("Thinking", speed(stats.thinking_tokens_per_s, estimated), "Speed while thinking");
  }
  if (isNumber(stats.answer_tokens_per_s)) {
    add("Answer", speed(stats.answer_tokens_per_s, estimated), "Speed while answering");
  }
  const all = (stats.reasoning_tokens ?? 0) + (stats.answer_tokens ?? 0);
  if (all) add("", tokens(all, estimated), tokensTitle(stats));
  if (stats.cached_tokens) {
    add("", `${count(stats.cached_tokens)} cached`, "Prompt tokens taken from the prefix cache");
  }
  if (isNumber(stats.total_s)) add("Total", duration(stats.total_s), "Time from sending to the end");
  return items;
}

function tokensTitle({ reasoning_tokens, answer_tokens, prompt_tokens }) {
  const known = [
    [reasoning_tokens, "thinking"],
    [answer_tokens, "answer"],
    [prompt_tokens, "in the prompt"],
  ].filter(([number]) => isNumber(number));
  return known.map(([number, name]) => `${count(number)} ${name}`).join(", ");
}

function isNumber(value) {
  return typeof value === "number";
}
