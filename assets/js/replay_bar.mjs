// The bar above the message box that offers a replay of what is recorded; and, while one goes on,
// says so, where it is and how quick, and stops it. It does nothing by itself.

import { el, icon, setText } from "./dom.mjs";
import { playTime } from "./format.mjs";
import { t } from "./texts.mjs";

const SPEEDS = [1, 2, 4, 10];

class ReplayBar {
  constructor() {
    this.onStart = this.onStop = () => {};
    this.onSpeed = (_speed) => {};
    this.start = el(
      "button.button.is-primary.replay-button",
      { type: "button", onclick: () => this.onStart() },
      icon("replay"),
      t("replay.start"),
    );
    this.invitation = el(
      "div.replay-row",
      {},
      icon("recorded"),
      el(
        "p.replay-words",
        {},
        el("span.replay-heading", {}, t("replay.recorded")),
        el("span.replay-note", {}, t("replay.recorded.meaning")),
      ),
      this.start,
    );
    this.heading = el("span.replay-heading");
    this.time = el("span.replay-time");
    this.stop = el(
      "button.button.replay-button",
      { type: "button", "data-testid": "replay-stop", onclick: () => this.onStop() },
      icon("stop"),
      t("replay.stop"),
    );
    this.speeds = speedChoice((speed) => this.onSpeed(speed));
    this.player = el(
      "div.replay-row",
      { hidden: true },
      icon("recorded"),
      el(
        "p.replay-words",
        {},
        el("span.replay-line", {}, this.heading, this.time),
        el("span.replay-note", {}, t("replay.meaning")),
      ),
      this.speeds,
      this.stop,
    );
    this.progress = el("div.replay-progress", { hidden: true });
    this.element = el(
      "section.case-bar.replay-bar",
      { "aria-label": t("replay.name"), "data-testid": "replay-bar", hidden: true },
      this.invitation,
      this.player,
      this.progress,
    );
  }

  /** Offers a replay, or has nothing to say. */
  offer(isOffered) {
    this.show({ isPlaying: false });
    this.element.hidden = !isOffered;
  }

  /** Answer `at` of `of` begins, at a speed. */
  play({ at, of, speed }) {
    setText(this.heading, of > 1 ? t("replay.playing.at", { at, of }) : t("replay.playing"));
    this.speeds.querySelector(`[value="${speed}"]`).checked = true;
    this.tick(0, null);
    this.show({ isPlaying: true });
    this.element.hidden = false;
  }

  show({ isPlaying }) {
    this.invitation.hidden = isPlaying;
    this.player.hidden = this.progress.hidden = !isPlaying;
    this.element.dataset.state = isPlaying ? "playing" : "offered";
  }

  /** So many of so many seconds have passed; null while that is not known. */
  tick(passed, seconds) {
    const known = { passed: playTime(passed), total: playTime(seconds ?? 0) };
    setText(this.time, seconds === null ? "" : t("replay.position", known));
    this.progress.style.setProperty("--progress", String(seconds ? passed / seconds : 0));
  }

  get isPlaying() {
    return !this.element.hidden && !this.player.hidden;
  }

  /** The button that begins a replay, where one is offered. */
  get invite() {
    return this.element.hidden || this.invitation.hidden ? null : this.start;
  }
}

function speedChoice(choose) {
  return el(
    "fieldset.replay-speeds",
    { "aria-label": t("replay.speed") },
    ...SPEEDS.map((speed) =>
      el(
        "label",
        {},
        el("input.visually-hidden", {
          type: "radio",
          name: "replay-speed",
          value: speed,
          onchange: () => choose(speed),
        }),
        el("span", {}, t("replay.speed.times", { speed })),
      ),
    ),
  );
}

/** The one of the page. */
export const replayBar = new ReplayBar();
