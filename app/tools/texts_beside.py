"""The texts that a person types beside the tools, checked as they go: an answer's schema, rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from app.tools.errors import ToolSetError
from app.tools.findings import Fault, Finding, located
from app.tools.json_scan import Steps
from app.tools.json_text import shown
from app.tools.mocks import read_mocks
from app.tools.schema_advice import schema_faults
from app.tools.tools_text import MAX_FINDINGS, read_text
from app.tools.toolset import parse_mocks

_REFUSED = {
    "schema_type": "answer_type",
    "schema_kind": "answer_kind",
    "schema_value": "answer_value",
    "schema_unusable": "answer_unusable",
}
"""What is advice about a tool, and keeps a schema from being held against an answer."""

_PATH = re.compile(r"\$(?:\[\d+\]|\.\w+)*")
_STEP = re.compile(r"\[(\d+)\]|\.(\w+)")


@dataclass(frozen=True, slots=True)
class CheckedSchema:
    """What is to be said about the schema of an answer; with an error it is not to be sent."""

    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedRules:
    """What is wrong with the rules of a text, and how many there are."""

    errors: tuple[Finding, ...] = ()
    count: int = 0


def check_answer_schema(text: str) -> CheckedSchema:
    """What is wrong with the JSON Schema of an answer; a blank text asks for no form."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return CheckedSchema()
    value, mistake = read_text(text)
    if mistake is not None:
        return CheckedSchema(errors=(mistake,))
    if not isinstance(value, dict):
        fault = Fault("answer_form", (), {"value": shown(value)})
        return CheckedSchema(errors=located([fault], text))
    faults = list(islice(schema_faults(value), 2 * MAX_FINDINGS))
    errors = [replace(each, key=_REFUSED[each.key]) for each in faults if each.key in _REFUSED]
    places = {each.steps for each in errors}
    warnings = [each for each in faults if each.key not in _REFUSED and each.steps not in places]
    found = located([*errors, *warnings], text)
    return CheckedSchema(found[: len(errors)], found[len(errors) :])


def check_rules(text: str) -> CheckedRules:
    """What is wrong with a text of rules, or of a tool set with rules; a blank text has none."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return CheckedRules()
    value, mistake = read_text(text)
    if mistake is not None:
        return CheckedRules(errors=(mistake,))
    try:
        return CheckedRules(count=_count(value, text))
    except ToolSetError as error:
        sentence = str(error)
        return CheckedRules(
            errors=located([Fault("rule", _steps(sentence), {"sentence": sentence})], text)
        )


def _count(value: Any, text: str) -> int:
    return len(read_mocks(value)) if isinstance(value, list) else len(parse_mocks(text, {}).rules)


def _steps(sentence: str) -> Steps:
    """The steps of the path that a sentence begins with; the root's where it begins with none."""
    path = _PATH.match(sentence)
    steps = _STEP.finditer(path[0]) if path else ()
    return tuple(int(step[1]) if step[1] else step[2] for step in steps)
