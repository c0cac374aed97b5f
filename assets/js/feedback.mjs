// What the reader thinks of an answer: Like or Dislike, and a comment where there is one.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { el, icon, iconButton } from "./dom.mjs";
import { t } from "./texts.mjs";

const MOST_CHARACTERS = 4_000; // of a comment, as the server takes it
const ICONS = { like: "thumb-up", dislike: "thumb-down" };

/** The buttons go among the actions of an answer, `element` under them. */
export class Feedback {
  /**
   * @param {{value: "like"|"dislike", comment: string}|null} feedback
   * @param {(value: string|null, comment: string) => Promise<void>} rate  throws Refused
   */
  constructor(feedback, rate) {
    this.rate = rate;
    this.buttons = Object.fromEntries(
      Object.keys(ICONS).map((value) => [value, this.button(value)]),
    );
    this.element = el("div.feedback");
    this.show(feedback);
  }

  button(value) {
    return iconButton(ICONS[value], t(`feedback.${value}`), () => this.press(value));
  }

  /** Shows a rating as it is kept. */
  show(feedback) {
    this.feedback = feedback;
    for (const [value, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-pressed", String(feedback?.value === value));
    }
    this.element.replaceChildren(...(feedback?.comment ? [this.comment(feedback)] : []));
  }

  /** The same as it is kept now; what is being written stays. */
  update(feedback) {
    if (!this.element.querySelector("form")) this.show(feedback);
  }

  comment({ value, comment }) {
    return el(
      "button.feedback-comment",
      {
        type: "button",
        title: t("feedback.change"),
        "data-testid": "comment",
        onclick: () => this.ask(),
      },
      icon(ICONS[value]),
      el("span", { dir: "auto" }, comment),
    );
  }

  async press(value) {
    const before = this.feedback;
    const isTakenBack = before?.value === value;
    const after = isTakenBack ? null : { value, comment: before?.comment ?? "" };
    this.show(after);
    const refused = await this.keep(after);
    if (refused) {
      this.show(before);
      return this.say(refused);
    }
    announce(isTakenBack ? t("feedback.taken_back") : t(`feedback.${value}.told`));
    if (!isTakenBack && this.feedback === after) this.ask();
  }

  /** Keeps it; the sentence of a refusal, or null. */
  async keep(feedback) {
    try {
      await this.rate(feedback?.value ?? null, feedback?.comment ?? "");
      return null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return error.sentence;
    }
  }

  /** Asks for a comment, in place. */
  ask() {
    const { value, comment } = this.feedback;
    const button = this.buttons[value];
    const said = el("p.feedback-said", { role: "alert", dir: "auto", hidden: true });
    const field = el("input.feedback-field", {
      type: "text",
      dir: "auto",
      maxlength: MOST_CHARACTERS,
      placeholder: t(`feedback.${value}.placeholder`),
      "aria-label": t("feedback.comment"),
      autocomplete: "off",
    });
    field.value = comment;
    const close = () => {
      this.show(this.feedback);
      button.focus();
    };
    const send = async () => {
      const after = { value, comment: field.value.trim() };
      const refused = await this.keep(after);
      said.hidden = !refused;
      said.textContent = refused ?? "";
      if (refused) return;
      this.feedback = after;
      announce(t("feedback.sent"));
      close();
    };
    this.element.replaceChildren(
      el(
        "form.feedback-form",
        {
          onsubmit: (event) => {
            event.preventDefault();
            send();
          },
          onkeydown: (event) => {
            if (event.key !== "Escape" || event.isComposing) return;
            event.preventDefault(); // it stops no run
            close();
          },
        },
        field,
        el("button.button.is-primary", { type: "submit" }, t("composer.send")),
        el("button.button", { type: "button", onclick: close }, t("feedback.skip")),
        said,
      ),
    );
    field.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "nearest" });
  }

  say(sentence) {
    this.element.replaceChildren(el("p.feedback-said", { role: "alert", dir: "auto" }, sentence));
  }
}
