// What the server finds in a text while it is being written: asked a moment after the last change,
// and only the answer for the text as it is now counts.

import { Refused, request } from "./api.mjs";

const ASKED_AFTER_MS = 300;

/**
 * @typedef {{key: string, path: string, line: number, column: number,
 *   values: Record<string, string>, message: string}} Finding
 * @typedef {{text: string, errors: Finding[], warnings: Finding[], tools?: object[],
 *   count?: number}} Checked  `text` is what it was found in
 */

export class TextCheck {
  /**
   * @param {(text: string) => object} body  what is asked of the server about a text
   * @param {() => void} told  called when an answer has come
   */
  constructor(body, told) {
    this.body = body;
    this.told = told;
    this.text = "";
    this.asking = Promise.resolve();
    this.timer = 0;
    /** @type {Checked} the last answer; of an older text until the next one has come */
    this.last = nothingFound("");
  }

  /** The answer for the text as it is, or null while there is none. */
  get current() {
    return this.last.text === this.text ? this.last : null;
  }

  /** Takes the text as it is now; what stood already is asked about `atOnce`. */
  take(text, { atOnce = false, isSame = false } = {}) {
    if (text === this.text && !isSame) return;
    this.text = text;
    clearTimeout(this.timer);
    this.timer = 0;
    if (!text.trim()) this.answered(nothingFound(text));
    else if (atOnce) this.ask();
    else this.timer = setTimeout(() => this.ask(), ASKED_AFTER_MS);
  }

  /** Resolves once the text as it is has been looked at, or the server cannot be reached. */
  settled() {
    if (this.timer) this.ask();
    return this.asking;
  }

  ask() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.asking = this.look(this.text);
  }

  async look(text) {
    try {
      const body = this.body(text);
      const found = await request("tools/check", { method: "POST", body });
      if (text === this.text) this.answered({ ...nothingFound(text), ...found });
    } catch (error) {
      // The server looks again at what is sent; until then nothing is known of this text.
      if (!(error instanceof Refused)) throw error;
    }
  }

  answered(checked) {
    this.last = checked;
    this.told();
  }
}

/** @returns {Checked} */
function nothingFound(text) {
  return { text, errors: [], warnings: [] };
}
