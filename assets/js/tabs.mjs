// Tabs: one of several panels is shown. The Tab key goes to the chosen tab, arrows to the next one.

import { el, freshId } from "./dom.mjs";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

export class Tabs {
  /**
   * A panel is drawn when it is first shown.
   * @param {string} name
   * @param {{label: string, draw: () => Node[]}[]} tabs
   */
  constructor(name, tabs) {
    this.tabs = tabs.map(({ label, draw }, at) => {
      const id = freshId("tab");
      const panel = el("div.tab-panel", {
        id: `${id}-panel`,
        role: "tabpanel",
        "aria-labelledby": id,
        tabindex: "0",
      });
      const onclick = () => this.choose(at);
      const button = el(
        "button.button.tab",
        { id, type: "button", role: "tab", "aria-controls": panel.id, onclick },
        label,
      );
      return { button, panel, draw, isDrawn: false };
    });
    this.list = el(
      "div.tab-list",
      { role: "tablist", "aria-label": name, onkeydown: (event) => this.pressed(event) },
      ...this.tabs.map(({ button }) => button),
    );
    this.elements = [this.list, ...this.tabs.map(({ panel }) => panel)];
    this.choose(0);
  }

  choose(chosen) {
    this.at = chosen;
    this.tabs.forEach(({ button, panel }, at) => {
      button.setAttribute("aria-selected", String(at === chosen));
      button.tabIndex = at === chosen ? 0 : -1;
      panel.hidden = at !== chosen;
    });
    const tab = this.tabs[chosen];
    if (tab.isDrawn) return;
    tab.isDrawn = true;
    tab.panel.replaceChildren(...tab.draw());
  }

  /** What the panels show is out of date. */
  redraw() {
    for (const tab of this.tabs) {
      tab.isDrawn = false;
      tab.panel.replaceChildren();
      tab.panel.scrollTop = 0;
    }
    this.choose(this.at);
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { length } = this.tabs;
    const step = STEPS[event.key];
    const ends = { Home: 0, End: length - 1 };
    const to = step ? (this.at + step + length) % length : ends[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(to);
    this.tabs[to].button.focus();
  }
}
