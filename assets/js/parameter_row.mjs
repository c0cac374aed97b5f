// One parameter of a tool in the form. What the form has no field for is kept, and written as JSON.

import {
  parameterChanged,
  parameterRemoved,
  parameterRenamed,
  parameterReplaced,
  parameterRequired,
} from "./declared.mjs";
import { el, iconButton } from "./dom.mjs";
import { choice, field, tick } from "./fields.mjs";
import { t } from "./texts.mjs";

const TYPES = ["string", "number", "integer", "boolean", "array", "object"];

/**
 * `edit` changes the text, and says whether it could; `rebuild` also has the form drawn anew.
 * @param {{edit: (change: (text: string) => string|null) => boolean, rebuild: (change: (text:
 *   string) => string|null, focus: string|null) => void}} form
 */
export function parameterRow(declared, parameter, { edit, rebuild }) {
  const { name: first, schema, type, description, options, isRequired, isPlain } = parameter;
  let name = first;
  const set = (key, value) => edit((text) => parameterChanged(text, declared, name, key, value));
  const rename = (fresh) => {
    if (!edit((text) => parameterRenamed(text, declared, name, fresh))) return false;
    name = fresh;
    return true;
  };
  const retype = (to) => {
    const at = Object.keys(declared.value.parameters.properties).indexOf(name) + 1;
    const place = `.parameter:nth-child(${at}) select`;
    rebuild((text) => parameterChanged(text, declared, name, "type", to), place);
  };
  const remove = () => {
    rebuild((text) => parameterRemoved(text, declared, name), ".tool-buttons button");
  };
  const isObject = schema !== null && typeof schema === "object" && !Array.isArray(schema);
  return el(
    "li.parameter",
    { "data-testid": "parameter" },
    el(
      "div.parameter-head",
      {},
      field(t("tools.form.parameter"), name, { isCode: true, changed: rename }),
      isObject ? choice(t("tools.form.type"), typesFor(type), type, retype) : null,
      iconButton("close", t("tools.form.remove", { name }), remove),
    ),
    isObject
      ? field(t("tools.form.description"), description, {
          isLong: true,
          rows: 1,
          changed: (words) => set("description", words || null),
        })
      : null,
    isObject && (type === "string" || options)
      ? field(t("tools.form.options"), optionsText(options), {
          hint: t("tools.form.options.hint"),
          changed: (words) => set("enum", optionsOf(words, type)),
        })
      : null,
    tick(t("tools.form.required"), isRequired, (on) => {
      edit((text) => parameterRequired(text, declared, name, on));
    }),
    isPlain ? null : rest(schema, (value) => {
      return edit((text) => parameterReplaced(text, declared, name, value));
    }),
  );
}

function typesFor(type) {
  const known = TYPES.map((value) => ({ value, label: t(`tools.type.${value}`) }));
  if (TYPES.includes(type)) return known;
  return [{ value: type, label: type || t("tools.type.other") }, ...known];
}

/** Options as a line; those that are no texts as JSON. */
function optionsText(options) {
  if (!options) return "";
  const parts = options.map((each) => {
    return typeof each === "string" && !/[",]/.test(each) ? each : JSON.stringify(each);
  });
  return parts.join(", ");
}

function optionsOf(words, type) {
  const parts = words.match(/"(?:[^"\\]|\\.)*"|[^,]+/g)?.map((part) => part.trim()).filter(Boolean);
  if (!parts?.length) return null;
  return parts.map((part) => {
    try {
      const value = JSON.parse(part);
      return type === "string" && typeof value !== "string" ? part : value;
    } catch {
      return part;
    }
  });
}

function rest(schema, replace) {
  const said = el("p.tools-note", {}, t("tools.form.more"));
  const written = field(t("tools.form.as_json"), JSON.stringify(schema, null, 2), {
    isLong: true,
    isCode: true,
    changed: (text) => {
      let value;
      try {
        value = JSON.parse(text);
      } catch {
        said.textContent = t("tools.form.no_json");
        said.dataset.state = "error";
        return true; // what was typed stays, to be mended
      }
      return replace(value);
    },
  });
  return el("details.parameter-rest", {}, el("summary", {}, t("tools.form.all")), said, written);
}
