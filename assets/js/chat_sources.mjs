// What single entries of the chat that is shown hold, and what a person thinks of them.

import { pathOf } from "./address.mjs";
import { request } from "./api.mjs";
import { chat } from "./chat.mjs";

/**
 * Likes or dislikes an answer; `value` null takes that back.
 * @throws {Refused}
 */
export function rate(turn, value, comment = "") {
  const body = { value, comment };
  return request(`${pathOfTurn(turn)}/feedback`, { method: "PUT", body });
}

/** A turn in the model's own words, to be copied or edited. */
export function turnSource(turn) {
  return request(pathOfTurn(turn));
}

/** A message of the reader whole, its files included. */
export function messageSource(message) {
  return request(`${pathOf(chat.id)}/messages/${encodeURIComponent(message)}`);
}

/** Where the API has a turn. */
export function pathOfTurn(turn) {
  return `${pathOf(chat.id)}/turns/${encodeURIComponent(turn)}`;
}
