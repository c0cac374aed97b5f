// A picture or a clip on its way to the server. It outlives the slot for which it was picked: a
// queued message takes it along.

import { upload } from "./api.mjs";

export class Upload {
  /** @param {"image"|"video"} kind */
  constructor(file, kind) {
    this.kind = kind;
    this.name = file.name;
    this.url = URL.createObjectURL(file);
    this.media = null;
    this.share = 0;
    this.onProgress = () => {};
    this.controller = new AbortController();
    /** @type {Promise<{media: object, notes: string[]}>} it fails with what `upload` throws */
    this.done = this.send(file);
    this.done.catch(() => {}); // whoever waits for it is told
  }

  async send(file) {
    const { notes = [], ...media } = await upload(file, {
      signal: this.controller.signal,
      onProgress: (share) => {
        this.share = share;
        this.onProgress(share);
      },
    });
    this.media = media;
    return { media, notes };
  }

  /** Nobody needs it any more. */
  drop() {
    if (!this.media) this.controller.abort();
    URL.revokeObjectURL(this.url);
  }
}
