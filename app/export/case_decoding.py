"""JSON to the forms of a case file; what does not fit is one sentence with its JSON path."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Final, cast, get_args

import msgspec

from app.chat.events import FailureKind
from app.chat.messages import Effort, MediaKind
from app.export.case_form import (
    ANSWERED_BY_PATTERN,
    HASH_PATTERN,
    MIME_PATTERN,
    NAME_PATTERN,
)
from app.tools.errors import JsonTextError
from app.tools.json_text import check_value, shortened

_MEND: Final = "mend it there, or export the chat again"
_MOST_SAID: Final = 500
_MOST_BITS: Final = 1000
"""Of a whole number: larger ones have no 64-bit float."""

_ANY_ITEM: Final = "[...]"
"""How msgspec writes the index of an item."""

_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\.\.\.|\d+)\]")

_NAMES: Final = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
}
_PATTERNS: Final = {
    HASH_PATTERN: "a SHA-256 in hexadecimal",
    MIME_PATTERN: "a media type such as image/png or video/mp4",
    NAME_PATTERN: "the name of a file, without folders",
    ANSWERED_BY_PATTERN: "hand, generated, error, cancelled, or a rule such as rule 2",
}
_KNOWN: Final = (
    (r"\.failure\.kind", get_args(FailureKind)),
    (r"^\$\.entries\[\d+\]\.kind", ("user", "turn", "results")),
    (r"\.kind", get_args(MediaKind)),
    (r"^\$\.setup\.choice", ("auto", "none", "required")),
    (r"^\$\.setup\.choice\.type", ("function",)),
    (r"\.effort", get_args(Effort)),
    (r"\.is", ("reasoning", "text", "call")),
    (r"\.value", ("like", "dislike")),
)
"""What may stand at the places that take some words alone."""


class CaseError(ValueError):
    """The file is no case that can be read: one sentence, with the place and what to do.

    Of what the file says in it, only what can be printed is left, and not more than a few lines.
    """

    def __init__(self, said: str) -> None:
        printable = "".join(one if one.isprintable() else "\ufffd" for one in said[:_MOST_SAID])
        super().__init__(printable if len(said) <= _MOST_SAID else f"{printable}…")

    @classmethod
    def at(cls, path: str, what: str, remedy: str = _MEND) -> CaseError:
        """The error of a place: `$.leaf is missing: …`."""
        return cls(f"{path} {what}: {remedy}.")


def decoded(form: Any, data: bytes | msgspec.Raw, path: str) -> Any:
    """The value of a form, which stands at `path` of the file. Raises CaseError."""
    try:
        return msgspec.json.decode(data, type=form)
    except RecursionError:
        raise CaseError.at(path, "is nested too deep") from None
    except msgspec.ValidationError as error:
        said, _, place = str(error).partition(" - at `")
        place = place.removesuffix("`")
        if _ANY_ITEM in place:
            try:
                place = _located(form, data, str(error), place)
            except (ValueError, LookupError, TypeError, RecursionError):  # keys that stand twice
                place = place.partition(_ANY_ITEM)[0]
        raise _explained(said, path + place.removeprefix("$")) from None
    except ValueError as error:
        raise CaseError(f"{_subject(path)} is not JSON ({_plain(error)}): {_MEND}.") from None


def checked(value: Any, path: str) -> Any:
    """The same value, any JSON, held against the limits of one. Raises CaseError."""
    try:
        check_value(value)
    except JsonTextError as error:
        raise CaseError.at(path + error.path.removeprefix("$"), str(error)) from None
    if _has_huge_number(value):
        raise CaseError.at(path, "holds a number that is too large")
    return value


def _has_huge_number(value: Any) -> bool:
    """Recursive, since the depth was checked."""
    if isinstance(value, Mapping):
        return any(map(_has_huge_number, value.values()))
    if isinstance(value, list):
        return any(map(_has_huge_number, value))
    return isinstance(value, int) and value.bit_length() > _MOST_BITS


def _subject(path: str) -> str:
    return "The file" if path == "$" else path


def _plain(error: ValueError) -> str:
    what = str(error).removeprefix("JSON is malformed: ")
    return what[:1].lower() + what[1:]


def _explained(said: str, path: str) -> CaseError:
    """What msgspec said, in words for whoever made the file."""
    if found := re.fullmatch(r"Expected `(.+?)`, got `?(.+?)`?", said):
        return CaseError.at(path, f"must be {_named(found[1])}, not {_named(found[2])}")
    if found := re.fullmatch(r"Expected `str` matching regex (.+)", said):
        wanted = next(words for pattern, words in _PATTERNS.items() if repr(pattern) == found[1])
        return CaseError.at(path, f"must be {wanted}")
    if found := re.fullmatch(r"Expected `(.+?)` (.+)", said):
        return CaseError.at(path, f"must be {_named(found[1])} {found[2]}")
    if found := re.fullmatch(r"Object missing required field `(.+)`", said):
        return CaseError.at(f"{path}.{found[1]}", "is missing")
    if found := re.fullmatch(r"Invalid (?:enum )?value (.+)", said, re.DOTALL):
        known = next((words for place, words in _KNOWN if re.search(f"{place}$", path)), ())
        return CaseError.at(path, f"is {shortened(found[1])}, which is none of {', '.join(known)}")
    return CaseError.at(path, f"does not fit ({said[:1].lower()}{said[1:]})")


def _named(types: str) -> str:
    return " or ".join(_NAMES.get(each, each) for each in types.split(" | "))


def _located(form: Any, data: bytes | msgspec.Raw, said: str, place: str) -> str:
    """The place with the index of each item, which msgspec leaves out.

    Of an array, the least number of first items that is refused with the same words ends with
    the item at fault. Raises ValueError, LookupError, TypeError or RecursionError for what
    cannot be tried so.
    """
    exact = "$"
    holder: Any = [msgspec.json.decode(data)]
    root, key = holder, cast("str | int", 0)
    for name, index in _STEP.findall(place):
        at = holder[key]
        if index == "..." and not isinstance(at, list):
            return exact
        if name or index != "...":
            holder, key = at, name or int(index)
            exact += f".{name}" if name else f"[{index}]"
            continue

        def is_refused(count: int, holder: Any = holder, key: Any = key, at: Any = at) -> bool:
            holder[key] = at[:count]
            return _refusal(form, root[0]) == said

        count = 1 + bisect_left(range(1, len(at)), True, key=is_refused)
        exact += f"[{count - 1}]"
        holder[key] = at[count - 1 : count]
        holder, key = holder[key], 0
    return exact


def _refusal(form: Any, value: Any) -> str:
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        return str(error)
    return ""
