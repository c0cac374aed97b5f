"""What is wrong with a call's arguments, in words for whoever reads the call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from jsonschema.exceptions import ValidationError

from app.chat.notices import Problem
from app.tools.json_text import json_path, shown

_LISTED = 8
"""Allowed values that a sentence lists."""

_LIMITS = {
    "minimum": "must be at least {limit}, not {value}",
    "maximum": "must be at most {limit}, not {value}",
    "exclusiveMinimum": "must be greater than {limit}, not {value}",
    "exclusiveMaximum": "must be less than {limit}, not {value}",
    "multipleOf": "must be a multiple of {limit}, not {value}",
    "const": "must be {limit}, not {value}",
    "minLength": "must have at least {limit} characters",
    "maxLength": "must have at most {limit} characters",
    "minItems": "must have at least {limit} items",
    "maxItems": "must have at most {limit} items",
    "minProperties": "must have at least {limit} keys",
    "maxProperties": "must have at most {limit} keys",
    "pattern": "must match the pattern {limit}, not be {value}",
    "uniqueItems": "has the same item twice",
    "required": "is missing",
    "contains": "lacks an item that its schema asks for",
    "not": "is what its schema forbids",
    "anyOf": "fits none of the forms that its schema allows",
}


def problems_of(errors: Iterable[ValidationError]) -> tuple[Problem, ...]:
    """Each error once, at its JSON path, in the order in which they were found."""
    return tuple(dict.fromkeys(_problem(error) for each in errors for error in _narrowed(each)))


def _problem(error: ValidationError) -> Problem:
    path = list(error.absolute_path)
    return Problem(json_path(path), f"{_subject(path)} {_what(error)}")


def _subject(path: Sequence[str | int]) -> str:
    """The last key of the path, with the indexes behind it: `'tags[2]'`."""
    last_key = next((at for at in reversed(range(len(path))) if isinstance(path[at], str)), None)
    if last_key is None:
        return "the value" if path else "the arguments"
    return "'" + str(path[last_key]) + json_path(path[last_key + 1 :])[1:] + "'"


def _what(error: ValidationError) -> str:
    keyword, limit = error.validator, error.validator_value
    value = shown(error.instance)
    if keyword == "type":
        return f"must be {_types(limit)}, not {value}"
    if keyword == "enum":
        return f"must be {_one_of(limit)}, not {value}"
    if keyword == "oneOf":
        several = "fits more than one of the forms that its schema allows"
        return _LIMITS["anyOf"] if error.context else several
    if keyword is None:
        return "is not a declared parameter"
    words = _LIMITS.get(str(keyword), "does not satisfy its schema's {keyword}")
    limit = limit if keyword == "pattern" else shown(limit)
    return words.format(limit=limit, value=value, keyword=keyword)


def _types(types: str | list[str]) -> str:
    names = [types] if isinstance(types, str) else types
    return _listed([_with_article(name) for name in names])


def _with_article(name: str) -> str:
    if name == "null":
        return name
    return f"an {name}" if name[0] in "aio" else f"a {name}"


def _one_of(values: list[Any]) -> str:
    if len(values) > _LISTED:
        return (
            f"one of {len(values)} values, such as {_listed([shown(each) for each in values[:3]])}"
        )
    return _listed([shown(each) for each in values])


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _narrowed(error: ValidationError) -> Iterator[ValidationError]:
    """Of alternatives, the errors of the only one that was meant, if that is plain."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield error
        return
    branches = [list(each) for _, each in groupby(error.context, key=lambda e: e.schema_path[0])]
    meant = [branch for branch in branches if not any(_is_other_form(each) for each in branch)]
    if len(meant) == 1:
        for each in meant[0]:
            yield from _narrowed(each)
    elif all(_is_other_type(each) for branch in branches for each in branch):
        yield _of_any_type(error)
    else:
        yield error


def _is_other_type(error: ValidationError) -> bool:
    return error.validator == "type" and not error.path


def _is_other_form(error: ValidationError) -> bool:
    """The branch is for another type, or for another value of the key that tells forms apart."""
    return _is_other_type(error) or (error.validator in ("const", "enum") and len(error.path) <= 1)


def _of_any_type(error: ValidationError) -> ValidationError:
    """One type error in place of an alternative of types."""
    allowed: list[str] = []
    for each in error.context:
        types = each.validator_value
        allowed += [types] if isinstance(types, str) else types
    return ValidationError(
        error.message,
        validator="type",
        validator_value=list(dict.fromkeys(allowed)),
        instance=error.instance,
        path=error.absolute_path,
    )
