// JSON to be read: a text of JSON with a member a line. Numbers and the order of keys stay as they
// are written, which JSON.parse would change.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = "  ";

/** The text indented; what is no JSON, or is short, as it is. */
export function prettyJson(text) {
  if (text.length < 60 && !text.includes("\n")) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKENS) ?? [];
  let depth = 0;
  let shown = "";
  tokens.forEach((token, at) => {
    const line = (levels) => `\n${INDENT.repeat(levels)}`;
    if (token === "{" || token === "[") {
      depth += 1;
      const isEmpty = tokens[at + 1] === (token === "{" ? "}" : "]");
      shown += isEmpty ? token : token + line(depth);
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const isEmpty = tokens[at - 1] === (token === "}" ? "{" : "[");
      shown += isEmpty ? token : line(depth) + token;
    } else if (token === ",") {
      shown += token + line(depth);
    } else {
      shown += token === ":" ? ": " : token;
    }
  });
  return shown;
}
