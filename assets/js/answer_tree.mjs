// An answer that was to be JSON of a schema: what its check found, and its value as a tree.

import { el, icon } from "./dom.mjs";
import { jsonTree } from "./json_tree.mjs";
import { Tabs } from "./tabs.mjs";
import { t } from "./texts.mjs";

const OPEN_TO = 2; // levels of the tree that are open at first
const FEW = 20; // members of a value that is open at first
const MOST = 500; // members that are drawn of one value at once
const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * @param {string} text  the answer, as the model wrote it
 * @param {{parsed: boolean, problems: {path: string, message: string}[]}} check
 * @returns {HTMLElement}
 */
export function answerTree(text, check) {
  const problems = check.problems.map(({ path, message }) =>
    el("li", {}, el("code", { dir: "ltr" }, path), ` ${message}`),
  );
  const root = check.parsed ? jsonTree(text) : null;
  return el(
    "section.answer-check",
    {
      "data-testid": "answer-check",
      "data-state": check.parsed && !problems.length ? "fits" : "problems",
      "aria-label": t("answer_check.name"),
    },
    head(check),
    problems.length > 0 && el("ul.answer-check-problems", {}, ...problems),
    ...(root ? views(text, root, check.problems) : []),
  );
}

function head({ parsed, problems }) {
  const isGood = parsed && !problems.length;
  const bad = parsed ? t("call.problems", { count: problems.length }) : t("answer_check.not_json");
  return el(
    "p.answer-check-head",
    {},
    icon(isGood ? "check" : "warning"),
    el("span", {}, isGood ? t("answer_check.fits") : bad),
  );
}

function views(text, root, problems) {
  const tree = new Tree(text, problems);
  const tabs = new Tabs(t("answer_check.name"), [
    { label: t("answer_check.tree"), draw: () => [tree.draw(root)] },
    { label: t("answer_check.text"), draw: () => [el("pre.answer-check-text", { dir: "ltr" }, text)] },
  ]);
  return tabs.elements;
}

class Tree {
  constructor(text, problems) {
    this.text = text;
    this.paths = problems.map(({ path }) => path);
  }

  draw(root) {
    return el("ul.answer-tree", { dir: "ltr" }, this.member(null, root, "$", 0));
  }

  member(key, node, path, depth) {
    const isWrong = this.paths.includes(path);
    const name = key === null ? "" : el("span.json-key", {}, key);
    const mark = isWrong ? icon("warning") : "";
    if (node.kind === "scalar") return el("li", { "data-wrong": isWrong }, name, this.scalar(node), mark);
    const members = membersOf(node, path);
    if (!members.length) {
      const empty = el("span.answer-tree-size", {}, node.kind === "array" ? "[]" : "{}");
      return el("li", { "data-wrong": isWrong }, name, empty, mark);
    }
    const size = t(node.kind === "array" ? "answer_check.items" : "answer_check.keys", {
      count: members.length,
    });
    const isOpen = (depth < OPEN_TO && members.length <= FEW) || this.leadsToProblem(path);
    const details = el(
      "details",
      {},
      el("summary", {}, name, el("span.answer-tree-size", {}, size), mark),
    );
    // What nobody opens is not drawn: an answer may hold a great many values.
    const draw = () => details.append(this.list(members, depth + 1));
    details.addEventListener("toggle", () => details.childElementCount === 1 && draw());
    if (isOpen) {
      draw();
      details.open = true;
    }
    return el("li", { "data-wrong": isWrong }, details);
  }

  list(members, depth) {
    const list = el("ul");
    const drawFrom = (start) => {
      const end = start + MOST;
      list.append(
        ...members.slice(start, end).map(({ key, node, path }) => this.member(key, node, path, depth)),
      );
      if (end >= members.length) return;
      const more = el(
        "button.button.json-more",
        { type: "button", onclick: () => (more.parentElement.remove(), drawFrom(end)) },
        t("answer_check.more", { count: members.length - end }),
      );
      list.append(el("li", {}, more));
    };
    drawFrom(0);
    return list;
  }

  scalar(node) {
    const text = this.text.slice(node.start, node.end);
    const kinds = { '"': "string", t: "boolean", f: "boolean", n: "object" };
    return el(`span.json-${kinds[text[0]] ?? "number"}`, {}, text);
  }

  leadsToProblem(path) {
    return this.paths.some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`));
  }
}

function membersOf(node, path) {
  if (node.kind === "array") {
    return node.items.map((item, at) => ({ key: String(at), node: item, path: `${path}[${at}]` }));
  }
  return node.members.map(({ key, value }) => {
    const step = PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    return { key, node: value, path: path + step };
  });
}
