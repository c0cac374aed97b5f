// The fields of the forms beside the chat: a label, and what is written or chosen.

import { el, freshId } from "./dom.mjs";

/**
 * A text that is taken when its field is left, or Enter is pressed. `changed` says whether it could
 * be taken.
 */
export function field(label, value, { changed, isLong = false, isCode = false, hint = null, rows = 2 }) {
  const id = freshId("field");
  const take = () => {
    if (input.value === value) return;
    if (changed(input.value) === false) input.value = value;
  };
  const input = el(isLong ? "textarea.tools-input" : "input.tools-input", {
    id,
    rows: isLong ? rows : null,
    dir: "auto",
    spellcheck: isCode ? "false" : null,
    autocomplete: "off",
    "data-code": isCode,
    placeholder: hint,
    onchange: take,
    onkeydown: (event) => {
      if (event.key === "Enter" && !isLong && !event.isComposing) take();
    },
  });
  input.value = value;
  return el("div.tools-field", {}, el("label", { for: id }, label), input);
}

/**
 * One of several.
 * @param {{value: string, label: string}[]} options
 */
export function choice(label, options, value, changed) {
  const id = freshId("field");
  const select = el("select.tools-input", { id, onchange: () => changed(select.value) });
  select.append(
    ...options.map((each) => new Option(each.label, each.value, false, each.value === value)),
  );
  return el("div.tools-field", {}, el("label", { for: id }, label), select);
}

/** A box to tick. */
export function tick(label, isOn, changed) {
  const box = el("input", { type: "checkbox", onchange: () => changed(box.checked) });
  box.checked = isOn;
  return el("label.tools-tick", {}, box, el("span", {}, label));
}
