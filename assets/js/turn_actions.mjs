// What can be done with an answer that has ended: its versions, copy, edit, answer again, rate,
// replay, inspect.

import { addMenu } from "./button_menu.mjs";
import { copyButton } from "./copy.mjs";
import { el, icon, iconButton } from "./dom.mjs";
import { Feedback } from "./feedback.mjs";
import { t } from "./texts.mjs";
import { toolbar } from "./toolbar.mjs";

const EFFORTS = [null, "low", "high", "max"];

export class TurnActions {
  /**
   * @param {import("./turn.mjs").TurnView} turn
   * @param {import("./card_page.mjs").CardPage} page
   */
  constructor(turn, page) {
    const { isEmpty } = turn.parts;
    this.feedback = new Feedback(turn.outcome.feedback ?? null, (value, comment) =>
      page.rate(turn, value, comment),
    );
    this.edit = iconButton("edit", t("turn.edit"), () => turn.startEditing());
    this.retry = iconButton("retry", t("turn.retry"), () => {});
    const menu = addMenu(this.retry, () => efforts(turn, page));
    const ofContent = isEmpty
      ? []
      : [copyButton(t("turn.copy"), () => page.readSource(turn)), this.edit];
    const ratings = isEmpty ? [] : Object.values(this.feedback.buttons);
    // What a person has worded was never streamed.
    const hasCome = !isEmpty && !turn.outcome.edited;
    this.replay = iconButton("replay", t("turn.replay"), () => page.replay(turn));
    const records = [
      ...(hasCome ? [this.replay] : []),
      iconButton("inspect", t("turn.inspect"), () => page.inspect(turn)),
    ];
    this.element = toolbar(t("turn.actions"), ...ofContent, this.retry, ...ratings, ...records);
    this.element.append(menu);
    this.goOn = continueButton(turn, page);
    this.goOn.hidden = true;
  }
}

/** The button that has the model go on with an answer. */
export function continueButton(turn, page) {
  const words = turn.parts.isOnlyThought ? t("turn.answer_from_here") : t("turn.continue");
  return el(
    "button.button.is-primary.continue",
    { type: "button", onclick: () => page.goOn(turn) },
    icon("continue"),
    words,
  );
}

function efforts(turn, page) {
  const used = turn.outcome.effort ?? null;
  const name = (effort) => t(`effort.${effort ?? "default"}`);
  return [
    {
      label: t("turn.retry.as_before", { effort: name(used) }),
      icon: "retry",
      choose: () => page.retry(turn, used),
    },
    null,
    ...EFFORTS.map((effort) => ({
      label: name(effort),
      checked: effort === used,
      choose: () => page.retry(turn, effort),
    })),
  ];
}
