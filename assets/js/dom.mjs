// Makes elements. Text always goes in as text: nothing here parses HTML.

/**
 * @param {string} tag  a tag, and classes after dots: "button.icon-button"
 * @param {Record<string, unknown>} [attributes]  functions become listeners ("onclick"), false and
 *   null are left out, true is an empty attribute
 * @param {...(Node|string|null|false)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== false) element.append(child);
  return element;
}

/** An icon of assets/icons, coloured like the text around it. */
export function icon(name) {
  return el(`span.icon.icon-${name}`, { "aria-hidden": "true" });
}

/** Shows another icon in the place of one that `icon` made. */
export function changeIcon(element, name) {
  element.className = `icon icon-${name}`;
}

/** A button that is an icon alone; its name is read out, and shown as a tooltip. */
export function iconButton(name, label, onclick, attributes = {}) {
  return el(
    "button.button.icon-button",
    { type: "button", "aria-label": label, title: label, onclick, ...attributes },
    icon(name),
  );
}

/** Writes text only where it differs, so that a clock costs nothing between its ticks. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes these the children of an element; those that are there already are not touched. */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  let at = parent.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else parent.insertBefore(child, at);
  }
}

let counter = 0;

/** An id that no other element of the page has. */
export function freshId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}
