// The turn API as the page uses it: requests with the owner's token, errors as sentences,
// the events of a run line by line.

import { join, t, told } from "./texts.mjs";

const SILENCE_MS = 16_000; // three heartbeats of the server, and a second

/**
 * An answer that is no: `message` says what is wrong, `remedy` what to do; both are sentences. A
 * clip that could be sent in another way has `offers`, and its figures.
 */
export class Refused extends Error {
  constructor(status, { code, message, remedy, offers, clip }) {
    super(message);
    this.status = status;
    this.code = code;
    this.remedy = remedy ?? "";
    this.offers = offers ?? [];
    this.clip = clip ?? null;
  }

  get sentence() {
    return join(this.message, this.remedy);
  }
}

/** There was no answer at all. */
export const unreachable = () =>
  new Refused(0, {
    code: "offline",
    message: t("api.offline.message"),
    remedy: t("api.offline.remedy"),
  });

/** Where the API has what a path names. */
export function address(path) {
  return new URL(`api/${path}`, document.baseURI).href;
}

/** Who asks, as headers, and what else they say. */
export function headers(more = {}) {
  return { "X-Owner": window.glmOwner(), ...more };
}

/** What an answer that is no comes to. */
export function refusal(status, text) {
  try {
    const { error } = JSON.parse(text);
    if (error?.message) return refused(status, error);
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

/**
 * A refusal as the server words it, in the reader's words. `key` and `values` are those of a
 * sentence that it made of names and figures.
 */
export function refused(status, { message, remedy, key, values, ...facts }) {
  return new Refused(status, {
    ...facts,
    message: told(key ?? `refusal.${facts.code}.message`, values, message),
    remedy: told(`refusal.${facts.code}.remedy`, {}, remedy),
  });
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
