// The dialog that takes a picture with the device's camera. Where there is none, or it is not
// allowed, it says what to do, and a file can be picked: on a telephone, from its own camera.

import { showDialog } from "./dialog.mjs";
import { el, freshId, setText } from "./dom.mjs";
import { t } from "./texts.mjs";

const WANTED = { video: { facingMode: "environment", width: { ideal: 1920 } }, audio: false };
const QUALITY = 0.92;

/**
 * Has the reader take a picture, or pick one.
 * @returns {Promise<File|null>} null where the reader has turned away
 */
export function takePicture() {
  return new Promise((resolve) => {
    const camera = new CameraDialog(resolve);
    showDialog(camera.element);
    camera.start();
  });
}

class CameraDialog {
  constructor(resolve) {
    this.stream = null;
    this.picture = null;
    this.taken = null;
    this.live = el("video", {
      muted: true,
      playsinline: true,
      autoplay: true,
      "aria-label": t("camera.live"),
    });
    this.still = el("canvas", { role: "img", "aria-label": t("camera.still"), hidden: true });
    this.stage = el("div.camera-stage", { "data-state": "starting" }, this.live, this.still);
    this.said = el("p.camera-said", { role: "status" }, t("camera.starting"));
    this.input = el("input", {
      type: "file",
      accept: "image/jpeg,image/png,image/webp,image/heic",
      capture: "environment",
      hidden: true,
      tabindex: "-1",
      "aria-label": t("camera.pick"),
      onchange: () => this.input.files.length && this.finish(this.input.files[0]),
    });
    this.pick = button(t("camera.pick"), () => this.input.click(), "is-primary");
    this.again = button(t("camera.again"), () => this.tryAgain());
    this.take = button(t("camera.take"), () => this.freeze(), "is-primary");
    this.retake = button(t("camera.retake"), () => this.goOn());
    this.use = button(t("camera.use"), () => this.finish(this.taken), "is-primary");
    const heading = freshId("camera");
    this.element = el(
      "dialog.dialog.wide-dialog",
      {
        "aria-labelledby": heading,
        "data-testid": "camera",
        onclose: () => {
          this.stop();
          resolve(this.picture);
        },
      },
      el(
        "div.dialog-body",
        {},
        el("h2", { id: heading }, t("camera.heading")),
        this.stage,
        this.said,
        this.input,
        el(
          "div.dialog-buttons",
          {},
          button(t("dialog.cancel"), () => this.element.close()),
          this.again,
          this.pick,
          this.retake,
          this.take,
          this.use,
        ),
      ),
    );
    this.show("starting");
  }

  /** Only what can be done now is shown. */
  show(state) {
    this.stage.dataset.state = state;
    this.stage.hidden = state === "failed";
    this.live.hidden = state === "taken";
    this.still.hidden = state !== "taken";
    this.pick.hidden = this.again.hidden = state !== "failed";
    this.take.hidden = state !== "live";
    this.retake.hidden = this.use.hidden = state !== "taken";
    this.said.hidden = state === "live" || state === "taken";
  }

  /** The reader has allowed it by now, or closed what else used it. */
  tryAgain() {
    setText(this.said, t("camera.starting"));
    this.show("starting");
    return this.start();
  }

  async start() {
    try {
      const stream = await navigator.mediaDevices.getUserMedia(WANTED);
      this.stream = stream;
      if (!this.element.open) return this.stop(); // closed while the browser asked
      this.live.srcObject = stream;
      await this.live.play();
      this.goOn();
    } catch (error) {
      if (!this.element.open) return;
      this.stop();
      setText(this.said, reason(error));
      this.show("failed");
      this.pick.focus();
    }
  }

  goOn() {
    this.show("live");
    this.take.focus();
  }

  /** Takes what the camera sees now. */
  async freeze() {
    this.still.width = this.live.videoWidth;
    this.still.height = this.live.videoHeight;
    this.still.getContext("2d").drawImage(this.live, 0, 0);
    const blob = await new Promise((resolve) => this.still.toBlob(resolve, "image/jpeg", QUALITY));
    this.taken = new File([blob], `${t("camera.file")}.jpg`, { type: "image/jpeg" });
    this.show("taken");
    this.use.focus();
  }

  finish(picture) {
    this.picture = picture;
    this.element.close();
  }

  /** Lets the camera go: its light goes out. */
  stop() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.live.srcObject = null;
  }
}

function reason({ name }) {
  if (!navigator.mediaDevices) return t("camera.insecure");
  if (name === "NotAllowedError") return t("camera.not_allowed");
  if (name === "NotFoundError" || name === "OverconstrainedError") return t("camera.none");
  return t("camera.busy");
}

function button(text, onclick, kind = "") {
  const one = el("button.button.dialog-button", { type: "button", onclick }, text);
  if (kind) one.classList.add(kind);
  return one;
}
