// The turn API as the page uses it: requests with the owner's token, errors as sentences,
// the events of a run line by line, uploads with progress.

import { join, t, told } from "./texts.mjs";

const SILENCE_MS = 16_000; // three heartbeats of the server, and a second

/** An answer that is no: `message` says what is wrong, `remedy` what to do; both are sentences. */
export class Refused extends Error {
  constructor(status, { code, message, remedy }) {
    super(message);
    this.status = status;
    this.code = code;
    this.remedy = remedy ?? "";
  }

  get sentence() {
    return join(this.message, this.remedy);
  }
}

const unreachable = () =>
  new Refused(0, {
    code: "offline",
    message: t("api.offline.message"),
    remedy: t("api.offline.remedy"),
  });

function address(path) {
  return new URL(`api/${path}`, document.baseURI).href;
}

function headers(more = {}) {
  return { "X-Owner": window.glmOwner(), ...more };
}

function refusal(status, text) {
  try {
    const { error } = JSON.parse(text);
    if (error?.message) return new Refused(status, inOurWords(error));
  } catch {
    // A proxy's page, not the playground's answer.
  }
  if (status === 413) {
    return new Refused(status, {
      code: "too_large",
      message: t("api.too_large.message"),
      remedy: t("api.too_large.remedy"),
    });
  }
  return new Refused(status, {
    code: "http_error",
    message: t("api.http_error.message", { status: String(status) }),
    remedy: t("api.http_error.remedy"),
  });
}

/** `key` and `values` are those of a sentence that the server made of names and figures. */
function inOurWords({ code, message, remedy, key = `refusal.${code}.message`, values }) {
  return {
    code,
    message: told(key, values, message),
    remedy: told(`refusal.${code}.remedy`, {}, remedy),
  };
}

/**
 * One request; the answer's JSON, or null where it has none.
 * @throws {Refused}
 */
export async function request(path, options = {}) {
  const text = await requestText(path, options);
  return text ? JSON.parse(text) : null;
}

/**
 * One request; the answer as it came.
 * @throws {Refused}
 */
export async function requestText(path, { method = "GET", body, signal } = {}) {
  let response;
  try {
    response = await fetch(address(path), {
      method,
      headers: headers(body === undefined ? {} : { "Content-Type": "application/json" }),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
  const text = await response.text();
  if (!response.ok) throw refusal(response.status, text);
  return text;
}

/**
 * The events of a run after number `after`, as many at a time as came together. Ends when the
 * connection does; a connection that is silent for too long counts as lost.
 * @returns {AsyncGenerator<object[]>}
 * @throws {Refused}
 */
export async function* events(run, after, signal) {
  const silent = new AbortController();
  const abort = () => silent.abort();
  signal.addEventListener("abort", abort);
  let watchdog = setTimeout(abort, SILENCE_MS);
  let isWhole = false;
  try {
    const response = await fetch(address(`runs/${run}/events?after=${after}`), {
      headers: headers(),
      signal: silent.signal,
      cache: "no-store",
    });
    if (!response.ok) throw refusal(response.status, await response.text());
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    while (true) {
      const { done, value } = await reader.read();
      if (done) {
        isWhole = true;
        return;
      }
      clearTimeout(watchdog);
      watchdog = setTimeout(abort, SILENCE_MS);
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      const batch = lines.filter(Boolean).map((line) => JSON.parse(line));
      if (batch.length) yield batch;
    }
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error;
    throw unreachable();
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
    if (!isWhole) abort();
  }
}

function withNotes({ notes = [], note_sentences: sentences = [], ...media }) {
  const said = notes.map((note, at) => told(sentences[at]?.key, sentences[at]?.values, note));
  return { ...media, notes: said };
}

/**
 * Sends a file; `onProgress` gets the share that has gone out, 0 to 1.
 * XMLHttpRequest, since fetch tells nothing of an upload's progress.
 * @throws {Refused}
 */
export function upload(file, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append("file", file, file.name);
    const sending = new XMLHttpRequest();
    sending.open("POST", address("media"));
    for (const [name, value] of Object.entries(headers())) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress(loaded / total);
    };
    sending.onload = () => {
      if (sending.status === 201) resolve(withNotes(JSON.parse(sending.responseText)));
      else reject(refusal(sending.status, sending.responseText));
    };
    sending.onerror = () => reject(unreachable());
    sending.onabort = () => reject(new DOMException("The upload was cancelled.", "AbortError"));
    signal.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}
