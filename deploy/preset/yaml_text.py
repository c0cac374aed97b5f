"""YAML to values and back, and the keys that a mapping holds twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

_MOST_VALUES: Final = 20_000
_DEEPEST: Final = 50
_MOST_DIGITS: Final = 100
"""Far more than a preset has; what is beyond them is made to take all memory, or all time."""


class NotYamlError(ValueError):
    """The text is not YAML; the sentence says where, and quotes nothing of it."""


def read(text: str) -> Any:
    """The value that the text holds.

    Raises NotYamlError, also for what no preset would hold: values that multiply by aliases or
    hold themselves, half of a character, a number or a nesting without measure.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return None
        _measure(root, {}, set())
        loader = yaml.SafeLoader("")
        try:
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except NotYamlError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYamlError(f"{_where(mark)}{error.problem or error.context}") from None
    except RecursionError:
        raise NotYamlError("values are nested too deep") from None
    except (LookupError, AttributeError):
        # What PyYAML makes of a text that its tag cannot be, such as !!bool maybe.
        raise NotYamlError("a value is not what its tag, such as !!bool, says") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        raise NotYamlError(str(reason)) from None


def write(value: Any) -> str:
    """The value as YAML, keys in their order, a long text folded."""
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text


def duplicate_keys(text: str) -> tuple[str, ...]:
    """The dotted paths that the text of a mapping gives more than once; YAML keeps the last.

    The text is one that `read` takes.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return tuple(_duplicates(root, "", set()))


def _duplicates(node: Any, path: str, seen: set[int]) -> Iterator[str]:
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            yield from _duplicates(item, f"{path}{position}.", seen)
    elif isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in keys:
                yield f"{path}{name}"
            keys.add(name)
            yield from _duplicates(value, f"{path}{name}.", seen)


def _measure(node: Any, known: dict[int, tuple[int, int]], above: set[int]) -> tuple[int, int]:
    """How many values the node stands for, and how deep, each alias as what it stands for.

    Raises NotYamlError where that is too much.
    """
    if id(node) in known:
        return known[id(node)]
    if id(node) in above:
        raise _refused(node, "a value that holds itself")
    if isinstance(node, yaml.ScalarNode):
        _require_scalar(node)
    above.add(id(node))
    inside = [_measure(one, known, above) for one in _children(node)]
    above.remove(id(node))
    count = 1 + sum(one for one, _ in inside)
    depth = 1 + max((one for _, one in inside), default=0)
    if count > _MOST_VALUES:
        raise _refused(node, "aliases make this too many values: write them out")
    if depth > _DEEPEST:
        raise _refused(node, "values are nested too deep")
    known[id(node)] = count, depth
    return count, depth


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.SequenceNode):
        yield from node.value
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value


def _require_scalar(node: Any) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in node.value):
        raise _refused(node, "half of a character, which no text can hold")
    if node.tag == "tag:yaml.org,2002:int" and len(node.value) > _MOST_DIGITS:
        raise _refused(node, f"a number of more than {_MOST_DIGITS} digits")


def _refused(node: Any, what: str) -> NotYamlError:
    return NotYamlError(f"{_where(node.start_mark)}{what}")


def _where(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
