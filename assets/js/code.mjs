// What a rendered answer's code gets on the page: a copy button, and a name for who cannot see it.

import { copyButton } from "./copy.mjs";
import { t } from "./texts.mjs";

const NAMES = {
  bash: "Bash", c: "C", cpp: "C++", css: "CSS", go: "Go", html: "HTML", java: "Java",
  javascript: "JavaScript", js: "JavaScript", json: "JSON", markdown: "Markdown", py: "Python",
  python: "Python", rust: "Rust", sh: "Shell", shell: "Shell", sql: "SQL", ts: "TypeScript",
  typescript: "TypeScript", xml: "XML", yaml: "YAML",
};

/** Gives each code block in `root` its copy button; the server has made the head. */
export function dressCode(root) {
  for (const pre of root.querySelectorAll(".code > pre")) {
    const head = pre.parentElement.querySelector(".code-head");
    const label = head.querySelector(".code-lang");
    const language = label.textContent;
    label.textContent = NAMES[language.toLowerCase()] ?? (language || t("code.unnamed"));
    head.append(copyButton(t("code.copy"), () => pre.textContent));
    pre.tabIndex = 0;
    pre.setAttribute("role", "region");
    pre.setAttribute("aria-label", language ? t("code.name", { language: label.textContent }) : t("code.unnamed"));
  }
}
