// The two slots of the message box, one image and one video: upload with progress, cancel,
// replace, enlarge. What is refused is said, and nothing else is lost.

import { Refused, upload } from "./api.mjs";
import { el, icon, iconButton, setText } from "./dom.mjs";
import { mediaLine, size } from "./format.mjs";
import { enlarge, preview } from "./media.mjs";

const KINDS = {
  image: { label: "Image", one: "an image", accept: "image/jpeg,image/png,image/webp,image/gif" },
  video: { label: "Video", one: "a video", accept: "video/mp4" },
};

class Slot {
  constructor(kind, page) {
    this.kind = kind;
    this.page = page;
    this.media = null;
    this.uploading = null;
    this.localUrl = "";
    this.input = el("input", {
      type: "file",
      accept: KINDS[kind].accept,
      hidden: true,
      tabindex: "-1",
      "aria-label": `${KINDS[kind].label} to attach`,
      "data-testid": `${kind}-input`,
      onchange: () => {
        for (const file of this.input.files) this.page.add(file, this.kind);
        this.input.value = "";
      },
    });
    this.picture = el("span.slot-picture", {}, icon(kind));
    this.name = el("span.slot-name", { dir: "auto" });
    this.note = el("span.slot-note");
    this.main = el(
      "button.slot-main",
      { type: "button", onclick: () => this.click() },
      this.picture,
      el("span.slot-words", {}, this.name, this.note),
    );
    this.remove = iconButton("close", "", () => this.clear({ focus: true }), { hidden: true });
    this.remove.classList.add("slot-remove");
    this.element = el(
      "div.slot",
      { role: "group", "aria-label": `${KINDS[kind].label} slot`, "data-testid": `${kind}-slot` },
      this.input,
      this.main,
      this.remove,
    );
    this.show("empty");
  }

  get isEmpty() {
    return this.media === null && this.uploading === null;
  }

  click() {
    if (this.isEmpty) this.input.click();
    else enlarge(this.kind, this.localUrl || this.media.url, this.media ? mediaLine(this.media) : this.file.name);
  }

  /** Uploads a file into the slot; true where the server has taken it. */
  async take(file) {
    this.clear();
    const controller = new AbortController();
    this.uploading = controller;
    this.file = file;
    this.localUrl = URL.createObjectURL(file);
    this.show("uploading");
    try {
      const { notes = [], ...media } = await upload(file, {
        signal: controller.signal,
        onProgress: (share) => this.progress(share),
      });
      if (this.uploading !== controller) return false;
      this.uploading = null;
      this.media = media;
      this.show("ready");
      if (notes.length) this.page.say(notes.join(" "));
      return true;
    } catch (error) {
      if (this.uploading !== controller) return false;
      this.clear();
      if (!(error instanceof Refused)) throw error;
      this.page.refuse(error.sentence);
      return false;
    }
  }

  /** Shows what an earlier page had attached. */
  restore(media) {
    this.media = media;
    this.show("ready");
  }

  clear({ focus = false } = {}) {
    this.uploading?.abort();
    this.uploading = this.media = this.file = null;
    if (this.localUrl) URL.revokeObjectURL(this.localUrl);
    this.localUrl = "";
    this.show("empty");
    if (focus) this.main.focus();
  }

  progress(share) {
    this.element.style.setProperty("--progress", String(share));
    setText(this.note, share < 1 ? `${Math.floor(share * 100)} %` : "Checking…");
  }

  show(state) {
    const { label, one } = KINDS[this.kind];
    const name = this.media?.name || this.file?.name || label;
    this.element.dataset.state = state;
    this.element.setAttribute("aria-busy", String(state === "uploading"));
    setText(this.name, state === "empty" ? label : name);
    setText(this.note, state === "ready" ? size(this.media.size) : "");
    if (state === "uploading") this.progress(0);
    this.main.title = state === "ready" ? mediaLine(this.media) : `Attach ${one}`;
    this.main.setAttribute("aria-label", state === "empty" ? `Attach ${one}` : `Enlarge ${name}`);
    this.remove.hidden = state === "empty";
    const verb = state === "uploading" ? "Cancel the upload of" : "Take away";
    this.remove.title = `${verb} ${name}`;
    this.remove.setAttribute("aria-label", `${verb} ${name}`);
    this.draw(state);
    this.page.changed();
  }

  draw(state) {
    const drawn = state === "empty" ? "" : this.localUrl || this.media.url;
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    const plain = () => this.picture.replaceChildren(icon(this.kind));
    if (drawn) this.picture.replaceChildren(preview(this.kind, drawn, plain));
    else plain();
  }
}

/**
 * Both slots. `say` and `refuse` get sentences for the reader; `changed` is called after each
 * change of what is attached.
 */
export class Attachments {
  constructor({ say, refuse, changed }) {
    this.say = say;
    const page = { add: (file, kind) => this.add(file, kind), say, refuse, changed };
    this.refuse = refuse;
    this.slots = { image: new Slot("image", page), video: new Slot("video", page) };
    this.elements = Object.values(this.slots).map((slot) => slot.element);
  }

  /** What the server has taken, the image first. */
  get media() {
    return Object.values(this.slots).flatMap((slot) => slot.media ?? []);
  }

  get isUploading() {
    return Object.values(this.slots).some((slot) => slot.uploading);
  }

  get isEmpty() {
    return Object.values(this.slots).every((slot) => slot.isEmpty);
  }

  /** Takes a file by its kind; `picked` is the slot it was picked for. */
  async add(file, picked = null) {
    const kind = file.type.startsWith("image/")
      ? "image"
      : file.type.startsWith("video/")
        ? "video"
        : picked;
    if (kind === null) {
      this.refuse(
        `“${file.name}” cannot be attached: take a JPEG, PNG, WebP or GIF picture, or an MP4 clip.`,
      );
      return false;
    }
    const slot = this.slots[kind];
    const before = slot.media?.name ?? slot.file?.name;
    if (before !== undefined) {
      this.say(
        `“${file.name}” takes the place of “${before}”: a message holds ${KINDS[kind].one} at most.`,
      );
    }
    return slot.take(file);
  }

  restore(list) {
    for (const media of list) this.slots[media.kind]?.restore(media);
  }

  clear() {
    for (const slot of Object.values(this.slots)) slot.clear();
  }
}
