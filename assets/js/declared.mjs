// The tools in the text of a chat, as a form shows and changes them: each change goes to its place
// in the text, and all else stays as it was written.

import { insertLast, removeAt, renameAt, replaceAt } from "./json_edit.mjs";
import { jsonTree, nodeAt, valueOf } from "./json_tree.mjs";

// As the server tells a bare schema (app/tools/tools_text.py).
const SCHEMA = [
  ...["$schema", "$ref", "$defs", "type", "properties"],
  ...["required", "allOf", "anyOf", "oneOf"],
];

/**
 * A function in the text: `steps` lead to it, `tool` to the array's item that it is in, or null
 * where the text is that tool alone. `value` is the function; null where it is none.
 * @typedef {{steps: (string|number)[], tool: number|null, value: object|null}} Declared
 */

/**
 * The functions of a text; null where a form cannot show it: no JSON, or a bare schema.
 * @returns {Declared[]|null}
 */
export function declaredIn(text) {
  if (!text.trim()) return [];
  const root = jsonTree(text);
  if (!root || root.kind === "scalar") return null;
  const at = (steps, tool) => {
    const node = nodeAt(root, steps);
    return { steps, tool, value: node?.kind === "object" ? valueOf(text, node) : null };
  };
  if (root.kind === "array") return root.items.map((_, index) => at([index, "function"], index));
  const keys = root.members.map(({ key }) => key);
  if (keys.includes("function")) return [at(["function"], null)];
  const isFunction = keys.includes("parameters") || !keys.some((key) => SCHEMA.includes(key));
  return isFunction && keys.includes("name") ? [at([], null)] : null;
}

/**
 * A bare schema as the tool that the server makes of it, its text as it was written; null where the
 * text is something else.
 */
export function withSchemaWrapped(text) {
  const root = jsonTree(text);
  if (root?.kind !== "object" || declaredIn(text) !== null) return null;
  const { title, description } = valueOf(text, root);
  const named = typeof title === "string" ? title.replace(/[^a-zA-Z0-9_-]+/g, "_") : "";
  const name = JSON.stringify(named.replace(/^_+|_+$/g, "").slice(0, 64) || "tool_1");
  const isSaid = typeof description === "string";
  const said = isSaid ? ` "description": ${JSON.stringify(description)},` : "";
  const schema = text.trim().replaceAll("\n", "\n  ");
  const inner = `{"name": ${name},${said} "parameters": ${schema}}`;
  return `[\n  {"type": "function", "function": ${inner}}\n]`;
}

/** The text with one more tool; null where it cannot take one. */
export function withTool(text) {
  const names = (declaredIn(text) ?? []).map(({ value }) => value?.name);
  let number = names.length + 1;
  while (names.includes(`tool_${number}`)) number += 1;
  const parameters = { type: "object", properties: {}, required: [] };
  const fresh = { name: `tool_${number}`, description: "", parameters };
  return insertLast(asArray(text), [], [{ type: "function", function: fresh }]);
}

/** The text without a tool. */
export function withoutTool(text, { tool }) {
  if (tool === null) return "";
  const left = removeAt(text, [tool]);
  return left?.replace(/\s/g, "") === "[]" ? "" : left;
}

/** A text of one tool, or of one function, as an array of it. */
export function asArray(text) {
  const root = text.trim() ? jsonTree(text) : null;
  if (root?.kind !== "object") return text;
  const inner = text.trim().replaceAll("\n", "\n  ");
  const isTool = root.members.some(({ key }) => key === "function");
  return isTool ? `[\n  ${inner}\n]` : `[\n  {"type": "function", "function": ${inner}}\n]`;
}

/** Changes a member of a function; null takes it out. */
export function changed(text, { steps }, key, value) {
  const place = [...steps, key];
  return value === null ? removeAt(text, place) : replaceAt(text, place, value);
}

/** What can be said of one parameter by a form; `isPlain`: the form shows all that it says. */
export function parametersOf({ value }) {
  const { properties = {}, required } = value?.parameters ?? {};
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, schema]) => {
    const { type, description, enum: options, ...more } = schema ?? {};
    return {
      name,
      schema,
      type: typeof type === "string" ? type : "",
      description: typeof description === "string" ? description : "",
      options: Array.isArray(options) ? options : null,
      isRequired: needed.has(name),
      isPlain: typeof type === "string" && Object.keys(more).length === 0,
    };
  });
}

function placeOf({ steps }, name) {
  return [...steps, "parameters", "properties", name];
}

/** Changes a keyword of a parameter; null takes it out. */
export function parameterChanged(text, declared, name, key, value) {
  const place = [...placeOf(declared, name), key];
  return value === null ? removeAt(text, place) : replaceAt(text, place, value);
}

/** Puts a whole schema in the place of a parameter's. */
export function parameterReplaced(text, declared, name, schema) {
  return replaceAt(text, placeOf(declared, name), schema);
}

/** Calls a parameter otherwise, where it is required too; null where the name is taken. */
export function parameterRenamed(text, declared, name, fresh) {
  const renamed = renameAt(text, placeOf(declared, name), fresh);
  const at = declared.value.parameters.required?.indexOf?.(name) ?? -1;
  if (renamed === null || at < 0) return renamed;
  return replaceAt(renamed, [...declared.steps, "parameters", "required", at], fresh);
}

/** Says whether a parameter is required. */
export function parameterRequired(text, declared, name, isRequired) {
  const place = [...declared.steps, "parameters", "required"];
  const required = declared.value.parameters.required ?? [];
  if (!isRequired) return removeAt(text, [...place, required.indexOf(name)]);
  return Array.isArray(declared.value.parameters.required)
    ? insertLast(text, place, [name])
    : replaceAt(text, place, [name]);
}

/** Adds a parameter, of text. */
export function parameterAdded(text, declared) {
  const { parameters } = declared.value;
  const names = Object.keys(parameters?.properties ?? {});
  let number = names.length + 1;
  while (names.includes(`parameter_${number}`)) number += 1;
  const properties = { [`parameter_${number}`]: { type: "string", description: "" } };
  const place = [...declared.steps, "parameters"];
  if (!parameters) return replaceAt(text, place, { type: "object", properties });
  if (!parameters.properties) return replaceAt(text, [...place, "properties"], properties);
  const [[name, schema]] = Object.entries(properties);
  return replaceAt(text, [...place, "properties", name], schema);
}

/** Takes a parameter out, and its mention as required. */
export function parameterRemoved(text, declared, name) {
  const at = declared.value.parameters.required?.indexOf?.(name) ?? -1;
  const place = [...declared.steps, "parameters", "required", at];
  return removeAt(at < 0 ? text : removeAt(text, place), placeOf(declared, name));
}
