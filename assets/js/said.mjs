// One sentence near the message box, also read out.

import { announce } from "./announce.mjs";
import { el, setText } from "./dom.mjs";

export class Said {
  constructor() {
    this.said = "";
    this.text = el("p.composer-said", { hidden: true, "data-testid": "composer-said" });
    this.element = el("div.composer-alert", { role: "alert" }, this.text);
  }

  /**
   * "quiet" tells, "refused" asks for something.
   * @param {{label: string, run: () => void}} [way]  a button that leads to where that is
   */
  say(sentence, tone, way = null) {
    setText(this.text, sentence);
    this.said = sentence;
    if (way) {
      const onclick = () => way.run();
      this.text.append(" ", el("button.button.composer-way", { type: "button", onclick }, way.label));
    }
    this.text.dataset.tone = tone;
    this.text.hidden = false;
    announce(sentence);
  }

  /** Takes back what was said; of a `sentence` only that one. */
  unsay(sentence = this.said) {
    if (sentence !== this.said) return;
    this.text.hidden = true;
    setText(this.text, "");
  }
}
