// Case files: a chat, or all of them, saved as a file with its recordings, and taken in from one.

import { pathOf } from "./address.mjs";
import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { download, uploadForLines } from "./api_files.mjs";
import { chat } from "./chat.mjs";
import { el } from "./dom.mjs";
import { save } from "./download.mjs";
import { percent, size } from "./format.mjs";
import { openChats } from "./panel.mjs";
import { replayBar } from "./replay_bar.mjs";
import { join, t } from "./texts.mjs";
import { Transfer } from "./transfers.mjs";

/** Saves a chat as a case file. @throws {Refused} */
export function exportCase(id, title) {
  const ending = { ending: ".case.json", type: "application/json" };
  return fetchAndSave(`${pathOf(id)}/case`, t("cases.exporting", { title }), title, ending);
}

/** Saves all chats, each a case file, as one archive. @throws {Refused} */
export function exportAll() {
  const ending = { ending: ".zip", type: "application/zip" };
  return fetchAndSave("cases", t("cases.exporting_all"), "chats", ending);
}

async function fetchAndSave(path, words, title, ending) {
  const transfer = new Transfer(words);
  const { signal } = transfer;
  const onProgress = (bytes) => transfer.tell(`${words} · ${size(bytes)}`, null);
  try {
    const name = save(await download(path, { onProgress, signal }), title, ending);
    announce(t("chats.export.done", { name }));
  } catch (error) {
    if (!signal.aborted) throw error;
    announce(t("cases.export_stopped"));
  } finally {
    transfer.end();
  }
}

/**
 * Takes chats in from case files, or from archives of them; the only one is shown.
 * @param {File[]} files
 */
export async function importCases(files) {
  const importing = new Import(files);
  for (const file of files) {
    if (!importing.isOver) await importing.take(file);
  }
  importing.end();
}

class Import {
  constructor(files) {
    this.chats = []; // lines of the list, as the server gives them
    this.notes = []; // what was not kept of them
    this.refused = [];
    this.counts = new Map(files.map((file) => [file, { done: 0, of: 1 }]));
    this.transfer = new Transfer(t("cases.import"));
  }

  get isOver() {
    return this.transfer.signal.aborted;
  }

  /** Takes in what one file holds; what is refused of it stops nothing. */
  async take(file) {
    const { name } = file;
    let isWhole = false;
    const onProgress = (share) => share < 1 && this.tell(`${name} · ${percent(share)}`);
    const onLine = (line) => {
      if (line.type === "progress") this.counts.set(file, line);
      else if (line.type === "chat") this.add(line);
      else if (line.type === "refused") this.refused.push(line);
      else if (line.type === "end") isWhole = true;
      this.tell(line.name ?? name);
    };
    this.tell(name);
    try {
      await uploadForLines("cases", file, { onProgress, onLine, signal: this.transfer.signal });
      if (!isWhole) this.refused.push({ name, message: t("cases.cut_off") });
    } catch (error) {
      if (this.isOver) return;
      if (!(error instanceof Refused)) throw error;
      this.refused.push({ name, message: error.sentence });
    }
    const { of } = this.counts.get(file);
    this.counts.set(file, { done: of, of });
  }

  add({ chat: line, notes = [] }) {
    const name = line.title || t("chats.untitled");
    this.chats.push(line);
    this.notes.push(...notes.map((message) => ({ name, message })));
    chat.changed(line.id);
  }

  tell(name) {
    const counts = [...this.counts.values()];
    const done = counts.reduce((sum, each) => sum + each.done, 0);
    const of = counts.reduce((sum, each) => sum + each.of, 0);
    const at = Math.min(done + 1, of);
    const key = of > 1 ? "cases.importing.at" : "cases.importing";
    this.transfer.tell(t(key, { at, of, name }), done / of);
  }

  /** All files were tried, or the reader has stopped it. */
  end() {
    const { chats, notes, refused, transfer } = this;
    const isOnly = chats.length === 1 && !this.isOver;
    if (isOnly) show(chats[0]);
    if (isOnly && !refused.length && !notes.length) return transfer.end();
    transfer.endWith(this.summary, {
      list: [...refused, ...notes],
      isGrave: refused.length > 0,
      way: chats.length > 1 && document.body.dataset.chats !== "open" ? listButton() : null,
    });
  }

  get summary() {
    const [taken, refused] = [this.chats.length, this.refused.length];
    if (this.isOver) return t("cases.stopped", { count: taken });
    if (!taken) return t("cases.nothing");
    const others = refused && t("cases.refused", { count: refused });
    return join(t("cases.imported", { count: taken }), others);
  }
}

/** Shows a chat that was taken in; who is not writing goes on with its replay. */
async function show({ id, title }) {
  await chat.go(id);
  announce(t("cases.opened", { title: title || t("chats.untitled") }));
  const isWriting = document.activeElement?.matches("input, textarea");
  if (!isWriting) (replayBar.invite ?? document.querySelector(".transcript"))?.focus();
}

function listButton() {
  const onclick = () => openChats("#chats-search");
  return el("button.button.bordered", { type: "button", onclick }, t("cases.show"));
}
