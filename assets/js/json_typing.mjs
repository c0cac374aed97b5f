// Keys that make JSON quick to type in a text area: Tab indents, Enter keeps the indentation. After
// Escape, Tab moves on, so that nobody is held by the box.

const STEP = "  ";

/** Has a text area take these keys; `said(isLeaving)` hears whether Tab moves on now. */
export function startTyping(area, said) {
  let isLeaving = false;
  const leave = (value) => {
    if (value !== isLeaving) said((isLeaving = value));
  };
  area.addEventListener("blur", () => leave(false));
  area.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !isLeaving) {
      event.preventDefault(); // it closes no drawer and stops no run, a second one may
      leave(true);
    } else if (event.key === "Tab" && !isLeaving) {
      event.preventDefault();
      indent(area, event.shiftKey);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      breakLine(area);
    } else if (event.key.length === 1) {
      leave(false);
    }
  });
}

/** Puts a text in the place of what is from `start` to `end`; it can be undone as typed text can. */
export function replaceText(area, start, end, text) {
  area.focus();
  area.setSelectionRange(start, end);
  // The one way that keeps the browser's undo; old as it is, all of them have it.
  const isDone = text
    ? document.execCommand("insertText", false, text)
    : start === end || document.execCommand("delete");
  if (isDone) return;
  area.setRangeText(text, start, end, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function indent(area, isBack) {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const isWithinLine = !value.slice(start, end).includes("\n");
  if (isWithinLine && !isBack) return replaceText(area, start, end, STEP);
  const from = value.lastIndexOf("\n", start - 1) + 1;
  const lines = value.slice(from, end).split("\n");
  const moved = lines.map((line) => {
    if (!isBack) return line ? STEP + line : line;
    return line.replace(/^ {1,2}|^\t/, "");
  });
  const text = moved.join("\n");
  if (text === value.slice(from, end)) return;
  replaceText(area, from, end, text);
  const shift = moved[0].length - lines[0].length;
  const caret = Math.max(from, start + shift);
  area.setSelectionRange(caret, isWithinLine ? Math.max(caret, end + shift) : from + text.length);
}

function breakLine(area) {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
  const indentation = line.match(/^[ \t]*/)[0];
  const isOpened = /[[{]\s*$/.test(line);
  const inner = isOpened ? indentation + STEP : indentation;
  const isClosed = isOpened && /^\s*[\]}]/.test(value.slice(end));
  replaceText(area, start, end, `\n${inner}${isClosed ? `\n${indentation}` : ""}`);
  const caret = start + 1 + inner.length;
  area.setSelectionRange(caret, caret);
}
