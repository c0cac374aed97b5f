r"""LaTeX to MathML Core, and the limits that keep math-core from taking the process down."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from math_core import LatexError, LatexToMathML

MAX_LENGTH = 8_000
MAX_DEPTH = 100
# math-core tries both readings of each opening bracket that nothing closes: 2 ** 30 for "(" * 30.
MAX_UNCLOSED = 8
# Each expansion of a macro may nest as deep as the formula itself, so few are allowed.
MAX_EXPANSIONS = 10
# The most arguments any command is taken to have: \genfrac has six, and is rare.
_MOST_ARGUMENTS = 3

# A command that sizes a delimiter takes it along: \bigl) opens and \bigr( closes, whatever follows.
_TOKEN = re.compile(
    r"\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|\S)?"
    r"|\\(?:begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+|\\.|\S",
    re.DOTALL,
)
_FENCE_NAME = (
    r"(?:v|V|bra|Bra|group|moustache|angle|Angle|ang$|floor|ceil"
    r"|paren|Paren|brbrak|curvyangle|blot)"
)
_OPENING = re.compile(rf"\\(?:\{{|[bB]igg?l(?![A-Za-z])|[ul]lcorner|[lL]+{_FENCE_NAME})")
_CLOSING = re.compile(rf"\\(?:\}}|[bB]igg?r(?![A-Za-z])|[ul]rcorner|[rR]+{_FENCE_NAME})")
_SCOPE = re.compile(r"\{|\}|\\(?:begin|end|left|right)(?![A-Za-z])")
_SIZED = re.compile(r"\\(?:middle|[bB]igg?[lrm]?)(?![A-Za-z])")

_converter = LatexToMathML(fancy_error=False, max_expansions=MAX_EXPANSIONS)


@lru_cache(maxsize=512)
def maths_html(source: str, *, display: bool) -> str:
    """HTML for a formula: MathML Core, or its source as text where it cannot be read.

    math-core 0.9 kills the process on deep nesting and takes exponential time on brackets left
    open, hence the limits on length, depth and unclosed brackets before it is called.
    """
    if len(source) <= MAX_LENGTH and _is_bearable(source):
        try:
            return str(_converter.convert_with_local_state(source, displaystyle=display))
        except (LatexError, ValueError):
            pass
    return f'<code class="math-source">{escape(source)}</code>'


@dataclass(slots=True)
class _Scope:
    r"""A group of braces, an environment or a \left…\right: brackets pair only within one."""

    brackets: int = 0
    arguments: int = 0  # that the commands before still want: a bracket given as one closes nothing


def _is_bearable(source: str) -> bool:
    """Whether nesting and unclosed brackets stay within what math-core bears.

    Where it cannot be known how math-core reads a bracket, the worse reading is taken.
    """
    scopes = [_Scope()]
    unclosed = commands_in_a_row = 0
    for token in _TOKEN.findall(source):
        commands_in_a_row = commands_in_a_row + 1 if len(token) > 1 else 0
        scope = scopes[-1]
        if found := _SCOPE.match(token):
            if found[0] in {"{", "\\begin", "\\left"}:
                scopes.append(_Scope())
            elif len(scopes) > 1:
                unclosed += scopes.pop().brackets
                scopes[-1].arguments = max(0, scopes[-1].arguments - 1)
        elif token in {"&", "\\\\"}:
            unclosed += scope.brackets
            scopes[-1] = _Scope()
        elif _opens(token):
            scope.brackets += 1
        elif scope.arguments:
            scope.arguments += _arguments(token) - 1
        elif _closes(token):
            scope.brackets = max(0, scope.brackets - 1)
        else:
            scope.arguments = _arguments(token)
        if max(len(scopes), scope.brackets, commands_in_a_row) > MAX_DEPTH:
            return False
    return unclosed + sum(scope.brackets for scope in scopes) <= MAX_UNCLOSED


def _opens(token: str) -> bool:
    if len(token) == 1:
        return unicodedata.category(token) in {"Ps", "Pi"}
    return _OPENING.match(token) is not None


def _closes(token: str) -> bool:
    if len(token) == 1:
        return unicodedata.category(token) in {"Pe", "Pf"}
    return _CLOSING.match(token) is not None


@lru_cache(maxsize=1024)
def _arguments(token: str) -> int:
    """How many arguments a token takes: found by asking math-core, which knows its commands."""
    if len(token) == 1:
        return int(token in {"^", "_"})
    if _SIZED.match(token):
        return 0
    for count in range(_MOST_ARGUMENTS):
        try:
            _converter.convert_with_local_state(token + " x" * count, displaystyle=True)
        except (LatexError, ValueError):
            continue
        return count
    return _MOST_ARGUMENTS
