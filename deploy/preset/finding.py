"""One thing that is found in a preset, and how its value is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from deploy.preset.values import Preset

HIDDEN: Final = "(not shown)"
MISSING: Final = "(missing)"
_LONGEST: Final = 80
_SECRET_NAME: Final = re.compile(
    r"(^|[_-])(api[_-]?key|key|token|secret|password|passwd|credentials?)$", re.IGNORECASE
)

# A name with a value after it, inside of another value: --NAME VALUE, NAME=VALUE, "NAME": VALUE.
_NAMED: Final = re.compile(r"--?([A-Za-z][\w-]*)[\s=]+(?=\S)|([\w-]+)[\"']?\s*[=:]\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: an error must not be pushed, a warning may.

    field  a dotted path, or the flag where it is one of the start command
    value  what stands there, as text; never a secret
    rule   what is asked of it, and why
    """

    severity: Literal["error", "warning"]
    field: str
    value: str
    rule: str


# What a rule is: it looks at a preset, and yields what it finds.
Rule = Callable[[Preset], Iterator[Finding]]


def error(field: str, value: Any, rule: str) -> Finding:
    """Something that must not be pushed."""
    return Finding("error", field, shown(field, value), rule)


def warning(field: str, value: Any, rule: str) -> Finding:
    """Something that may be pushed, and is worth knowing."""
    return Finding("warning", field, shown(field, value), rule)


def names_a_secret(name: str) -> bool:
    """Whether a variable or a flag of that name would hold a key."""
    return _SECRET_NAME.search(name) is not None


def hides_value(change: str) -> bool:
    """Whether what `--set` was given, or any NAME=VALUE, holds what must not be shown."""
    name, _, value = change.partition("=")
    return _is_secret(name.strip()) or _holds_a_secret(value)


def shown_change(change: str) -> str:
    """What `--set` was given, or any NAME=VALUE, to be shown: a secret without its value."""
    name, equals, _ = change.partition("=")
    return f"{name}={HIDDEN}" if equals and hides_value(change) else change


def shown(field: str, value: Any) -> str:
    """The value as one short line; a secret is not shown."""
    if value == MISSING:
        return MISSING
    if _is_secret(field):
        return "null" if value is None else HIDDEN
    if isinstance(value, dict | list):
        # What is inside may be secret, and the shape is what matters.
        return "a list" if isinstance(value, list) else "a mapping"
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    text = json.dumps(text, ensure_ascii=False)[1:-1] if _breaks_the_line(text) else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _is_secret(field: str) -> bool:
    return field.split(".")[0] == "secrets" or names_a_secret(field.rpartition(".")[2])


def _holds_a_secret(text: str) -> bool:
    """Whether a value has several in it, as a start command has, and a secret among them."""
    return any(names_a_secret(found[1] or found[2]) for found in _NAMED.finditer(text))


def _breaks_the_line(text: str) -> bool:
    return any(not letter.isprintable() for letter in text)
