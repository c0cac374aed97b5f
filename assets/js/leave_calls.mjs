// The question before a message that leaves calls unanswered.

import { chat } from "./chat.mjs";
import { el } from "./dom.mjs";
import { showQuestion } from "./dialog.mjs";
import { t } from "./texts.mjs";

/** Whether a message may be sent now: at once where no call waits, else as the reader answers. */
export function mayLeaveCalls() {
  if (!chat.pending) return Promise.resolve(true);
  const count = chat.pending.calls.length;
  return showQuestion({
    heading: t("leave_calls.heading", { count }),
    content: [el("p", {}, t("leave_calls.text"))],
    yes: t("leave_calls.yes"),
    no: t("leave_calls.no"),
  });
}
