// A slot of the message box: upload with progress, cancel, replace, enlarge, trim. What is refused is
// said, or mended at the reader's word, and nothing else is lost.

import { Refused } from "./api.mjs";
import { takePicture } from "./camera.mjs";
import { choosePart } from "./clip_dialog.mjs";
import { el, icon, iconButton, setText } from "./dom.mjs";
import { mediaLine, percent, size, tokens } from "./format.mjs";
import { enlarge, preview, unload } from "./media.mjs";
import { join, t } from "./texts.mjs";
import { Upload, fileOf } from "./upload.mjs";

// Types, and the names' endings of those for which systems often know no type.
const ACCEPTED = {
  image:
    "image/jpeg,image/png,image/webp,image/gif,image/bmp,image/tiff,image/heic,image/heif," +
    "image/avif,.bmp,.tif,.tiff,.heic,.heif,.avif",
  video: "video/mp4,video/quicktime,video/webm,video/x-matroska,.mov,.webm,.mkv",
};

export class Slot {
  constructor(kind, page) {
    this.kind = kind;
    this.page = page;
    this.media = null;
    this.upload = null;
    this.before = null; // what another part of the same clip is to take the place of
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
    this.remove = iconButton("close", "", () => this.takeAway(), { hidden: true });
    this.remove.classList.add("slot-side");
    this.camera = iconButton("camera", t("camera.open"), () => this.takePicture());
    this.camera.classList.add("slot-side");
    this.element = el(
      "div.slot",
      { role: "group", "aria-label": t(`attachments.${kind}.slot`), "data-testid": `${kind}-slot` },
      this.input,
      this.main,
      kind === "image" && this.camera,
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
   * for a part of it, and for one that the browser cannot draw (HEIC, TIFF, Matroska), what the
   * server made of it.
   */
  get url() {
    const local = this.upload?.url;
    const isWhole = Object.keys(this.upload?.wish ?? {}).length === 0;
    return (isWhole && local !== this.undrawable && local) || this.media?.url || local || "";
  }

  get filename() {
    return this.media?.name || this.upload?.name || t(`attachments.${this.kind}.label`);
  }

  click() {
    if (this.isEmpty) this.input.click();
    else if (this.isUnseen) this.page.say(t("attachments.unseen", { name: this.filename }));
    else enlarge(this.kind, this.url, this.line, this.canTrim ? () => this.trim() : null);
  }

  get line() {
    return this.media ? mediaLine(this.media) : this.filename;
  }

  get canTrim() {
    return this.kind === "video" && this.media !== null;
  }

  async takePicture() {
    const picture = await takePicture();
    (this.camera.hidden ? this.main : this.camera).focus();
    if (picture) this.page.picked([picture], this.kind);
  }

  /** Has the reader choose another part of the clip that is attached. */
  async trim() {
    const { media, upload } = this;
    const file = upload?.file ?? (await fileOf(media));
    if (!file) return this.page.refuse(t("clip.gone", { name: this.filename }));
    const clip = upload?.clip ?? media;
    const wish = await choosePart({ file, clip, wish: upload?.wish });
    if (!wish || this.media !== media) return;
    this.hold(new Upload(file, this.kind, { wish, clip }));
    this.before = media;
  }

  /** Has the reader choose what of a refused clip is sent after all. */
  async offer({ file, kind, wish: refused }, { sentence, clip, offers }) {
    const wish = await choosePart({ file, clip, wish: refused, sentence, offers });
    if (!this.isEmpty) return; // something else was attached meanwhile
    if (wish) this.hold(new Upload(file, kind, { wish, clip }));
    else this.page.refuse(sentence);
    this.main.focus();
  }

  /** Holds an upload from now on, until it has ended in one way or the other. */
  async hold(upload) {
    this.clear();
    this.upload = upload;
    this.media = upload.media;
    upload.onProgress = (progress) => this.progress(progress);
    this.show(this.media ? "ready" : "uploading");
    try {
      const { media, notes } = await upload.done;
      if (this.upload !== upload) return;
      this.media = media;
      this.before = null;
      this.show("ready");
      if (notes.length) this.page.say(join(...notes));
    } catch (error) {
      if (this.upload !== upload) return;
      this.putBack();
      if (!(error instanceof Refused)) throw error;
      if (error.offers.length) this.offer(upload, error);
      else this.page.refuse(error.sentence);
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
    this.media = this.upload = this.before = null;
    this.show("empty");
    return { media, upload };
  }

  clear() {
    this.release().upload?.drop();
  }

  /** What was on its way does not come: what stood there before is there again. */
  putBack() {
    const { before } = this;
    if (before) this.restore(before);
    else this.clear();
  }

  /** At the reader's word. */
  takeAway() {
    if (this.isUploading) this.putBack();
    else this.clear();
    this.main.focus();
  }

  progress({ stage, share }) {
    this.element.style.setProperty("--progress", String(share));
    setText(this.note, t(`attachments.${stage}`, { share: percent(share) }));
  }

  show(state) {
    const attach = t(`attachments.${this.kind}.attach`);
    const name = this.filename;
    this.element.dataset.state = state;
    this.element.setAttribute("aria-busy", String(state === "uploading"));
    setText(this.name, name);
    setText(this.note, state === "ready" ? this.weight : "");
    if (state === "uploading") this.progress(this.upload.progress);
    this.main.title = state === "empty" ? attach : this.line;
    this.main.setAttribute("aria-label", state === "empty" ? attach : t("media.enlarge", { name }));
    this.remove.hidden = state === "empty";
    this.camera.hidden = state !== "empty";
    const remove = t(`attachments.${state === "uploading" ? "cancel" : "remove"}`, { name });
    this.remove.title = remove;
    this.remove.setAttribute("aria-label", remove);
    this.draw();
    this.page.changed();
  }

  /** What it takes of the prompt; of what an older page had attached only its bytes are known. */
  get weight() {
    return this.media.tokens ? tokens(this.media.tokens, true) : size(this.media.size);
  }

  draw() {
    const { url } = this;
    if (this.drawn === url) return;
    this.drawn = url;
    this.isUnseen = false;
    unload(this.picture);
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
