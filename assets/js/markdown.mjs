// A turn of the model as one Markdown text.

import { t } from "./texts.mjs";

/** Answers and calls; the thought only where there is nothing else. */
export function asMarkdown(parts) {
  const pieces = parts.map((part) => {
    if (part.kind === "answer") return part.text.trim();
    if (part.kind === "call") {
      return `**${t("transcript.call")}** \`${part.name}\`\n\n\`\`\`json\n${part.arguments}\n\`\`\``;
    }
    return null;
  });
  const answered = pieces.filter(Boolean);
  if (answered.length) return answered.join("\n\n");
  return parts.map((part) => part.text ?? "").join("\n\n").trim();
}

/** The answers alone, as the model wrote them. */
export function asWritten(parts) {
  const answers = parts.filter(({ kind }) => kind === "answer");
  return answers.map(({ text }) => text.trim()).join("\n\n");
}
