"""Reading what people paste, JSON or YAML, within the limits of `json_text`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import yaml  # type: ignore[import-untyped]

from app.tools.errors import JsonTextError
from app.tools.importing.imported import ImportFailed
from app.tools.json_text import check_value
from app.tools.tools_text import read_text
from app.tools.toolset import MAX_CHARACTERS

_PREFIX = "tag:yaml.org,2002:"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The core schema of YAML 1.2, which OpenAPI asks for: `no` is a text, and so is a date.

    A merge key (`<<`) is a key like any other: merges multiply.
    """

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - that of the base, emptied


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,299})", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+",
        list("-+.0123456789"),
    ),
):
    _Loader.add_implicit_resolver(_PREFIX + _tag, re.compile(rf"(?:{_pattern})\Z"), _first)


def read_json_document(text: str) -> Any:
    """The value of a JSON text. Raises ImportFailed with line and column."""
    value, mistake = read_text(text.removeprefix("\ufeff"))
    if mistake is not None:
        place = f"line {mistake.line}, column {mistake.column}"
        raise ImportFailed(f"In {place} of the JSON: {mistake.message}")
    return value


def read_document(text: str) -> Any:
    """The value of a text that is JSON if it begins with a brace, and YAML otherwise.

    Raises ImportFailed with line and column.
    """
    plain = text.removeprefix("\ufeff").lstrip()
    if plain[:1] in ("{", "["):
        return read_json_document(text)
    if len(text) > MAX_CHARACTERS:
        raise ImportFailed(
            f"The text has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are taken: "
            "paste a part of it."
        )
    try:
        value = yaml.load(text, _Loader)  # noqa: S506 - a safe loader
        check_value(value)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = (
            f"line {mark.line + 1}, column {mark.column + 1} of the YAML" if mark else "the YAML"
        )
        what = ": ".join(each for each in (error.context, error.problem) if each)
        raise ImportFailed(f"In {place}: {what}; mend it there.") from None
    except yaml.YAMLError as error:
        raise ImportFailed(f"The YAML cannot be read: {error}.") from None
    except JsonTextError as error:
        raise ImportFailed(f"The YAML {error}, at {error.path}: make it simpler.") from None
    except RecursionError:
        raise ImportFailed("The YAML is nested too deep: make it flatter.") from None
    except (ValueError, TypeError) as error:
        raise ImportFailed(f"The YAML cannot be read: {error}.") from None
    return _as_json(value)


def _as_json(value: Any) -> Any:
    """Keys as texts, as in `200:`; and what JSON has no form for as a text."""
    if isinstance(value, Mapping):
        return {_key(key): _as_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_number or isinstance(value, str | None) else str(value)


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)
