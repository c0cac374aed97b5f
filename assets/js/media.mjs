// Pictures and clips in messages: thumbnails, and the dialog that enlarges them.

import { showDialog } from "./dialog.mjs";
import { el, icon, iconButton } from "./dom.mjs";
import { mediaLine } from "./format.mjs";
import { t } from "./texts.mjs";

/** A thumbnail that enlarges at a click. */
export function thumbnail(media) {
  const line = mediaLine(media);
  const button = el("button.thumb", {
    type: "button",
    title: line,
    "aria-label": t("media.enlarge", { name: line }),
    "data-kind": media.kind,
    onclick: () => enlarge(media.kind, media.url, line),
  });
  const gone = () => {
    button.classList.add("thumb-gone");
    button.replaceChildren(icon(media.kind), el("span", {}, media.name || t("media.gone")));
  };
  button.append(preview(media.kind, media.url, gone));
  if (media.kind === "video") button.append(icon("video"));
  // The place is known before the bytes are there: nothing shifts when they come.
  if (media.width && media.height) button.style.aspectRatio = ratio(media.width, media.height);
  return button;
}

/** A still, silent view of a picture or a clip. */
export function preview(kind, url, onFailure = () => {}) {
  return kind === "image"
    ? el("img", { src: url, alt: "", decoding: "async", onerror: onFailure })
    : el("video", {
        src: url,
        muted: true,
        playsinline: true,
        preload: "metadata",
        tabindex: "-1",
        onerror: onFailure,
      });
}

/**
 * Ends the loading of what is shown in an element, which is about to go: a clip that nobody sees
 * goes on otherwise, and asks for its file again and again once its address is given back.
 */
export function unload(element) {
  for (const video of element.querySelectorAll("video")) {
    video.removeAttribute("src");
    video.load();
  }
}

function ratio(width, height) {
  return String(Math.min(2, Math.max(0.6, width / height)));
}

/**
 * Shows a picture or a clip as large as the window allows; Escape or a click outside ends it.
 * `trim` is for a clip of which another part can be chosen.
 */
export function enlarge(kind, url, line, trim = null) {
  const shown =
    kind === "image"
      ? el("img", { src: url, alt: line })
      : el("video", { src: url, controls: true, autoplay: true, muted: true, playsinline: true });
  const close = () => dialog.close();
  const trimming = () => {
    close();
    trim();
  };
  const dialog = el(
    "dialog.viewer",
    {
      "aria-label": line,
      onclick: ({ target }) => target === dialog && close(),
      onclose: () => unload(dialog),
    },
    shown,
    el(
      "div.viewer-foot",
      {},
      el("p.viewer-line", {}, line),
      trim && el("button.button", { type: "button", onclick: trimming }, icon("trim"), t("clip.trim")),
      iconButton("close", t("media.close"), close),
    ),
  );
  showDialog(dialog);
}
