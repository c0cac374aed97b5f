// The message box: text, the two slots, Send or Stop. A refused message stays where it is.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { Attachments } from "./attachments.mjs";
import { chat } from "./chat.mjs";
import { changeIcon, el, icon, iconButton, setText } from "./dom.mjs";
import { acceptDrops, acceptPastes } from "./drop.mjs";
import { exampleFile } from "./examples.mjs";
import { recall, remember } from "./memory.mjs";
import { openSettings } from "./panel.mjs";
import { EFFORT_NAMES, effortStop, onSettings, options, problem } from "./settings.mjs";

const STILL_COMING =
  "The answer is still coming. Send this when it has ended, or stop it first.";

/** Called once by the Gradio component with the element that holds its template. */
export function mount(element) {
  new Composer(element.querySelector(".composer"));
}

class Composer {
  constructor(form) {
    this.form = form;
    this.said = el("p.composer-said", { hidden: true, dir: "auto", "data-testid": "composer-said" });
    this.alert = el("div.composer-alert", { role: "alert" }, this.said);
    this.text = el("textarea.composer-text", {
      rows: "1",
      dir: "auto",
      placeholder: "Message GLM-5.3-Flash",
      "aria-label": "Message",
      autocomplete: "off",
      "data-testid": "message",
      oninput: () => this.typed(),
      onkeydown: (event) => this.pressed(event),
    });
    this.attachments = new Attachments({
      say: (sentence) => this.say(sentence, "quiet"),
      refuse: (sentence) => this.say(sentence, "refused"),
      changed: () => this.changed?.(),
    });
    this.effort = el(
      "button.button.effort-chip",
      { type: "button", title: "Change the reasoning effort", onclick: () => openSettings("#effort input[type=range]") },
      icon("thought"),
      el("span"),
    );
    this.send = el(
      "button.send",
      { type: "submit", "data-testid": "send" },
      icon("send"),
    );
    this.tools = el("div.composer-tools", { hidden: true, "data-testid": "declared-tools" });
    form.append(
      this.alert,
      el(
        "div.composer-box",
        { onclick: (event) => event.target === event.currentTarget && this.text.focus() },
        this.text,
        el(
          "div.composer-bar",
          {},
          ...this.attachments.elements,
          this.tools,
          el("span.composer-space"),
          this.effort,
          this.send,
        ),
      ),
      el("p.composer-hint", {}, this.hint()),
    );
    this.changed = () => this.update();
    this.listen();
    this.restore();
    this.update();
  }

  hint() {
    window.glmOwner();
    return window.glmOwner.kept === "memory"
      ? "This browser keeps nothing for this page: the chat is gone after a reload."
      : "Enter sends, Shift+Enter starts a new line, Esc stops.";
  }

  listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (chat.run) this.stop();
      else this.submit();
    });
    const add = (files) => {
      this.unsay();
      for (const file of files) this.attachments.add(file);
    };
    acceptDrops(this.form, add);
    acceptPastes(this.text, add);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
      if (chat.run && !document.querySelector("dialog[open]")) this.stop();
    });
    chat.addEventListener("busy", () => {
      this.update();
      if (!chat.busy && this.said.textContent === STILL_COMING) this.unsay();
    });
    chat.addEventListener("tools", () => this.showTools());
    chat.addEventListener("reset", () => this.unsay());
    chat.addEventListener("refused", ({ detail }) => this.say(detail.sentence, "refused"));
    chat.addEventListener("example", ({ detail }) => this.runExample(detail.example));
    onSettings(() => this.showEffort());
    this.showEffort();
    this.showTools();
  }

  restore() {
    const draft = recall("draft");
    if (!draft) return;
    this.text.value = draft.text;
    this.attachments.restore(draft.media);
    this.grow();
  }

  typed() {
    this.grow();
    this.update();
  }

  /** For browsers that do not size a text area by its content. */
  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.text.style.height = "auto";
    this.text.style.height = `${this.text.scrollHeight}px`;
  }

  pressed(event) {
    if (event.key !== "Enter" || event.shiftKey) return;
    if (event.isComposing || event.keyCode === 229) return; // an input method takes this Enter
    event.preventDefault();
    if (!chat.busy) this.submit();
    else this.say(STILL_COMING, "quiet");
  }

  update() {
    const { text, send } = this;
    remember("draft", { text: text.value, media: this.attachments.media });
    const canStop = chat.run !== null;
    const hasContent = text.value.trim() !== "" || !this.attachments.isEmpty;
    const label = canStop ? (chat.stopping ? "Stopping" : "Stop") : "Send";
    send.dataset.state = canStop ? "stop" : "send";
    send.disabled = canStop ? chat.stopping : chat.sending || !hasContent;
    send.title = label;
    send.setAttribute("aria-label", label);
    changeIcon(send.firstChild, canStop ? "stop" : "send");
  }

  /** Sends what is in the box; true where the server has taken it. */
  async submit() {
    const text = this.text.value;
    if (chat.busy || (text.trim() === "" && this.attachments.isEmpty)) return false;
    const wrong = this.attachments.isUploading
      ? "The upload is still going on: wait for its end, or cancel it, then send."
      : problem();
    if (wrong) {
      this.say(wrong, "refused");
      return false;
    }
    this.unsay();
    try {
      await chat.send(text, this.attachments.media.map((media) => media.hash), options());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(error.sentence, "refused");
      return false;
    }
    this.empty(text);
    return true;
  }

  /** Empties the box, but for what was written while the message was on its way. */
  empty(sent) {
    if (this.text.value === sent) this.text.value = "";
    this.attachments.clear();
    this.typed();
  }

  async stop() {
    try {
      await chat.stop();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(error.sentence, "refused");
    }
  }

  /** Sends an example at once; what was being written is still there afterwards. */
  async runExample({ text, attachment, tools = [] }) {
    if (chat.busy || this.attachments.isUploading) return;
    const draft = this.text.value;
    this.unsay();
    this.text.value = text;
    this.typed();
    chat.declare(tools);
    try {
      if (attachment && !(await this.attachments.add(await exampleFile(attachment)))) return;
    } catch (error) {
      this.say(error.message, "refused");
      return;
    }
    if (!(await this.submit()) || !draft) return;
    this.text.value = draft;
    this.typed();
  }

  showEffort() {
    setText(this.effort.lastChild, EFFORT_NAMES[effortStop()]);
    this.effort.setAttribute("aria-label", `Reasoning effort: ${EFFORT_NAMES[effortStop()]}`);
  }

  showTools() {
    const names = chat.tools.map((tool) => tool.function?.name ?? "tool").join(", ");
    this.tools.hidden = !names;
    this.tools.replaceChildren();
    if (!names) return;
    this.tools.append(
      icon("tool"),
      el("span.composer-tools-names", { title: `Declared with each turn: ${names}` }, names),
      iconButton("close", `Declare ${names} no longer`, () => chat.declare([])),
    );
  }

  /** One sentence near the box: "quiet" tells, "refused" asks for something. */
  say(sentence, tone) {
    setText(this.said, sentence);
    this.said.dataset.tone = tone;
    this.said.hidden = false;
    announce(sentence);
  }

  unsay() {
    this.said.hidden = true;
    setText(this.said, "");
  }
}
