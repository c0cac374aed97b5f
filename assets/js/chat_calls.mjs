// What is asked of the server about the calls of the chat that is shown: their results, and where the
// model made a call that does not fit, its arguments.

import { pathOf } from "./address.mjs";
import { request } from "./api.mjs";
import { chat } from "./chat.mjs";
import { setup } from "./setup.mjs";

/**
 * Answers the calls that wait: by `results`, or by the rules (`by_rules: true`); the model goes on.
 * @throws {Refused}
 */
export function answerCalls(how, options) {
  const { turn } = chat.pending;
  const taken = ({ results }) => chat.tell("results", { results });
  return chat.begin({ turn, ...how, options }, taken, { to: "results" });
}

/**
 * Has the chat's end answered where nothing answers it: a run was stopped before its next step.
 * @throws {Refused}
 */
export function resume(options) {
  return chat.begin({ retry: true, options }, () => {});
}

/** None of the calls that wait is executed; null where that is refused. */
export function cancelCalls() {
  const body = { turn: chat.pending.turn, cancel: true };
  return chat.change(() => request(`${pathOf(chat.id)}/results`, { method: "POST", body }));
}

/** Puts a person's arguments into a call that waits; null where that is refused. */
export function repairCall(call, words) {
  const body = { turn: chat.pending.turn, call_id: call, arguments: words };
  const { options } = setup.turn();
  if (options.tools) body.tools = options.tools;
  return chat.change(() => request(`${pathOf(chat.id)}/calls`, { method: "POST", body }));
}

/** What could answer the calls that wait, by their ids; none where the server cannot be asked. */
export async function suggestions() {
  const { loop = {} } = setup.turn();
  const path = `${pathOf(chat.id)}/suggestions`;
  const found = await request(path, { method: "POST", body: { loop } }).catch(() => null);
  return new Map(found?.pending.map(({ id, suggestion }) => [id, suggestion]));
}
