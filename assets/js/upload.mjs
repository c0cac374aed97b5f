// A picture or a clip on its way to the server. It outlives the slot for which it was picked: a
// queued message takes it along.

import { refused, unreachable } from "./api.mjs";
import { uploadForLines } from "./api_files.mjs";
import { told } from "./texts.mjs";

const CHECKING = { stage: "checking", share: 1 };

/**
 * A part of a clip in seconds, all of it where both are missing; `shrink`: into fewer bytes.
 * @typedef {{start_s?: number, end_s?: number, shrink?: boolean}} Wish
 */

/**
 * What is known of a clip before it is cut. `most_seconds`: what can be sent of it at once.
 * @typedef {{seconds: number, tokens?: number, tokens_a_second?: number, most_seconds?: number}}
 *   Figures
 */

export class Upload {
  /**
   * @param {File} file
   * @param {"image"|"video"} kind
   * @param {{wish?: Wish, clip?: Figures|null}} [chosen]
   */
  constructor(file, kind, { wish = {}, clip = null } = {}) {
    this.file = file;
    this.kind = kind;
    this.wish = wish;
    this.clip = clip;
    this.name = file.name;
    this.url = URL.createObjectURL(file);
    this.media = null;
    /** How far it has come: "uploading" and "encoding" have a share, 0 to 1. */
    this.progress = { stage: "uploading", share: 0 };
    this.onProgress = () => {};
    this.controller = new AbortController();
    /** @type {Promise<{media: object, notes: string[]}>} fails with Refused, or as it is dropped */
    this.done = this.send();
    this.done.catch(() => {}); // whoever waits for it is told
  }

  async send() {
    let last = null;
    await uploadForLines("media", this.file, {
      fields: this.wish,
      signal: this.controller.signal,
      onProgress: (share) => this.tell(share < 1 ? { stage: "uploading", share } : CHECKING),
      onLine: (line) => {
        last = line;
        if (line.type === "waiting") this.tell({ stage: "waiting", share: 0 });
        if (line.type === "progress") this.tell({ stage: "encoding", share: line.share });
      },
    });
    if (last?.type === "refused") throw refused(422, last.error);
    if (last?.type !== "media") throw unreachable(); // cut off
    const { type, notes = [], note_sentences: sentences = [], ...media } = last;
    this.media = media;
    return {
      media,
      notes: notes.map((note, at) => told(sentences[at]?.key, sentences[at]?.values, note)),
    };
  }

  tell(progress) {
    this.progress = progress;
    this.onProgress(progress);
  }

  /** Nobody needs it any more. */
  drop() {
    if (!this.media) this.controller.abort();
    URL.revokeObjectURL(this.url);
  }
}

/**
 * What the server keeps of a clip, as a file to be sent anew; null where it keeps it no longer.
 * @returns {Promise<File|null>}
 */
export async function fileOf({ url, name, mime }) {
  const response = await fetch(new URL(url, document.baseURI)).catch(() => null);
  if (!response?.ok) return null;
  return new File([await response.blob()], name, { type: mime });
}
