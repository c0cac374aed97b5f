// One line of the list of chats: its title, when something was said in it, whether it is being
// answered, and what a search has found in it.

import { addMenu } from "./button_menu.mjs";
import { el, iconButton, setText } from "./dom.mjs";
import { moment, when } from "./format.mjs";
import { mark } from "./marks.mjs";
import { t } from "./texts.mjs";

const MOST_CHARACTERS = 200; // of a title, as the server takes it

export class ChatLine {
  /** `options(line)` are the items of its menu; `choose(line)` opens its chat. */
  constructor({ options, choose }) {
    this.chat = null;
    this.title = el("span.chat-title", { dir: "auto" });
    this.running = el("span.chat-running", {
      role: "img",
      "aria-label": t("chats.running"),
      title: t("chats.running"),
      hidden: true,
    });
    this.time = el("time.chat-time");
    this.snippet = el("span.chat-snippet", { dir: "auto", hidden: true });
    this.link = el(
      "a.chat-link",
      {
        onclick: (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // a new tab
          event.preventDefault();
          choose(this);
        },
      },
      this.title,
      this.running,
      this.time,
      this.snippet,
    );
    this.options = iconButton("more", "", null);
    this.menu = addMenu(this.options, () => options(this));
    this.element = el(
      "li.chat-line",
      {
        "data-testid": "chat-line",
        oncontextmenu: (event) => {
          if (event.target.closest("input, .menu")) return; // text has a menu of its own
          event.preventDefault();
          this.options.click();
        },
      },
      this.link,
      this.options,
      this.menu,
    );
  }

  get name() {
    return this.chat.title || t("chats.untitled");
  }

  /** Shows a chat of the server's list; `words` are what a search looks for. */
  show(chat, words) {
    this.chat = chat;
    const address = `#chat=${encodeURIComponent(chat.id)}`;
    if (this.link.getAttribute("href") !== address) this.link.href = address;
    mark(this.title, this.name, words);
    this.title.title = this.name;
    for (const named of [this.options, this.menu]) {
      named.setAttribute("aria-label", t("chats.options", { title: this.name }));
    }
    this.options.title = t("chats.options.short");
    this.time.dateTime = new Date(chat.updated * 1000).toISOString();
    this.time.title = moment(chat.updated);
    setText(this.time, when(chat.updated));
    this.snippet.hidden = !chat.snippet;
    mark(this.snippet, chat.snippet, words);
  }

  /** Says whether it is the chat on the page, and whether it is being answered. */
  state({ isOpen, isRunning }) {
    if (isOpen) this.link.setAttribute("aria-current", "page");
    else this.link.removeAttribute("aria-current");
    this.running.hidden = !isRunning;
  }

  /** Whether Tab reaches it. */
  set isStop(isStop) {
    this.link.tabIndex = this.options.tabIndex = isStop ? 0 : -1;
  }

  /**
   * Lets the reader write another title: Enter or leaving the field keeps it, Escape does not.
   * @returns {Promise<string|null>}  null where it stays
   */
  rename() {
    return new Promise((resolve) => {
      let isOver = false;
      const end = (isKept, isFocused) => {
        if (isOver) return;
        isOver = true;
        const title = field.value.trim();
        field.replaceWith(this.link);
        this.options.hidden = false;
        if (isFocused) this.link.focus();
        resolve(isKept && title !== this.name ? title : null);
      };
      const field = el("input.chat-rename", {
        type: "text",
        dir: "auto",
        maxlength: MOST_CHARACTERS,
        "aria-label": t("chats.rename.name", { title: this.name }),
        onkeydown: (event) => {
          event.stopPropagation(); // the keys of the list mean something else in a text
          if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
          event.preventDefault();
          end(event.key === "Enter", true);
        },
        onblur: () => end(true, false),
      });
      field.value = this.name;
      this.link.replaceWith(field);
      this.options.hidden = true;
      field.focus();
      field.select();
    });
  }
}
