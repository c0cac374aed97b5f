// What stands above the first entry shown: earlier messages that load as the reader comes near,
// or the beginning of the chat.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { el, icon } from "./dom.mjs";
import { moment } from "./format.mjs";
import { t } from "./texts.mjs";

/** So far ahead of the reader it loads, in heights of the window. */
const AHEAD = "150%";

export class Earlier {
  /**
   * @param {HTMLElement} scroller
   * @param {() => Promise<void>} load  loads what stands before the first entry; throws Refused
   */
  constructor(scroller, load) {
    this.load = load;
    this.count = 0;
    this.began = null;
    this.loading = null;
    this.element = el("div.earlier", { "data-testid": "earlier", hidden: true });
    this.nearness = new IntersectionObserver(
      (entries) => entries.at(-1).isIntersecting && this.more(),
      { root: scroller, rootMargin: `${AHEAD} 0px 0px` },
    );
    this.nearness.observe(this.element);
  }

  /** So many entries stand above; with none, the chat `began` then, in Unix seconds, or null. */
  show(count, began) {
    this.count = count;
    this.began = began;
    this.draw();
    // Loading may have left the line as near as it was, which alone would not be told again.
    this.nearness.unobserve(this.element);
    this.nearness.observe(this.element);
  }

  /** Another chat is shown: what still loads is of no interest. */
  forget() {
    this.loading = null;
    this.failure = "";
  }

  /** Loads one page more; resolves when it is there, true, or could not be loaded, false. */
  more() {
    if (this.count === 0 || this.failure) return Promise.resolve(false);
    this.loading ??= this.run();
    return this.loading;
  }

  async run() {
    await null; // `loading` is set before anything can end it
    const { loading } = this;
    this.draw();
    let failure = "";
    try {
      await this.load();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      failure = error.sentence;
    }
    if (this.loading !== loading) return false;
    this.loading = null;
    this.failure = failure;
    this.draw();
    if (failure) announce(failure);
    else this.show(this.count, this.began);
    return !failure;
  }

  retry() {
    this.failure = "";
    this.more();
  }

  draw() {
    const { count, began, failure, loading } = this;
    this.element.hidden = count === 0 && began === null;
    if (failure) {
      this.element.replaceChildren(
        el("span", { dir: "auto" }, failure),
        el("button.button", { type: "button", onclick: () => this.retry() }, icon("retry"), t("notice.retry")),
      );
    } else if (count > 0) {
      this.element.replaceChildren(loading ? t("earlier.loading") : "");
    } else if (began !== null) {
      this.element.replaceChildren(
        el("time", { datetime: iso(began) }, t("earlier.beginning", { time: moment(began) })),
      );
    }
  }
}

function iso(seconds) {
  return new Date(seconds * 1000).toISOString();
}
