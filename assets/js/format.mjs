// Figures as a reader wants them: with units, and "~" before an estimate.

/** 4.2 s, 12 s, 2:14 — seconds, rounded down while a clock runs. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A length of time that is over: 0.62 s, 4.2 s, 2:14. */
export function duration(seconds) {
  if (seconds < 1) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return clock(Math.round(seconds));
}

export function count(number) {
  return number.toLocaleString("en-US");
}

/** 512 tokens, ~1 token. */
export function tokens(number, estimated) {
  return `${estimated ? "~" : ""}${count(number)} ${number === 1 ? "token" : "tokens"}`;
}

/** 143 tok/s, 8.4 tok/s. */
export function speed(perSecond, estimated) {
  const figure = perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond));
  return `${estimated ? "~" : ""}${figure} tok/s`;
}

/** 812 kB, 1.2 MB. */
export function size(bytes) {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What a picture or a clip is, in one line: "clip.mp4, 640 × 360, 4.0 s, 1.2 MB". */
export function mediaLine(media) {
  const known = [media.name || (media.kind === "image" ? "Picture" : "Clip")];
  if (media.width && media.height) known.push(`${media.width} × ${media.height}`);
  if (media.seconds) known.push(duration(media.seconds));
  if (media.size) known.push(size(media.size));
  return known.join(", ");
}
