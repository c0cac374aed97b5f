// Whole files to and from the turn API, with their progress: pictures and clips, case files that
// are imported, and those that are exported.

import { Refused, address, headers, refusal, unreachable } from "./api.mjs";

/**
 * Fetches a file; `onProgress` gets the bytes that have come.
 * @returns {Promise<Blob>}
 * @throws {Refused}
 */
export async function download(path, { onProgress, signal }) {
  try {
    const response = await fetch(address(path), { headers: headers(), signal, cache: "no-store" });
    if (!response.ok) throw refusal(response.status, await response.text());
    const reader = response.body.getReader();
    const pieces = [];
    let size = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      pieces.push(read.value);
      size += read.value.length;
      onProgress(size);
    }
    return new Blob(pieces, { type: response.headers.get("Content-Type") ?? "" });
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error;
    throw unreachable();
  }
}

/**
 * Sends a file, with the fields of a form beside it, and gives each line of the answer to `onLine`
 * as it comes, read as JSON; `onProgress` gets the share of the file that has gone out, 0 to 1.
 * XMLHttpRequest, since fetch tells nothing of an upload's progress.
 * @throws {Refused}
 */
export function uploadForLines(path, file, { fields = {}, onProgress, onLine, signal }) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append("file", file, file.name);
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    const sending = new XMLHttpRequest();
    let read = 0;
    const readLines = () => {
      const text = sending.responseText;
      const end = text.lastIndexOf("\n") + 1;
      const lines = text.slice(read, end).split("\n");
      read = Math.max(read, end);
      for (const line of lines) if (line) onLine(JSON.parse(line));
    };
    const isTaken = () => sending.status >= 200 && sending.status < 300;
    sending.open("POST", address(path));
    const asked = headers({ Accept: "application/x-ndjson" });
    for (const [name, value] of Object.entries(asked)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress(loaded / total);
    };
    sending.onprogress = () => isTaken() && readLines();
    sending.onload = () => {
      if (!isTaken()) return reject(refusal(sending.status, sending.responseText));
      readLines();
      resolve();
    };
    sending.onerror = () => reject(unreachable());
    sending.onabort = () => reject(new DOMException("The upload was cancelled.", "AbortError"));
    signal.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}
