// The message box: what is written, Send and Stop, the queue above it, the meter under it. A refused
// message stays where it is; a message that cannot go yet waits in the queue.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { importCases } from "./case_files.mjs";
import { callsCounter } from "./calls_counter.mjs";
import { chat } from "./chat.mjs";
import { effortChip, toolsChip } from "./chips.mjs";
import { el, icon } from "./dom.mjs";
import { here, keep, kept } from "./drafts.mjs";
import { acceptDrops, acceptPastes } from "./drop.mjs";
import { exampleFile } from "./examples.mjs";
import { translate } from "./labels.mjs";
import { mayLeaveCalls } from "./leave_calls.mjs";
import { Meter } from "./meter.mjs";
import { queue } from "./queue.mjs";
import { queuedCards } from "./queued.mjs";
import { replayBar } from "./replay_bar.mjs";
import { Said } from "./said.mjs";
import { options, problem } from "./settings.mjs";
import { setup } from "./setup.mjs";
import { t } from "./texts.mjs";
import { showFault } from "./tools_panel.mjs";
import { transfers } from "./transfers.mjs";
import { Upload } from "./upload.mjs";
import { NOTHING, Written } from "./written.mjs";

const SAVED_AFTER_MS = 250;

/** Called once by the Gradio component with the element that holds its template. */
export function mount(element) {
  translate(element);
  new Composer(element.querySelector(".composer"));
}

class Composer {
  constructor(form) {
    this.form = form;
    this.isSending = false;
    this.timer = 0;
    this.said = new Said();
    this.written = new Written({
      uploadBytes: Number(form.dataset.uploadBytes),
      say: (sentence) => this.said.say(sentence, "quiet"),
      refuse: (sentence) => this.said.say(sentence, "refused"),
      importCases: (files) => this.importCases(files),
      changed: () => this.changed(),
      pressed: (event) => this.pressed(event),
    });
    this.text = this.written.text;
    this.send = el("button.send", { type: "submit", "data-testid": "send" }, icon("send"));
    this.stopper = el(
      "button.send.stop",
      { type: "button", hidden: true, "data-testid": "stop", onclick: () => this.stop() },
      icon("stop"),
    );
    this.meter = new Meter(() => this.written.value);
    this.draw();
    this.listen();
    this.restore();
  }

  draw() {
    this.form.before(transfers, replayBar.element);
    this.form.append(
      this.said.element,
      this.meter.warning,
      queuedCards({ edit: (item) => this.takeBack(item), box: this.text }),
      el(
        "div.composer-box",
        { onclick: (event) => event.target === event.currentTarget && this.text.focus() },
        this.text,
        this.written.files.element,
        el(
          "div.composer-bar",
          {},
          ...this.written.slots,
          toolsChip(),
          effortChip(),
          el("span.composer-space"),
          el("span.composer-stop", {}, this.stopper),
          this.send,
        ),
      ),
      el("div.composer-foot", {}, el("p.composer-hint", {}, hint()), callsCounter(), this.meter.element),
    );
  }

  listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    const add = (files) => {
      this.said.unsay();
      this.written.add(files);
    };
    acceptDrops(this.form, add);
    acceptPastes(this.text, add);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
      if (chat.run && !document.querySelector("dialog[open], :popover-open")) this.stop();
    });
    chat.addEventListener("busy", () => this.update());
    chat.addEventListener("leaving", () => this.save());
    chat.addEventListener("entered", () => this.restore());
    chat.addEventListener("reset", () => this.said.unsay());
    chat.addEventListener("refused", ({ detail }) => this.said.say(detail.sentence, "refused"));
    chat.addEventListener("example", ({ detail }) => this.runExample(detail.example));
    chat.addEventListener("draft", ({ detail }) => this.rewrite(detail));
    this.text.addEventListener("blur", () => this.save());
    window.addEventListener("pagehide", () => this.save());
  }

  /** Shows the draft of the chat that is entered. */
  restore() {
    this.written.show({ ...NOTHING, ...kept().draft });
    this.saveLater(false);
    this.update();
  }

  changed() {
    if (!this.meter) return; // still being made
    this.saveLater(true);
    this.update();
    this.meter.update();
  }

  saveLater(isDirty) {
    clearTimeout(this.timer);
    this.timer = isDirty ? setTimeout(() => this.save(), SAVED_AFTER_MS) : 0;
  }

  /** Keeps the draft; without its files where it is too long with them. */
  save() {
    if (!this.timer) return;
    this.saveLater(false);
    const { text, media, files } = this.written.value;
    const isNothing = !text && !media.length && !files.length;
    if (keep({ draft: isNothing ? null : { text, media, files } })) return;
    keep({ draft: null });
    keep({ draft: { text, media, files: [] } });
    if (this.isWarned) return;
    this.isWarned = true;
    this.said.say(t("composer.not_kept"), "quiet");
  }

  pressed(event) {
    if (event.key !== "Enter" || event.shiftKey) return;
    if (event.isComposing || event.keyCode === 229) return; // an input method takes this Enter
    event.preventDefault();
    this.submit();
  }

  update() {
    const isQueueing = chat.busy && !this.isSending;
    this.send.dataset.state = isQueueing ? "queue" : "send";
    this.send.disabled = this.written.isEmpty || this.isSending;
    label(this.send, t(isQueueing ? "composer.queue" : "composer.send"));
    const canStop = chat.run !== null && !chat.stopping;
    if (!canStop && document.activeElement === this.stopper) this.text.focus();
    this.stopper.hidden = chat.run === null;
    this.stopper.disabled = chat.stopping;
    label(this.stopper, t(chat.stopping ? "composer.stopping" : "composer.stop"));
  }

  /** Sends what is in the box, or puts it into the queue where it cannot go yet. */
  async submit() {
    await this.written.reading;
    if (this.written.isEmpty || this.isSending) return;
    this.said.unsay();
    const message = this.written.value;
    if (chat.busy || message.uploads.length || queue.isMoving) return this.enqueue();
    await setup.settled();
    const faulty = setup.problem();
    const way = { label: t("setup.show"), run: showFault };
    if (problem()) this.said.say(problem(), "refused");
    else if (faulty) this.said.say(faulty, "refused", way);
    else if ((await mayLeaveCalls()) && !chat.busy) await this.sendNow(message);
  }

  async sendNow(message) {
    const place = here();
    const { id } = chat;
    const { text, media, files } = message;
    this.isSending = true;
    try {
      await chat.send({ text, attachments: media.map(({ hash }) => hash), files }, options());
      if (chat.id === id) this.written.empty(message);
      else keep({ draft: null }, place);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (chat.id === id) this.said.say(error.sentence, "refused");
    } finally {
      this.isSending = false;
      this.update();
    }
  }

  /** Files that hold chats are no part of a message. */
  async importCases(files) {
    const [{ name }, ...others] = files;
    const key = others.length ? "cases.recognised.many" : "cases.recognised";
    const sentence = t(key, { name, count: files.length });
    this.said.say(sentence, "quiet");
    await importCases(files);
    this.said.unsay(sentence);
  }

  enqueue() {
    queue.add(this.written.release());
    this.text.focus();
    announce(t("composer.queued"));
  }

  /** A queued message comes back into the box. */
  takeBack(item) {
    queue.take(item);
    this.putBefore(item);
  }

  /** A message that was sent comes back into the box. */
  rewrite({ text, attachments, files }) {
    this.putBefore({ text, media: attachments, files, uploads: [] });
  }

  putBefore(message) {
    const aside = this.written.putBefore(message);
    if (aside) {
      queue.add(aside, { held: true });
      this.said.say(t("composer.set_aside"), "quiet");
    }
    this.text.focus();
    this.text.setSelectionRange(message.text.length, message.text.length);
  }

  async stop() {
    try {
      await chat.stop();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.said.say(error.sentence, "refused");
    }
  }

  /** Sends an example at once; what is being written stays in the box. */
  async runExample({ text, attachment, tools = [] }) {
    if (chat.busy || queue.items.length || this.isPreparing) return;
    this.said.unsay();
    this.isPreparing = true;
    try {
      const file = attachment ? await exampleFile(attachment) : null;
      if (tools.length) setup.declare({ tools });
      const uploads = file ? [new Upload(file, file.type.split("/")[0])] : [];
      queue.add({ ...NOTHING, text, uploads });
    } catch (error) {
      this.said.say(error.message, "refused");
    } finally {
      this.isPreparing = false;
    }
  }
}

function hint() {
  window.glmOwner();
  return t(window.glmOwner.kept === "memory" ? "composer.nothing_kept" : "composer.hint");
}

function label(button, words) {
  button.title = words;
  button.setAttribute("aria-label", words);
}
