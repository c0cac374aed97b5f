// The examples of assets/examples: what can be tried with one click.

/**
 * @typedef {{title: string, text: string, hint?: string, icon?: string,
 *   attachment?: string, tools?: object[]}} Example
 */

/** @returns {Promise<Example[]>} */
export async function loadExamples() {
  const response = await fetch(new URL("own/examples/examples.json", document.baseURI));
  if (!response.ok) throw new Error(`The examples could not be loaded (${response.status}).`);
  return response.json();
}

/** The file that an example attaches, as if the reader had picked it. */
export async function exampleFile(name) {
  const response = await fetch(new URL(`own/examples/${name}`, document.baseURI));
  if (!response.ok) throw new Error(`The example's file could not be loaded (${response.status}).`);
  const bytes = await response.blob();
  return new File([bytes], name, { type: bytes.type });
}
