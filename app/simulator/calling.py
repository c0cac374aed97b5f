"""Which declared tools a prompt plainly asks for, and with which arguments.

A tool is asked for by its name, by a word of its name, or by words of its description. Clauses
joined by "and" give calls in parallel, those joined by "then" one step after another; each step
waits until the one before it was answered.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from app.simulator.prompt import Prompt
from app.simulator.reply import Call
from app.simulator.request import ChatRequest, FunctionDefinition, NamedToolChoice, ToolChoice
from app.simulator.samples import sample
from app.simulator.tokens import split_tokens
from app.simulator.words import MAX_READ, VERBS, Words, content_stems, stems

_STEP = re.compile(r"[,;.]?\s+(?:and\s+)?(?:then|after that|afterwards)[,:]?\s+", re.IGNORECASE)
_CLAUSE = re.compile(r",\s*(?:and\s+)?|;\s*|\s+(?:and|plus|as well as)\s+|\n+", re.IGNORECASE)

_BY_NAME, _BY_NAME_WORD = 100, 10
_ENOUGH = 2
"""Words of the description that together ask for a tool; fewer do if it has no more."""

_TOOLS_READ, _PARTS_READ, _READ_OF_TEXT = 200, 20, 500
"""How many tools, parts of a prompt and characters of a description are looked at."""


def choose_calls(request: ChatRequest, prompt: Prompt) -> tuple[Call, ...]:
    """The calls of this turn; empty where the answer comes next."""
    tools = [tool.function for tool in request.tools or []]
    choice: ToolChoice = request.tool_choice or "auto"
    if not tools or choice == "none":
        return ()
    wanted = _wanted(tools, choice, prompt)
    if request.parallel_tool_calls is False:
        wanted = wanted[:1]
    return tuple(make_call(tool, Words(clause, prompt.user_text)) for tool, clause in wanted)


def make_call(tool: FunctionDefinition, words: Words) -> Call:
    """A call whose arguments satisfy the tool's schema."""
    arguments = sample(tool.parameters or {"type": "object"}, words)
    return Call(tool.name, tuple(_pieces(arguments)) if isinstance(arguments, dict) else ())


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A tool with the words that may ask for it: of its name, and of its description alone."""

    tool: FunctionDefinition
    spoken: re.Pattern[str]
    named: frozenset[str]
    described: frozenset[str]

    def score(self, clause: str, said: set[str]) -> int:
        """How plainly a clause with the words `said` asks for the tool."""
        if self.tool.name and self.spoken.search(clause):
            return _BY_NAME
        by_description = len(self.described & said)
        if by_description and by_description == len(self.described):
            by_description = max(by_description, _ENOUGH)
        return _BY_NAME_WORD * len(self.named & said) + by_description


def _candidates(tools: Sequence[FunctionDefinition]) -> list[_Candidate]:
    read = tools[:_TOOLS_READ]
    descriptions = [content_stems((tool.description or "")[:_READ_OF_TEXT]) for tool in read]
    often = Counter(chain.from_iterable(descriptions))
    candidates = []
    for tool, description in zip(read, descriptions, strict=True):
        name = tool.name[:_READ_OF_TEXT]
        named = content_stems(name)
        described = {word for word in description - named - VERBS if often[word] == 1}
        spoken = re.escape(name).replace("_", "[_ -]")
        candidates.append(
            _Candidate(
                tool,
                re.compile(rf"(?<!\w){spoken}(?!\w)", re.IGNORECASE),
                frozenset(named - VERBS or named),
                frozenset(described),
            )
        )
    return candidates


def _wanted(
    tools: Sequence[FunctionDefinition], choice: ToolChoice, prompt: Prompt
) -> list[tuple[FunctionDefinition, str]]:
    text = prompt.user_text
    candidates = _candidates(tools)
    found = (_asked_for(candidates, step) for step in _STEP.split(text[:MAX_READ])[:_PARTS_READ])
    steps = [step for step in found if step]
    if isinstance(choice, NamedToolChoice):
        named = next(tool for tool in tools if tool.name == choice.function.name)
        clauses = [clause for step in steps for tool, clause in step if tool is named]
        return [(named, clauses[0] if clauses else text)]
    if prompt.rounds < len(steps):
        return steps[prompt.rounds]
    if choice == "required":
        return steps[-1] if steps else [(tools[0], text)]
    return []


def _asked_for(candidates: Sequence[_Candidate], step: str) -> list[tuple[FunctionDefinition, str]]:
    """The tools of one step with the clause that asks for each, each tool once."""
    found: dict[str, tuple[FunctionDefinition, str]] = {}
    for clause in _CLAUSE.split(step)[:_PARTS_READ]:
        said = stems(clause)
        scores = [(each.score(clause, said), each.tool) for each in candidates]
        best = max((score for score, _ in scores), default=0)
        if best >= _BY_NAME:
            chosen = [tool for score, tool in scores if score >= _BY_NAME]
        else:
            chosen = [tool for score, tool in scores if score == best >= _ENOUGH][:1]
        for tool in chosen:
            found.setdefault(tool.name, (tool, clause))
    return list(found.values())


def _pieces(arguments: Mapping[str, Any]) -> list[str]:
    """Argument text in the pieces that vLLM's parser streams: strings bit by bit, others whole."""
    pieces: list[str] = []
    before = "{"
    for key, value in arguments.items():
        before += f"{json.dumps(key, ensure_ascii=False)}: "
        if isinstance(value, str):
            pieces.append(before + '"')
            pieces += [_escaped(token) for token in split_tokens(value)]
            before = '", '
        else:
            pieces.append(before)
            before = json.dumps(value, ensure_ascii=False) + ", "
    if not pieces:
        return []
    pieces.append(before.removesuffix(", ") + "}")
    return pieces


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
