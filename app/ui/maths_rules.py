r"""Where maths stands in Markdown: $, $$, \( \) and \[ \], as markdown-it rules.

The rules are ours rather than a plugin's because a dollar in an answer is as often money or a shell
variable as maths, and because they must tell a streaming caller when the text ended before they
could decide.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from app.ui.maths import MAX_LENGTH

_MONEY = re.compile(r"\d[\d.,]*\s+[A-Za-z]{2,}")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")


def enable_maths(md: MarkdownIt) -> None:
    """Add the two rules; they push tokens `math_inline`, `math_display` and `math_block`.

    When a formula is open at the end of the text, the block rule puts the line where it starts
    into `env["undecided"]` (the least such line): what follows may still change that block.
    """
    md.inline.ruler.before("escape", "maths", _inline_rule)
    md.block.ruler.before(
        "fence",
        "maths",
        _block_rule,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _inline_rule(state: StateInline, silent: bool) -> bool:
    source, position = state.src, state.pos
    if source.startswith("$", position):
        if position and _is_word(source[position - 1]):
            return False
        opening = "$$" if source.startswith("$$", position) else "$"
        closing = opening
    elif source.startswith(("\\(", "\\["), position):
        opening = source[position : position + 2]
        closing = "\\)" if opening == "\\(" else "\\]"
    else:
        return False
    start = position + len(opening)
    end = _find_closing(source, closing, start, min(state.posMax, start + MAX_LENGTH))
    if end < 0:
        return False
    content = source[start:end]
    after = end + len(closing)
    if not content.strip() or (opening[0] == "$" and not _is_formula(source, opening, start, end)):
        return False
    if not silent:
        kind = "math_inline" if opening in {"$", "\\("} else "math_display"
        token = state.push(kind, "math", 0)
        token.content = content.strip()
        token.markup = opening
    state.pos = after
    return True


def _is_formula(source: str, opening: str, start: int, end: int) -> bool:
    """Whether the text between two dollar signs is maths, and not two prices or shell variables."""
    content = source[start:end]
    after = source[end + len(opening) : end + len(opening) + 4]
    if content[0] == "$" or after.startswith("$") or "`" in content:
        return False
    if opening == "$$":
        return True
    if content[0].isspace() or content[-1].isspace() or _MONEY.match(content):
        return False
    return not (after and _is_word(after[0])) or _ORDINAL.match(after) is not None


def _find_closing(source: str, closing: str, start: int, stop: int) -> int:
    """Where the first unescaped `closing` stands in source[start:stop]; -1 if nowhere."""
    position = source.find(closing, start, stop)
    while position >= 0:
        backslashes = position - len(source[start:position].rstrip("\\")) - start
        if backslashes % 2 == 0:
            return position
        position = source.find(closing, position + 1, stop)
    return -1


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    first = _line(state, start_line)
    opening = first[:2]
    if opening not in {"$$", "\\["}:
        return False
    closing = "$$" if opening == "$$" else "\\]"
    last_line = _closing_line(state, start_line, end_line, first, opening, closing)
    if last_line is None:
        return False
    content = _content(state, start_line, last_line)[len(opening) : -len(closing)]
    if not content.strip():
        return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.content = content.strip()
        token.markup = opening
        token.map = [start_line, last_line + 1]
        state.line = last_line + 1
    return True


def _closing_line(
    state: StateBlock, start_line: int, end_line: int, first: str, opening: str, closing: str
) -> int | None:
    """The line that ends the formula; None when it is not one, or not yet."""
    rest = first[len(opening) :]
    if closing in rest:
        at = rest.find(closing)
        return start_line if at == len(rest) - len(closing) else None
    # In a paragraph that an outdented line continues, blkIndent is that of the list around it.
    floor = min(state.blkIndent, state.sCount[start_line])
    length = len(first)
    for line in range(start_line + 1, end_line):
        if state.isEmpty(line) or state.sCount[line] < floor:
            return None
        text = _line(state, line)
        length += len(text)
        if closing in text:
            return line if text.find(closing) == len(text) - len(closing) else None
        # A second opening ends the search: else many of them would cost their square.
        if text.startswith(opening) or length > MAX_LENGTH:
            return None
    if end_line >= len(state.bMarks) - 1:
        state.env["undecided"] = min(start_line, state.env.get("undecided", start_line))
    return None


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _content(state: StateBlock, start_line: int, last_line: int) -> str:
    return state.getLines(start_line, last_line + 1, state.sCount[start_line], False).strip()
