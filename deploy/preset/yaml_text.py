"""YAML to values and back, and the keys that a mapping holds twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml  # type: ignore[import-untyped]


class NotYamlError(ValueError):
    """The text is not YAML; the sentence says where, and quotes nothing of it."""


def read(text: str) -> Any:
    """The value that the text holds. Raises NotYamlError."""
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise NotYamlError(f"{where}{error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        raise NotYamlError(str(reason)) from None


def write(value: Any) -> str:
    """The value as YAML, keys in their order, a long text folded."""
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text


def duplicate_keys(text: str) -> tuple[str, ...]:
    """The dotted paths that the text of a mapping gives more than once; YAML keeps the last."""
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
