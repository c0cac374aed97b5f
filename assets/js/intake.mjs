// What a picked, dropped or pasted file is: a picture, a clip, a text, a chat; or what is said of
// it. Its content decides, since names lie and a browser takes a TypeScript file for a clip.

import { t } from "./texts.mjs";

const HEAD_BYTES = 4096;

/** Characters that the text files of a message take together. */
export const MOST_CHARACTERS = 4_000_000;

const BYTES_A_CHARACTER = 3; // at most, in UTF-8, of what a string counts as one

const PICTURES = ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "II+\0", "MM\0+"];
const BMP = /^BM.{12}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0/s;
const PICTURE_BRANDS = /^.{4}ftyp(?:avi[fs]|hei[cxms]|hev[cx]|mif1|msf1)/s;
const CLIPS = /^(?:.{4}ftyp|[\0-\x08].{3}(?:moov|mdat|wide|free|skip|pnot)|\x1aE\xdf\xa3)/s;
const ARCHIVES = ["PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "7z\xbc\xaf", "Rar!", "BZh", "\xfd7zXZ"];
const CASE = /^\s*\{[^]*"format"\s*:\s*"glm-playground-case"/; // as app/export writes it
const CASE_NAME = /\.case\.json$/i; // where it is broken, the server says how
const OLD_OFFICE = "\xd0\xcf\x11\xe0";
const ENDINGS = { image: /\.(bmp|tiff?|heic|heif|avif)$/i, video: /\.(mov|webm|mkv)$/i };
const OFFICE = /\.(docx?|dotx?|xlsx?|pptx?|od[tsp]|rtf|pages|numbers|key)$/i;

/** A file that cannot be taken; the message is a sentence. */
export class NotTaken extends Error {}

const notTaken = (key, file, values = {}) =>
  new NotTaken(t(`intake.${key}`, { name: file.name, ...values }));

/**
 * @param {File} file
 * @param {"image"|"video"|null} picked  the slot for which it was picked
 * @returns {Promise<{kind: "image"|"video"|"case"} | {kind: "text", text: string}>}
 * @throws {NotTaken}
 */
export async function recognise(file, picked = null) {
  const head = await bytesOf(file, HEAD_BYTES);
  if (head.length === 0) throw notTaken("empty", file);
  const start = String.fromCharCode(...head.subarray(0, 18));
  const known = mediaBySignature(start);
  if (known) return { kind: known };
  refuseDocuments(file, start);
  const beginning = decode(head, { isCut: file.size > head.length });
  if (beginning !== null) {
    if (CASE_NAME.test(file.name) || CASE.test(beginning)) return { kind: "case" };
    if (file.size > MOST_CHARACTERS * BYTES_A_CHARACTER) throw tooLong(file);
    const text = decode(await bytesOf(file), { isCut: false });
    if (text === "") throw notTaken("empty", file);
    if (text !== null) return { kind: "text", text };
  }
  const [type] = file.type.split("/");
  if (type === "audio") throw notTaken("sound", file);
  const kind = type in ENDINGS ? type : (kindByName(file.name) ?? picked);
  if (kind === null) throw notTaken("other", file);
  return { kind };
}

/** What is said of a file for which there is no room. */
export function tooLong(file) {
  return notTaken("too_long", file, { most: MOST_CHARACTERS });
}

async function bytesOf(file, most = file.size) {
  try {
    return new Uint8Array(await file.slice(0, most).arrayBuffer());
  } catch {
    throw notTaken("unreadable", file); // a folder, or a file that has gone
  }
}

function mediaBySignature(start) {
  if (PICTURES.some((mark) => start.startsWith(mark))) return "image";
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return "image";
  if (BMP.test(start) || PICTURE_BRANDS.test(start)) return "image";
  return CLIPS.test(start) ? "video" : null;
}

/** Of a file whose type the system does not know. */
function kindByName(name) {
  return Object.keys(ENDINGS).find((kind) => ENDINGS[kind].test(name)) ?? null;
}

function refuseDocuments(file, start) {
  if (start.startsWith("%PDF-")) throw notTaken("pdf", file);
  const isArchive = ARCHIVES.some((mark) => start.startsWith(mark));
  if (start.startsWith(OLD_OFFICE) || start.startsWith("{\\rtf")) throw notTaken("office", file);
  if (isArchive) throw notTaken(OFFICE.test(file.name) ? "office" : "archive", file);
}

/** The text that bytes are, or null: valid UTF-8, or UTF-16 that begins with its mark; no NUL. */
function decode(bytes, { isCut }) {
  const utf16 = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.subarray(0, 2).join()];
  try {
    const decoder = new TextDecoder(utf16 ?? "utf-8", { fatal: true });
    const text = decoder.decode(bytes, { stream: isCut });
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
