// One answer: blocks of HTML that the server has rendered and made safe, set by their index.
// This is the one place where HTML is parsed.

import { dressCode } from "./code.mjs";
import { el } from "./dom.mjs";

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

export class AnswerView {
  constructor() {
    this.element = el("div.answer", { dir: "auto", "data-testid": "answer" });
  }

  /** Block `index` is now this. */
  setBlock(index, html) {
    const block = this.block(index);
    block.replaceChildren(parse(html));
    dressCode(block);
  }

  /** The open code of block `index` grows by whole lines of plain text. */
  addCode(index, text) {
    const code = this.block(index).querySelector("code");
    if (code?.lastChild?.nodeType === Node.TEXT_NODE) code.lastChild.appendData(text);
    else code?.append(text);
  }

  /** Item or row `at` of block `index` is the one that the HTML holds. */
  setItem(index, at, html) {
    const list = this.block(index).querySelector("ul, ol, table");
    const source = parse(html).querySelector("ul, ol, table");
    if (!list || !source) return;
    const [into, item] =
      list.tagName === "TABLE"
        ? [list.tBodies[0] ?? list.createTBody(), source.querySelector("tbody > tr, tr")]
        : [list, source.querySelector("li")];
    if (!item) return;
    if (into.children[at]) into.children[at].replaceWith(item);
    else into.append(item);
    dressCode(item);
  }

  /** Only the first `count` blocks are left. */
  truncate(count) {
    while (this.element.children.length > count) this.element.lastChild.remove();
  }

  block(index) {
    while (this.element.children.length <= index) this.element.append(el("div.block"));
    return this.element.children[index];
  }
}
