// The reader's chats as the server lists them: as many as were scrolled to, or those that a search
// finds. It draws nothing.

import { Refused, request } from "./api.mjs";

const PAGE = 50;
const MOST_AT_ONCE = 200; // of the server
const PAUSE_MS = 500;
const WHILE_RUNNING_MS = 10_000;

export class ChatPages {
  /**
   * `onChange()` is called when `chats`, `more` or `words` have changed, `onFailure(sentence)`
   * where they could not be loaded.
   */
  constructor({ onChange, onFailure }) {
    this.onChange = onChange;
    this.onFailure = onFailure;
    this.chats = [];
    this.more = false;
    this.words = "";
    this.wanted = PAGE;
    this.loading = null;
    this.timer = 0;
    this.loadedAt = 0;
  }

  /** Looks for chats that hold each of these words; none of them lists all. */
  search(words) {
    this.words = words;
    this.wanted = PAGE;
    return this.load([]);
  }

  /** Loads what is shown anew, soon and not too often. */
  refreshSoon() {
    this.again(Math.max(0, this.loadedAt + PAUSE_MS - performance.now()));
  }

  refresh() {
    return this.load([]);
  }

  /** Loads more, where there are more. */
  next() {
    if (!this.more || this.loading) return;
    this.wanted = this.chats.length + PAGE;
    this.load(this.chats);
  }

  /** Takes a chat out that is known to be gone. */
  drop(id) {
    this.chats = this.chats.filter((chat) => chat.id !== id);
    this.onChange();
  }

  /** Loads what is missing of the wanted lines; a later call takes the place of this one. */
  async load(known) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    this.loadedAt = performance.now();
    const found = new Map(known.map((chat) => [chat.id, chat]));
    let [at, more] = [known.length, true];
    try {
      while (more && at < this.wanted) {
        const limit = Math.min(MOST_AT_ONCE, this.wanted - at);
        const query = new URLSearchParams({ search: this.words, offset: at, limit });
        const page = await request(`chats?${query}`, { signal: loading.signal });
        // A chat that came to the top meanwhile has moved the others down: one may come twice.
        for (const chat of page.chats) found.set(chat.id, chat);
        at += page.chats.length;
        more = page.more;
      }
    } catch (error) {
      if (loading.signal.aborted) return;
      this.loading = null;
      if (!(error instanceof Refused)) throw error;
      this.onFailure(error.sentence);
      return;
    }
    this.loading = null;
    this.chats = [...found.values()];
    this.more = more;
    this.onChange();
    // A run that no tab here listens to ends unheard.
    if (this.chats.some((chat) => chat.running)) this.again(WHILE_RUNNING_MS);
  }

  again(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (!document.hidden) this.refresh();
    }, pause);
  }
}
