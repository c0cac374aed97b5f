// The panel of the tools: what is declared, when it is called, what answers, and the answer's format.

import { AnswersSection, FormatSection, choiceSection } from "./answers_section.mjs";
import { openTools } from "./panel.mjs";
import { startTabs } from "./panel_tabs.mjs";
import { setup } from "./setup.mjs";
import { ToolsSection } from "./tools_section.mjs";

let sections = null;

/** Called once by the Gradio component with the element that holds its template. */
export function mount(element) {
  startTabs();
  sections = {
    tools: new ToolsSection(),
    rules: new AnswersSection(),
    answer_schema: new FormatSection(),
  };
  const { tools, rules, answer_schema } = sections;
  element
    .querySelector(".tools")
    .append(tools.element, choiceSection(), rules.element, answer_schema.element);
}

/** Opens the panel with the caret at the first error that was found. */
export function showFault() {
  openTools();
  const name = setup.faulty();
  if (name === "tools") return sections.tools.showFault();
  if (name === null) return;
  const { element, editor } = sections[name];
  element.open = true;
  const [{ line, column }] = setup.checks[name].last.errors;
  editor.goTo(line, column);
}
