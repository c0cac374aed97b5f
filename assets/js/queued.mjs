// The cards of the queue, above the message box: what waits, why, and what can be done with it.

import { el, icon, iconButton, setText } from "./dom.mjs";
import { chat } from "./chat.mjs";
import { mediaLine } from "./format.mjs";
import { queue } from "./queue.mjs";
import { t } from "./texts.mjs";

const FIRST_CHARACTERS = 300; // more than a card shows

/** The list of cards; `edit(item)` takes a message back into the box, `box` is where the focus goes. */
export function queuedCards({ edit, box }) {
  const list = el("ul.queue", {
    "aria-label": t("queue.name"),
    "data-testid": "queue",
    hidden: true,
  });
  const cards = new Map();
  const show = () => {
    const shown = queue.items.filter((item) => !item.sending);
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, card] of cards) {
      if (ids.has(id)) continue;
      if (card.element.contains(document.activeElement)) box.focus();
      card.element.remove();
      cards.delete(id);
    }
    shown.forEach((item, at) => {
      if (!cards.has(item.id)) cards.set(item.id, new Card(item, edit));
      const card = cards.get(item.id);
      card.show(item);
      if (list.children[at] !== card.element) list.insertBefore(card.element, list.children[at]);
    });
    list.hidden = shown.length === 0;
  };
  queue.addEventListener("change", show);
  show();
  return list;
}

class Card {
  constructor(item, edit) {
    this.item = item;
    this.note = el("p.queued-note", { dir: "auto" });
    this.chips = el("ul.queued-chips");
    this.send = el(
      "button.button.queued-send",
      {
        type: "button",
        title: t("queue.send"),
        "aria-label": t("queue.send"),
        onclick: () => queue.sendNow(this.item),
      },
      icon("send"),
      el("span", {}, t("queue.send")),
    );
    this.element = el(
      "li.queued",
      { "data-testid": "queued" },
      el(
        "div.queued-words",
        {},
        el("p.queued-text", { dir: "auto" }, item.text.trim().slice(0, FIRST_CHARACTERS)),
        this.chips,
        this.note,
      ),
      el(
        "div.queued-actions",
        {},
        this.send,
        iconButton("edit", t("queue.edit"), () => edit(this.item)),
        iconButton("close", t("queue.remove"), () => this.remove()),
      ),
    );
  }

  show(item) {
    this.item = item;
    const isHeld = queue.held || item.problem !== "";
    setText(this.note, note(item));
    this.element.dataset.state = item.problem ? "refused" : isHeld ? "held" : "waiting";
    const isReady = item.uploads.every((upload) => upload.media);
    this.send.hidden = chat.busy || !isReady;
    this.chips.replaceChildren(...chips(item));
    this.chips.hidden = !this.chips.children.length;
  }

  remove() {
    const next = this.element.nextElementSibling ?? this.element.previousElementSibling;
    next?.querySelector(".queued-actions .icon-button:last-child").focus();
    for (const upload of this.item.uploads) upload.drop();
    queue.take(this.item);
  }
}

function note(item) {
  if (item.problem) return item.problem;
  if (queue.held) return t("queue.held");
  const isUploading = item.uploads.some((upload) => !upload.media);
  const isNext = !chat.busy && item === queue.items[0];
  return t(isNext && isUploading ? "queue.when_uploaded" : "queue.when_ended");
}

function chips({ media, uploads, files }) {
  return [
    ...media.map((each) => chip(each.kind, mediaLine(each), each.name)),
    ...uploads.map((each) => chip(each.kind, each.name, each.name)),
    ...files.map((each) => chip("file", each.name, each.name)),
  ];
}

function chip(kind, title, name) {
  return el("li.queued-chip", { title }, icon(kind), el("span", { dir: "auto" }, name));
}
