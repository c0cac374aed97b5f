// What stands under a turn: what it waits for while it runs, its actions and its figures when it
// has ended. It keeps one place from the first moment, so that nothing shifts.

import { el, setText } from "./dom.mjs";
import { figures } from "./figures.mjs";
import { clock } from "./format.mjs";
import { t } from "./texts.mjs";
import { startClock } from "./ticker.mjs";

export class TurnFoot {
  /** `pace` is that of its clocks; one that is replayed may be quicker than it was. */
  constructor({ pace = 1 } = {}) {
    this.pace = pace;
    this.text = el("span.turn-state-text");
    this.state = el("div.turn-state", { hidden: true }, el("span.pulse"), this.text);
    this.stats = el("ul.turn-stats", { "aria-label": t("figures.name"), hidden: true });
    this.actions = el("div.turn-actions");
    this.element = el("footer.turn-foot", {}, this.state, this.stats, this.actions);
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
    this.stopClock = startClock(
      (passed) => {
        setText(this.text, say(passed));
        const beat = String(Math.floor(passed / this.pace) % 2);
        if (this.state.dataset.beat !== beat) this.state.dataset.beat = beat;
      },
      { pace: this.pace },
    );
  }

  /** The turn has ended so; `actions` are what can be done with it. */
  end(outcome, ...actions) {
    this.stopClock();
    this.state.hidden = true;
    this.actions.replaceChildren(...actions);
    this.stats.replaceChildren(...figures(outcome));
    this.stats.hidden = !this.stats.children.length;
  }

  /** Nothing is to be told any more: it leaves the page. */
  close() {
    this.stopClock();
  }
}

/** When the next try comes, `left` seconds from now. */
export function tryingAgain(left) {
  return left > 0 ? t("waiting.again_in", { time: clock(left) }) : t("waiting.again");
}

/** What a wait is for, in plain words. */
export function waitingFor({ reason, before, billed, message }) {
  if (reason === "slot" && typeof before === "number") {
    return before === 0 ? t("waiting.slot.next") : t("waiting.slot.before", { count: before });
  }
  if (reason === "waking") return billed ? t("waiting.waking.billed") : t("waiting.waking");
  return (message || t(`waiting.${reason}`)).replace(/[.。…\s]+$/u, "");
}

/** The same with its clock, `passed` seconds after it began. */
export function waitingText(event, passed) {
  const words = waitingFor(event);
  if (event.reason === "retry" && event.seconds) {
    return `${words} · ${tryingAgain(Math.ceil(event.seconds - passed))}`;
  }
  return `${words} · ${clock(passed)}`;
}
