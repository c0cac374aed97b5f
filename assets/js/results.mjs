// What the calls of a turn got: an entry of the conversation between two turns of the model.

import { announce } from "./announce.mjs";
import { chat } from "./chat.mjs";
import { copyButton } from "./copy.mjs";
import { el, icon, setText } from "./dom.mjs";
import { foldedText } from "./folded_text.mjs";
import { clock } from "./format.mjs";
import { prettyJson } from "./pretty_json.mjs";
import { t } from "./texts.mjs";
import { startClock } from "./ticker.mjs";
import { VersionSwitch, nameWithVersion } from "./versions.mjs";

const WORDS = ["hand", "generated", "error", "cancelled"];

/** Who or what gave a result, in words: "Rule 2". */
export function answeredBy(said) {
  const [kind, number] = said.split(" ");
  if (kind === "rule") return t("results.by.rule", { number: Number(number) });
  return WORDS.includes(kind) ? t(`results.by.${kind}`) : said;
}

export class ResultsView {
  kind = "results";

  /**
   * @param {{id: string, results: {call_id: string, content: string, answered_by: string}[]}} entry
   * @param {import("./card_page.mjs").CardPage} page
   */
  constructor(entry, page) {
    this.id = entry.id;
    this.created = entry.created ?? null;
    this.results = entry.results;
    this.versions = new VersionSwitch((version, way) => page.choose(this, version, way));
    this.list = el("ol.results-list");
    this.waits = el("p.results-wait", { hidden: true });
    this.stopClock = () => {};
    this.goOn = el(
      "button.button.is-primary.continue",
      { type: "button", hidden: true, onclick: () => page.resume() },
      icon("continue"),
      t("results.resume"),
    );
    this.element = el(
      "section.results",
      { "data-testid": "results", tabindex: "-1" },
      this.list,
      this.waits,
      this.goOn,
      this.versions.element,
    );
    this.showVersions(entry.versions ?? null);
    this.nameCalls([]);
  }

  /** The same entry as the server has it now. */
  update(entry) {
    this.showVersions(entry.versions);
  }

  /** The rules hold the results back for so many seconds. */
  wait(seconds) {
    this.waits.hidden = false;
    announce(t("results.delay", { time: clock(seconds) }));
    this.stopClock = startClock((passed) => {
      setText(this.waits, t("results.delay", { time: clock(Math.max(0, seconds - passed)) }));
    });
  }

  /** What was waited for has come, or it leaves the page. */
  close() {
    this.stopClock();
    this.waits.hidden = true;
  }

  /** At the end of a chat nothing has answered them: a run was stopped, or they cancel calls. */
  setLast(isLast) {
    this.goOn.hidden = !isLast || chat.busy;
  }

  showVersions(versions) {
    this.versions.show(versions);
    this.element.setAttribute("aria-label", nameWithVersion(t("results.name"), versions));
  }

  /** The results stand in the order of the calls, whose names these are. */
  nameCalls(names) {
    const known = names.join("\n");
    if (known === this.known) return;
    this.known = known;
    this.list.replaceChildren(
      ...this.results.map((result, at) => resultLine(result, names[at] ?? result.call_id)),
    );
  }
}

function resultLine({ content, answered_by: by }, name) {
  const shown = prettyJson(content);
  return el(
    "li.result",
    { "data-testid": "result", "data-by": by.split(" ")[0] },
    el(
      "div.result-head",
      {},
      icon("undo"),
      el("span", {}, t("results.of")),
      el("code.call-name", { dir: "auto" }, name),
      el("span.result-by", {}, answeredBy(by)),
      copyButton(t("results.copy", { name }), () => content),
    ),
    el(
      "pre.call-arguments",
      { tabindex: "0", role: "region", "aria-label": t("results.content", { name }), dir: "auto" },
      content ? foldedText(shown) : el("em", {}, t("results.empty")),
    ),
  );
}
