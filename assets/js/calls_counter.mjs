// How many calls the model has made in the chat that is shown, and how many of them fit their tools.

import { chat } from "./chat.mjs";
import { el, icon } from "./dom.mjs";
import { t } from "./texts.mjs";

const KINDS = ["valid", "invalid", "unknown"];

/** A line that is hidden until there are calls. */
export function callsCounter() {
  const line = el("p.calls-counter", { hidden: true, "data-testid": "calls-counter" });
  const show = () => {
    const { calls: counted } = chat;
    line.hidden = !counted?.calls;
    if (line.hidden) return line.replaceChildren();
    const kinds = KINDS.filter((kind) => counted[kind]);
    const words = kinds.map((kind) => t(`calls.${kind}`, { count: counted[kind] }));
    const all = t("calls.count", { count: counted.calls });
    line.title = t("calls.meaning");
    line.replaceChildren(icon("tool"), [all, ...words].join(" · "));
  };
  chat.addEventListener("context", show);
  show();
  return line;
}
