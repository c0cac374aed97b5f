// The two slots of the message box, one image and one video: upload with progress, cancel,
// replace, enlarge. What is refused is said, and nothing else is lost.

import { Refused } from "./api.mjs";
import { el, icon, iconButton, setText } from "./dom.mjs";
import { mediaLine, percent, size } from "./format.mjs";
import { enlarge, preview } from "./media.mjs";
import { join, t } from "./texts.mjs";
import { Upload } from "./upload.mjs";

// Types, and the names' endings of those for which systems often know no type.
const ACCEPTED = {
  image:
    "image/jpeg,image/png,image/webp,image/gif,image/bmp,image/tiff,image/heic,image/heif," +
    "image/avif,.bmp,.tif,.tiff,.heic,.heif,.avif",
  video: "video/mp4,video/quicktime,video/webm,video/x-matroska,.mov,.webm,.mkv",
};

class Slot {
  constructor(kind, page) {
    this.kind = kind;
    this.page = page;
    this.media = null;
    this.upload = null;
    this.undrawable = null;
    this.input = el("input", {
      type: "file",
      accept: ACCEPTED[kind],
      hidden: true,
      tabindex: "-1",
      "aria-label": t(`attachments.${kind}.input`),
      "data-testid": `${kind}-input`,
      onchange: () => {
        this.page.picked([...this.input.files], kind);
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
      { role: "group", "aria-label": t(`attachments.${kind}.slot`), "data-testid": `${kind}-slot` },
      this.input,
      this.main,
      this.remove,
    );
    this.show("empty");
  }

  get isEmpty() {
    return this.media === null && this.upload === null;
  }

  get isUploading() {
    return this.upload !== null && this.media === null;
  }

  /**
   * Where what it holds can be seen: the reader's own file, as the server's addresses expire, but
   * for one that the browser cannot draw (HEIC, TIFF, Matroska) what the server made of it.
   */
  get url() {
    const local = this.upload?.url;
    return (local !== this.undrawable && local) || this.media?.url || local || "";
  }

  get filename() {
    return this.media?.name || this.upload?.name || t(`attachments.${this.kind}.label`);
  }

  click() {
    if (this.isEmpty) this.input.click();
    else if (this.isUnseen) this.page.say(t("attachments.unseen", { name: this.filename }));
    else enlarge(this.kind, this.url, this.media ? mediaLine(this.media) : this.filename);
  }

  /** Holds an upload from now on, until it has ended in one way or the other. */
  async hold(upload) {
    this.clear();
    this.upload = upload;
    this.media = upload.media;
    upload.onProgress = (share) => this.progress(share);
    this.show(this.media ? "ready" : "uploading");
    try {
      const { media, notes } = await upload.done;
      if (this.upload !== upload) return;
      this.media = media;
      this.show("ready");
      if (notes.length) this.page.say(join(...notes));
    } catch (error) {
      if (this.upload !== upload) return;
      this.clear();
      if (!(error instanceof Refused)) throw error;
      this.page.refuse(error.sentence);
    }
  }

  /** Shows what an earlier page had attached. */
  restore(media) {
    this.clear();
    this.media = media;
    this.show("ready");
  }

  /** Gives away what it holds. */
  release() {
    const { media, upload } = this;
    if (upload) upload.onProgress = () => {};
    this.media = this.upload = null;
    this.show("empty");
    return { media, upload };
  }

  clear({ focus = false } = {}) {
    this.release().upload?.drop();
    if (focus) this.main.focus();
  }

  progress(share) {
    this.element.style.setProperty("--progress", String(share));
    setText(this.note, share < 1 ? percent(share) : t("attachments.checking"));
  }

  show(state) {
    const attach = t(`attachments.${this.kind}.attach`);
    const name = this.filename;
    this.element.dataset.state = state;
    this.element.setAttribute("aria-busy", String(state === "uploading"));
    setText(this.name, name);
    setText(this.note, state === "ready" ? size(this.media.size) : "");
    if (state === "uploading") this.progress(this.upload.share);
    this.main.title = state === "empty" ? attach : this.media ? mediaLine(this.media) : name;
    this.main.setAttribute("aria-label", state === "empty" ? attach : t("media.enlarge", { name }));
    this.remove.hidden = state === "empty";
    const remove = t(`attachments.${state === "uploading" ? "cancel" : "remove"}`, { name });
    this.remove.title = remove;
    this.remove.setAttribute("aria-label", remove);
    this.draw();
    this.page.changed();
  }

  draw() {
    const { url } = this;
    if (this.drawn === url) return;
    this.drawn = url;
    this.isUnseen = false;
    const plain = () => this.picture.replaceChildren(icon(this.kind));
    const unseen = () => {
      if (this.drawn !== url) return;
      this.isUnseen = true;
      plain();
      if (url !== this.upload?.url) return;
      this.undrawable = url;
      this.draw();
    };
    if (url) this.picture.replaceChildren(preview(this.kind, url, unseen));
    else plain();
  }
}

/**
 * Both slots. `picked(files, kind)` gets what was chosen for one; `say` and `refuse` get sentences
 * for the reader; `changed` is called after each change of what is attached.
 */
export class Attachments {
  constructor(page) {
    this.page = page;
    this.slots = { image: new Slot("image", page), video: new Slot("video", page) };
    this.elements = this.all.map((slot) => slot.element);
  }

  get all() {
    return Object.values(this.slots);
  }

  /** What the server has taken, the image first. */
  get media() {
    return this.all.flatMap((slot) => slot.media ?? []);
  }

  /** What is still on its way there. */
  get uploads() {
    return this.all.flatMap((slot) => (slot.isUploading ? slot.upload : []));
  }

  get isEmpty() {
    return this.all.every((slot) => slot.isEmpty);
  }

  /** Whether the slots for these are free. */
  hasRoomFor(attached) {
    return attached.every(({ kind }) => this.slots[kind].isEmpty);
  }

  /** Uploads a file into the slot of its kind. */
  add(file, kind) {
    const slot = this.slots[kind];
    if (!slot.isEmpty) {
      const before = slot.filename;
      this.page.say(t(`attachments.${kind}.replaced`, { name: file.name, before }));
    }
    slot.hold(new Upload(file, kind));
  }

  restore({ media, uploads }) {
    for (const each of media) this.slots[each.kind]?.restore(each);
    for (const upload of uploads) this.slots[upload.kind].hold(upload);
  }

  /** Empties the slots, and gives what they held: uploads go on. */
  release() {
    const held = this.all.map((slot) => slot.release());
    for (const { media, upload } of held) if (media) upload?.drop();
    return {
      media: held.flatMap(({ media }) => media ?? []),
      uploads: held.flatMap(({ media, upload }) => (media ? [] : (upload ?? []))),
    };
  }

  clear() {
    for (const slot of this.all) slot.clear();
  }
}
