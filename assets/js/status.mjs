// The state of the model server in the header: one badge and a few words; a click shows the rest.

import { announce } from "./announce.mjs";
import { copyButton } from "./copy.mjs";
import { el, icon, setText } from "./dom.mjs";
import { clock } from "./format.mjs";
import { server } from "./server.mjs";
import { join, t } from "./texts.mjs";
import { startClock } from "./ticker.mjs";

const FAILED = new Set(["unreachable", "unknown", "offline"]);
const TOLD_IN_FULL = new Set(["simulator", "busy"]); // their words say what their meaning does not
const DRIFT_S = 2; // of the clock against the server's, before it is set anew
const GAP_PX = 8;

/** Ties the badge that the server has rendered (app/ui/header.py) to what is known. */
export function startStatus(element) {
  new Status(element);
  server.start();
}

class Status {
  constructor(element) {
    this.element = element;
    this.badge = element.querySelector(".badge");
    this.badgeText = element.querySelector(".badge-text");
    this.words = element.querySelector(".status-words");
    this.stopClock = null;
    this.since = 0;
    this.details = el("div.status-details", {
      id: "status-details",
      popover: "auto",
      role: "dialog",
      "aria-label": t("status.name"),
      ontoggle: ({ newState }) => this.toggled(newState === "open"),
    });
    element.append(this.details);
    this.badge.setAttribute("popovertarget", this.details.id);
    this.badge.setAttribute("aria-expanded", "false");
    server.addEventListener("change", ({ detail }) => this.show(detail.before));
  }

  show(before) {
    const state = shownState();
    const { status } = server;
    this.element.dataset.state = state;
    this.tick(state === "waking" ? status.since_s : null);
    if (state !== "waking") setText(this.badgeText, t(`status.${state}`));
    setText(this.words, words(state));
    this.words.title = this.words.textContent;
    if (this.details.matches(":popover-open")) this.explain();
    if (before && before !== status.state) {
      announce(join(t("status.badge"), t(`status.${state}`)));
    }
  }

  /** The clock of a wake runs between two looks, and is not set back by what they round. */
  tick(seconds) {
    if (seconds === null) {
      this.stopClock?.();
      this.stopClock = null;
      return;
    }
    const since = performance.now() - seconds * 1000;
    if (this.stopClock && Math.abs(since - this.since) < DRIFT_S * 1000) return;
    this.stopClock?.();
    this.since = since;
    const key = server.status.billed ? "status.waking.billed" : "status.waking.time";
    this.stopClock = startClock((passed) => {
      setText(this.badgeText, t(key, { time: clock(passed) }));
    }, { since });
  }

  toggled(isOpen) {
    this.badge.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    this.explain();
    const { left, bottom } = this.badge.getBoundingClientRect();
    const most = innerWidth - this.details.offsetWidth - GAP_PX;
    this.details.style.left = `${Math.max(GAP_PX, Math.min(left, most))}px`;
    this.details.style.top = `${bottom + GAP_PX}px`;
  }

  explain() {
    const { message = "", request_id: request = null, label = "" } = server.status ?? {};
    const state = shownState();
    const said = request ? `${message}\n${t("status.request_id", { id: request })}` : message;
    const hadFocus = this.details.contains(document.activeElement);
    this.details.replaceChildren(
      el("p.status-state", {}, t(`status.${state}`)),
      label && state !== "simulator" ? el("p.status-server", { dir: "auto" }, label) : "",
      TOLD_IN_FULL.has(state) ? el("p", {}, words(state)) : "",
      el("p", {}, t(`status.${state}.meaning`)),
      message ? this.said(said) : "",
      FAILED.has(state) ? this.again() : "",
    );
    if (hadFocus) this.details.querySelector("button")?.focus();
  }

  /** The server's own words, to be selected, or copied. */
  said(text) {
    return el(
      "div.status-said",
      {},
      el("pre.status-message", { dir: "auto", tabindex: "0", "data-testid": "status-message" }, text),
      copyButton(t("status.copy"), () => text),
    );
  }

  again() {
    return el(
      "button.button.status-again",
      { type: "button", onclick: () => server.look({ again: true }) },
      icon("retry"),
      t("status.again"),
    );
  }
}

/** The state as the reader has it: a place in the line is what matters while there is one. */
function shownState() {
  const state = server.status?.state ?? "checking";
  return server.place !== null && state !== "offline" ? "busy" : state;
}

/** What stands beside the badge. */
function words(state) {
  if (state === "busy") {
    const { place, status } = server;
    if (place !== null) return t("status.busy.place", { place });
    return t("status.busy.waiting", { count: status.waiting });
  }
  if (state === "ready" || state === "checking") return server.status?.label ?? "";
  if (state === "simulator" || state === "asleep") return t(`status.${state}.words`);
  if (state === "offline") return t("status.offline.meaning");
  return server.status.message;
}
