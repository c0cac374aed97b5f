// Replays of recorded answers in the conversation. What came is drawn once more, by the code that
// drew it live and in the place of the answer's card; what followed it is not there until then. No
// model is asked. When a replay ends, or is stopped, everything stands as it stood before.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { chat } from "./chat.mjs";
import { replayBar } from "./replay_bar.mjs";
import { ReplayRun } from "./replay_run.mjs";
import { t } from "./texts.mjs";
import { startClock } from "./ticker.mjs";

const BREATH_MS = 1_000; // from one answer to the next message, at the recording's own speed

/**
 * What is being replayed: `cards` are the answers, `card` the one that is on, `run` its replay
 * while it lasts; in the end `rescroll()` scrolls what was scrolled in them, and `back()` has the
 * focus.
 * @typedef {{cards: object[], card: object, run: ReplayRun|null, rescroll: () => void,
 *   back: () => HTMLElement}} Stage
 */

export class Replays {
  /** @param {import("./transcript.mjs").Transcript} transcript */
  constructor(transcript) {
    this.transcript = transcript;
    /** @type {Stage|null} */
    this.stage = null;
    this.speed = 1;
    this.stopClock = () => {};
    replayBar.onStart = () => this.all();
    replayBar.onStop = () => this.stop();
    replayBar.onSpeed = (speed) => this.setSpeed(speed);
    chat.addEventListener("replay", () => this.all()); // the list of chats tells it
    chat.addEventListener("busy", () => chat.busy && this.stop());
    chat.addEventListener("reset", () => this.stop());
    chat.addEventListener("leaving", () => {
      this.stop();
      replayBar.offer(false);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
      if (!this.stage || document.querySelector("dialog[open], :popover-open")) return;
      event.preventDefault();
      this.stop();
    });
  }

  /** Of the entries those that are on the page now: up to the answer that is replayed, anew. */
  onStage(entries) {
    const at = this.stage ? entries.indexOf(this.stage.card) : -1;
    if (at < 0) return entries;
    return [...entries.slice(0, at), this.stage.run?.view ?? this.stage.card];
  }

  /** Offers a replay where the chat ends with what no model was asked for here. */
  offer(last) {
    if (!this.stage) replayBar.offer(last?.kind === "turn" && last.outcome?.recorded === true);
  }

  /** Replays one answer. */
  answer(card) {
    return this.play([card], () => card.actions.replay);
  }

  /** Replays the chat from its first message. */
  async all() {
    if (chat.busy) return chat.tell("refused", { sentence: t("transcript.busy") });
    const { id } = chat;
    const { above, scroller } = this.transcript;
    while (await above.more()); // what stands before the first that is shown
    if (id !== chat.id || chat.busy || above.count > 0) return;
    const cards = this.transcript.entries.filter(({ kind }) => kind === "turn");
    await this.play(cards, () => replayBar.invite ?? scroller);
  }

  async play(cards, back) {
    this.stop();
    if (!cards.length) return chat.tell("refused", { sentence: t("replay.nothing") });
    const { entries } = this.transcript;
    const rescroll = scrolled(entries.slice(entries.indexOf(cards[0])));
    const stage = { cards, card: cards[0], run: null, rescroll, back };
    this.stage = stage;
    announce(t("replay.begun"));
    let refused = "";
    try {
      const count = await this.playEach(stage);
      if (count === 0) refused = t("replay.nothing");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused = error.sentence;
    } finally {
      if (stage === this.stage) this.close();
      else refused = null; // stopped, which was said
    }
    if (refused) chat.tell("refused", { sentence: refused });
    else if (refused === "") announce(t("replay.over"));
  }

  /** How many of the answers there was a recording of; the others are shown at once. */
  async playEach(stage) {
    let count = 0;
    for (const card of stage.cards) {
      if (count > 0) await pause(BREATH_MS / this.speed);
      if (stage !== this.stage) return count;
      if (await this.playOne(stage, card)) count += 1;
    }
    return count;
  }

  /** Plays it to its end, again where the speed changes; false where nothing was recorded. */
  async playOne(stage, card) {
    const { follower } = this.transcript;
    const place = { at: stage.cards.indexOf(card) + 1, of: stage.cards.length };
    const isFollowed = place.at === 1 || follower.following;
    let how = "closed"; // then it begins again, at another speed
    while (how === "closed" && stage === this.stage) {
      const run = new ReplayRun(chat.id, card, this.speed);
      Object.assign(stage, { card, run });
      this.transcript.draw();
      if (isFollowed) follower.follow();
      const isBegun = replayBar.isPlaying;
      replayBar.play({ ...place, speed: this.speed });
      this.giveFocus(replayBar.stop, { isLost: !isBegun });
      try {
        const seconds = await run.begin();
        if (stage !== this.stage) return true;
        this.tick(seconds);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.code !== "not_recorded" || stage.cards.length === 1) throw error;
        if (stage === this.stage) this.showWhole(stage);
        return false;
      }
      how = await run.over;
      if (how === "gone") throw new Refused(0, { code: "gone", message: t("replay.gone") });
    }
    if (stage === this.stage) this.showWhole(stage);
    return true;
  }

  /** The answer's own card, in the place of its replay. */
  showWhole(stage) {
    const { follower } = this.transcript;
    const keepPlace = this.placeKeeper();
    this.stopClock();
    stage.run.close();
    stage.run = null;
    this.transcript.draw();
    if (!follower.following) keepPlace();
    this.giveFocus(stage.card.element);
  }

  /** The bar's clock begins, for an answer that took so long. */
  tick(seconds) {
    this.stopClock();
    this.stopClock = startClock((passed) => replayBar.tick(Math.min(passed, seconds), seconds), {
      pace: this.speed,
    });
  }

  /** Begins the answer that is on again, at another speed; those after it have it too. */
  setSpeed(speed) {
    this.speed = speed;
    this.stopClock();
    this.stage?.run?.close();
  }

  /** Ends it before its time. */
  stop() {
    if (!this.stage) return;
    this.close();
    announce(t("replay.stopped"));
  }

  /** What came last stays where it is on the window, once the answer's card stands there again. */
  placeKeeper() {
    const { card, run } = this.stage;
    const view = run?.view ?? card;
    const last = view.parts.parts.length - 1;
    const lastIn = ({ parts, element }) => parts.parts[last]?.view.element ?? element;
    const from = lastIn(view).getBoundingClientRect().top;
    return () => this.transcript.follower.keepPlace(lastIn(card), from);
  }

  /** All stands as it stood before. */
  close() {
    const { stage, transcript } = this;
    const { follower } = transcript;
    const { card, run } = stage;
    const isAtEnd = follower.following && transcript.entries.at(-1) === card && run === null;
    const isInBar = replayBar.element.contains(document.activeElement);
    const keepPlace = this.placeKeeper();
    this.stopClock();
    run?.close();
    this.stage = null;
    transcript.draw();
    stage.rescroll();
    if (isAtEnd) follower.follow();
    else keepPlace();
    this.giveFocus(isInBar ? stage.back() : card.element, { isLost: isInBar });
  }

  /** Puts the focus there, where what was drawn has lost it; `isLost`: it has anyhow. */
  giveFocus(element, { isLost = false } = {}) {
    if (isLost || this.transcript.hasLostFocus) element.focus({ preventScroll: true });
    this.transcript.hasLostFocus = false;
  }
}

/** What is scrolled in entries, to be scrolled so again: what leaves the page forgets it. */
function scrolled(entries) {
  const boxes = entries
    .flatMap(({ element }) => [...element.querySelectorAll(".thought-body, .table, pre")])
    .map((box) => ({ box, left: box.scrollLeft, top: box.scrollTop }))
    .filter(({ left, top }) => left || top);
  return () => boxes.forEach(({ box, left, top }) => box.scrollTo(left, top));
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
