// The switch between versions of a message or an answer: "‹ 2 of 3 ›".

import { el, icon } from "./dom.mjs";
import { t } from "./texts.mjs";

/** @typedef {{at: number, ids: string[]}} Versions  `at` counts from 1 */

/** The versions once another one, `id`, stands beside them and is shown. */
export function withAnother(versions, id) {
  const ids = [...(versions?.ids ?? []), id];
  return { at: ids.length, ids };
}

/** Hidden while there is one version only. `choose(id, direction)` is asked for another. */
export class VersionSwitch {
  constructor(choose) {
    this.choose = choose;
    this.text = el("span.versions-text", { "aria-live": "off" });
    this.earlier = this.button(-1, t("versions.earlier"));
    this.later = this.button(1, t("versions.later"));
    this.element = el(
      "div.versions",
      { role: "group", "aria-label": t("versions.name"), "data-testid": "versions", hidden: true },
      this.earlier,
      this.text,
      this.later,
    );
    this.element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.go(step);
    });
  }

  button(direction, label) {
    return el(
      `button.button.icon-button.versions-${direction < 0 ? "earlier" : "later"}`,
      { type: "button", "aria-label": label, title: label, onclick: () => this.go(direction) },
      icon("chevron"),
    );
  }

  /** @param {Versions|null} versions  null while that is not known */
  show(versions) {
    this.versions = versions;
    this.element.hidden = !versions || versions.ids.length < 2;
    if (this.element.hidden) return;
    const { at, ids } = versions;
    this.text.textContent = t("versions.at", { at, of: ids.length });
    // Not `disabled`: the focus must stay where it is.
    this.earlier.setAttribute("aria-disabled", String(at === 1));
    this.later.setAttribute("aria-disabled", String(at === ids.length));
  }

  go(direction) {
    const id = this.versions.ids[this.versions.at - 1 + direction];
    if (id !== undefined) this.choose(id, direction);
  }

  /** Puts the focus where the reader who went in this direction goes on. */
  focus(direction) {
    (direction < 0 ? this.earlier : this.later).focus({ preventScroll: true });
  }
}

/** How an entry is named for a screen reader: "Your message, version 2 of 3". */
export function nameWithVersion(name, versions) {
  if (!versions || versions.ids.length < 2) return name;
  return t("versions.named", { name, at: versions.at, of: versions.ids.length });
}
