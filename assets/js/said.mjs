// One sentence near the message box, also read out.

import { announce } from "./announce.mjs";
import { el, setText } from "./dom.mjs";

export class Said {
  constructor() {
    this.text = el("p.composer-said", { hidden: true, "data-testid": "composer-said" });
    this.element = el("div.composer-alert", { role: "alert" }, this.text);
  }

  /** "quiet" tells, "refused" asks for something. */
  say(sentence, tone) {
    setText(this.text, sentence);
    this.text.dataset.tone = tone;
    this.text.hidden = false;
    announce(sentence);
  }

  /** Takes back what was said; of a `sentence` only that one. */
  unsay(sentence = this.text.textContent) {
    if (sentence !== this.text.textContent) return;
    this.text.hidden = true;
    setText(this.text, "");
  }
}
