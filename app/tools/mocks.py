"""Rules that answer a call in place of a tool: the first that matches wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from app.tools.errors import JsonTextError, NoSampleError, ToolSetError
from app.tools.json_text import check_value, compact, shown
from app.tools.samples import sample

MAX_RULES = 1_000
MAX_DELAY_S = 600.0
"""Seconds; a longer wait helps nobody to see what a slow tool does."""

ANYTHING = "*"
"""Stands for any tool, and in `when` for any value."""

_KEYS = ("tool", "when", "result", "error", "ask", "generate", "delay_s")
_OUTCOMES = ("result", "error", "ask", "generate")


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's result: any JSON, or a text."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """What a tool says that has failed: "timeout", "not found", or any text."""

    message: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A person answers by hand."""


@dataclass(frozen=True, slots=True)
class Generate:
    """A sample of the tool's result schema."""


Outcome: TypeAlias = Result | Failure | Ask | Generate


@dataclass(frozen=True, slots=True)
class Mock:
    """One rule. `when` holds a part of the arguments that it answers; `delay_s` is in seconds."""

    tool: str
    outcome: Outcome
    when: Mapping[str, Any] = field(default_factory=dict)
    delay_s: float = 0.0

    def fits(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether the rule is for this call."""
        return self.tool in (ANYTHING, name) and _is_part(self.when, arguments)


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a call's result, what gave it ("rule 2", "generated", "error"), and the wait."""

    content: str
    answered_by: str
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Mocks:
    """Rules in order, and the result schemas that they generate from, by tool."""

    rules: tuple[Mock, ...] = ()
    results: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, name: str, arguments: Mapping[str, Any]) -> Answer | None:
        """The answer to a call, or None where a person is to give it.

        That is so where no rule fits, where the rule says so, and where no sample can be made.
        """
        for number, rule in enumerate(self.rules, start=1):
            if not rule.fits(name, arguments):
                continue
            match rule.outcome:
                case Ask():
                    return None
                case Result(value):
                    return Answer(result_text(value), f"rule {number}", rule.delay_s)
                case Failure(message):
                    return Answer(error_text(message), "error", rule.delay_s)
                case Generate():
                    return self._generated(name, rule.delay_s)
        return None

    def _generated(self, name: str, delay_s: float) -> Answer | None:
        if name not in self.results:
            return None
        try:
            value = sample(self.results[name])
        except NoSampleError:
            return None
        return Answer(result_text(value), "generated", delay_s)


def result_text(value: Any) -> str:
    """A result as the model reads it: a text as it is, anything else as JSON on one line."""
    return value if isinstance(value, str) else compact(value)


def error_text(message: str) -> str:
    """An error as the model reads it: chat completions have no flag for one."""
    return compact({"error": message})


def written_rule(mock: Mock) -> dict[str, Any]:
    """The rule as `read_mocks` reads it."""
    rule: dict[str, Any] = {"tool": mock.tool}
    if mock.when:
        rule["when"] = mock.when
    match mock.outcome:
        case Result(value):
            rule["result"] = value
        case Failure(message):
            rule["error"] = message
        case Ask():
            rule["ask"] = True
        case Generate():
            rule["generate"] = True
    if mock.delay_s:
        rule["delay_s"] = mock.delay_s
    return rule


def read_mocks(value: Any, path: str = "$") -> tuple[Mock, ...]:
    """The rules that an array holds. `path` is where it stands in its file.

    Raises ToolSetError.
    """
    if not isinstance(value, list):
        raise ToolSetError(f"{path} must be an array of rules, not {shown(value)}.")
    if len(value) > MAX_RULES:
        raise ToolSetError(f"{path} holds {len(value):,} rules; at most {MAX_RULES:,} are taken.")
    try:
        check_value(value)
    except JsonTextError as error:
        place = path + error.path.removeprefix("$")
        raise ToolSetError(f"{place} {error}; mend the rules.") from None
    return tuple(_rule(entry, f"{path}[{at}]") for at, entry in enumerate(value))


def _rule(entry: Any, path: str) -> Mock:
    if not isinstance(entry, Mapping):
        raise ToolSetError(f"{path} must be a rule, an object, not {shown(entry)}.")
    unknown = next((key for key in entry if key not in _KEYS), None)
    if unknown is not None:
        known = ", ".join(_KEYS)
        raise ToolSetError(f"{path} has the unknown key {shown(unknown)}; a rule takes {known}.")
    tool, when = entry.get("tool"), entry.get("when", {})
    if not isinstance(tool, str) or not tool:
        raise ToolSetError(f'{path}.tool must be the name of a tool, or "*" for any.')
    if not isinstance(when, Mapping):
        raise ToolSetError(f"{path}.when must be an object of arguments, not {shown(when)}.")
    return Mock(tool, _outcome(entry, path), when, _delay(entry.get("delay_s", 0), path))


def _outcome(entry: Mapping[str, Any], path: str) -> Outcome:
    given = [key for key in _OUTCOMES if key in entry]
    if len(given) != 1:
        has = " and ".join(given) or "none"
        raise ToolSetError(
            f"{path} must have exactly one of result, error, ask and generate, but has {has}."
        )
    return _READERS[given[0]](entry[given[0]], path)


def _failure(message: Any, path: str) -> Failure:
    if not isinstance(message, str) or not message:
        raise ToolSetError(f'{path}.error must be a text such as "timeout" or "not found".')
    return Failure(message)


def _ask(wanted: Any, path: str) -> Ask:
    if wanted is not True:
        raise ToolSetError(f"{path}.ask can only be true; leave it out where nobody is asked.")
    return Ask()


def _generate(wanted: Any, path: str) -> Generate:
    if wanted is not True:
        raise ToolSetError(f"{path}.generate can only be true; leave it out for a fixed result.")
    return Generate()


_READERS: dict[str, Callable[[Any, str], Outcome]] = {
    "result": lambda value, path: Result(value),
    "error": _failure,
    "ask": _ask,
    "generate": _generate,
}


def _delay(seconds: Any, path: str) -> float:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 <= seconds <= MAX_DELAY_S:
        raise ToolSetError(f"{path}.delay_s must be a number of seconds from 0 to {MAX_DELAY_S:g}.")
    return float(seconds)


def _is_part(expected: Any, actual: Any) -> bool:
    """Whether all that is expected is there: at every depth objects may hold more, lists not.

    Equal means equal as JSON: 1 and 1.0 are, 1 and true are not.
    """
    if expected == ANYTHING:
        return True
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            key in actual and _is_part(inner, actual[key]) for key, inner in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(map(_is_part, expected, actual))
        )
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return bool(expected == actual)
