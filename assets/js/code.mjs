// What a rendered answer gets on the page: a head with a copy button over code, and tables that
// scroll in themselves.

import { copyButton } from "./copy.mjs";
import { el } from "./dom.mjs";

const NAMES = {
  bash: "Bash", c: "C", cpp: "C++", css: "CSS", go: "Go", html: "HTML", java: "Java",
  javascript: "JavaScript", js: "JavaScript", json: "JSON", markdown: "Markdown", py: "Python",
  python: "Python", rust: "Rust", sh: "Shell", shell: "Shell", sql: "SQL", ts: "TypeScript",
  typescript: "TypeScript", xml: "XML", yaml: "YAML",
};

function language(pre) {
  const code = pre.querySelector("code");
  const found = `${pre.className} ${code?.className ?? ""}`.match(/language-(\S+)/)?.[1] ?? "";
  return NAMES[found.toLowerCase()] ?? found;
}

/** Gives each code block in `root` its head. */
export function dressCode(root) {
  for (const pre of root.querySelectorAll("pre")) {
    const name = language(pre);
    const head = el(
      "div.code-head",
      {},
      el("span.code-language", {}, name || "Code"),
      copyButton("Copy code", () => pre.textContent),
    );
    pre.tabIndex = 0;
    pre.setAttribute("role", "region");
    pre.setAttribute("aria-label", name ? `${name} code` : "Code");
    pre.dir = "ltr";
    const box = el("div.code", {}, head);
    pre.replaceWith(box);
    box.append(pre);
  }
}

/** Lets each table in `root` scroll by itself. */
export function dressTables(root) {
  for (const table of root.querySelectorAll("table")) {
    const box = el("div.table", { tabindex: "0", role: "region", "aria-label": "Table" });
    table.replaceWith(box);
    box.append(table);
  }
}
