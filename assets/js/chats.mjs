// The list of chats beside the conversation: what is searched for, what is said, and what can be
// done to each chat. Its lines are drawn by chat_lines.mjs.

import { account, adoptChats } from "./account.mjs";
import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { exportCase } from "./case_files.mjs";
import { caseMenu } from "./case_menu.mjs";
import { chat } from "./chat.mjs";
import { confirmRemoval, exportMarkdown, pin, remove, rename } from "./chat_changes.mjs";
import { ChatLines } from "./chat_lines.mjs";
import { ChatPages } from "./chat_pages.mjs";
import { searchBox } from "./chat_search.mjs";
import { el, icon, iconButton, setText } from "./dom.mjs";
import { translate } from "./labels.mjs";
import { leaveDrawer, openChats } from "./panel.mjs";
import { ownerNotes, recoveryButton } from "./recovery.mjs";
import { KEYS, newChat, startShortcuts } from "./shortcuts.mjs";
import { t } from "./texts.mjs";

/** Called once by the Gradio component with the element that holds its template. */
export function mount(element) {
  translate(element);
  new ChatList(element.querySelector(".chats"));
  startShortcuts();
}

class ChatList {
  constructor(nav) {
    this.pages = new ChatPages({
      onChange: () => this.show(),
      onFailure: (sentence) => this.say(sentence, { isOfLoading: true }),
    });
    this.lines = new ChatLines({
      options: (line) => this.options(line),
      choose: (line) => this.choose(line),
      end: () => this.pages.next(),
    });
    this.isHeld = false; // while a title is being written, nothing moves
    this.isOfLoading = false; // what is said
    this.fresh = freshButton();
    this.said = el("div.chats-said", { role: "alert" });
    this.empty = el("p.chats-empty", { hidden: true, "data-testid": "chats-empty" });
    this.recovery = recoveryButton();
    this.foot = el("div.chats-foot", {}, this.recovery, endingNote(nav.dataset.ending));
    nav.append(
      el(
        "div.chats-head",
        {},
        this.fresh,
        caseMenu({ change: (changing) => this.change(changing) }),
        iconButton("close", t("chats.close"), null, { id: "chats-close" }),
      ),
      searchBox({
        search: (words) => this.search(words),
        leave: () => leaveDrawer() || document.querySelector(".composer-text")?.focus(),
        toLines: () => this.lines.focus(0),
      }),
      ...ownerNotes(),
      this.said,
      this.empty,
      this.lines.element,
      this.foot,
    );
    this.listen();
    this.pages.refresh();
    if (window.glmOwner.link !== null) openChats();
    this.showAccount();
  }

  /** Who has signed in has the chats wherever that is: no link is needed. */
  async showAccount() {
    const { name } = await account;
    if (name !== null) {
      const signedIn = t("account.name", { name });
      this.recovery.replaceWith(el("p.chats-account", { dir: "auto" }, signedIn));
    }
    await this.change(adoptChats());
  }

  listen() {
    chat.addEventListener("chats", () => this.pages.refreshSoon());
    for (const name of ["reset", "message", "busy"]) {
      chat.addEventListener(name, () => this.lines.showStates());
    }
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.pages.refreshSoon();
    });
    this.lines.element.addEventListener("keydown", (event) => {
      const line = this.lines.holding(event.target);
      if (!line || event.defaultPrevented) return;
      if (event.key === "F2") this.rename(line);
      else if (event.key === "Delete") this.remove(line);
      else return;
      event.preventDefault();
    });
  }

  show() {
    if (this.isHeld) return;
    const { chats, words } = this.pages;
    this.lines.show(chats, words);
    this.empty.hidden = chats.length > 0;
    setText(this.empty, words ? t("chats.search.nothing", { words }) : t("chats.empty"));
    if (this.isOfLoading) this.unsay();
  }

  async search(words) {
    this.lines.element.scrollTop = 0;
    await this.pages.search(words);
    if (!words || words !== this.pages.words || this.said.textContent) return;
    const count = this.pages.chats.length;
    if (this.pages.more) announce(t("chats.found.more", { count }));
    else announce(count ? t("chats.found", { count }) : this.empty.textContent);
  }

  choose(line) {
    this.unsay();
    chat.go(line.chat.id);
    if (leaveDrawer()) document.querySelector(".transcript")?.focus();
  }

  /** The menu of a line. */
  options(line) {
    const { id, pinned } = line.chat;
    return [
      { icon: "edit", label: t("chats.rename"), choose: () => this.rename(line) },
      {
        icon: "pin",
        label: pinned ? t("chats.unpin") : t("chats.pin"),
        choose: () => this.change(pin(id, !pinned)),
      },
      { icon: "replay", label: t("chats.replay"), choose: () => this.replay(line) },
      null,
      {
        icon: "download",
        label: t("chats.export"),
        choose: () => this.change(exportMarkdown(id, line.name)),
      },
      {
        icon: "case",
        label: t("cases.export"),
        choose: () => this.change(exportCase(id, line.name)),
      },
      null,
      { icon: "trash", label: t("chats.delete"), choose: () => this.remove(line) },
    ];
  }

  /** Plays a chat again, from its first message. */
  async replay(line) {
    await chat.go(line.chat.id);
    if (chat.id !== line.chat.id) return; // it is gone
    leaveDrawer();
    chat.tell("replay");
  }

  async rename(line) {
    this.isHeld = true;
    const title = await line.rename();
    this.isHeld = false;
    this.show();
    if (title !== null) await this.change(rename(line.chat.id, title));
  }

  remove(line) {
    const { id } = line.chat;
    confirmRemoval(line.name, async () => {
      if (!(await this.change(remove(id, line.name)))) return;
      this.pages.drop(id);
      if (!this.pages.chats.length) this.fresh.focus();
    });
  }

  /** Waits for a change of a chat; a refusal is said, and gives false. */
  async change(changing) {
    this.unsay();
    try {
      await changing;
      return true;
    } catch (error) {
      this.refused(error);
      return false;
    }
  }

  refused(error) {
    if (!(error instanceof Refused)) throw error;
    this.say(error.sentence);
  }

  say(sentence, { isOfLoading = false } = {}) {
    this.isOfLoading = isOfLoading;
    this.said.replaceChildren(el("p", {}, sentence));
    if (!isOfLoading) return;
    const again = () => this.pages.refresh();
    this.said.append(el("button.link", { type: "button", onclick: again }, t("chats.again")));
  }

  unsay() {
    this.said.replaceChildren();
  }
}

/** What ends when the Space restarts, where the server says that something does; else null. */
function endingNote(ending) {
  if (!ending) return null;
  return el("p.chats-ending", { "data-testid": "chats-ending" }, t(`chats.ending.${ending}`));
}

function freshButton() {
  return el(
    "button.button.chats-new",
    {
      type: "button",
      title: t("chats.keys", { what: t("header.new_chat"), keys: KEYS.newChat }),
      "aria-keyshortcuts": "Control+Shift+O Meta+Shift+O",
      onclick: newChat,
    },
    icon("plus"),
    t("header.new_chat"),
  );
}
