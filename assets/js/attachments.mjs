// The two slots of the message box, one image and one video, and what they hold together.

import { size } from "./format.mjs";
import { Slot } from "./slot.mjs";
import { t } from "./texts.mjs";
import { Upload } from "./upload.mjs";

/**
 * Both slots. `uploadBytes` is the most that an upload may have. `picked(files, kind)` gets what was chosen for one; `say` and `refuse` get sentences
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
    const { uploadBytes: most } = this.page;
    if (file.size > most) {
      const values = { name: file.name, size: size(file.size), most: size(most) };
      return this.page.refuse(t("attachments.too_large", values));
    }
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
