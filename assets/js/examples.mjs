// The examples of assets/examples: what can be tried with one click. Their words are texts.

import { t } from "./texts.mjs";

/**
 * @typedef {{id: string, title: string, text: string, icon: string,
 *   attachment?: string, tools?: object[]}} Example
 */

/** @returns {Promise<Example[]>} */
export async function loadExamples() {
  const response = await fetch(new URL("../examples/examples.json", import.meta.url));
  if (!response.ok) throw new Error(`The examples could not be loaded (${response.status}).`);
  const examples = await response.json();
  return examples.map((example) => ({
    ...example,
    title: t(`example.${example.id}.title`),
    text: t(`example.${example.id}.text`),
  }));
}

/** The file that an example attaches, as if the reader had picked it. */
export async function exampleFile(name) {
  const response = await fetch(new URL(`../examples/${name}`, import.meta.url));
  if (!response.ok) throw new Error(t("example.failed", { status: String(response.status) }));
  const bytes = await response.blob();
  return new File([bytes], name, { type: bytes.type });
}
