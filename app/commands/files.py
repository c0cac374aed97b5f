"""Files that a command is given: read whole; what is wrong with one is said in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.export.case import Case
from app.export.case_reading import MAX_CASE_BYTES, CaseError, read_case


class BadArguments(ValueError):  # noqa: N818 - it is about the arguments, and ends with status 2
    """The arguments cannot be used; the text says why and what to do."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises BadArguments."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadArguments(f"{path} cannot be read: {error.strerror}.") from None


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. Raises BadArguments."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise BadArguments(f"{path} is not UTF-8 text.") from None


def read_json(path: Path) -> Any:
    """The value of a JSON file. Raises BadArguments."""
    return json_of(read_bytes(path), path)


def json_of(data: bytes, path: Path) -> Any:
    """The value of the JSON that a file holds. Raises BadArguments."""
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadArguments(f"{path} is not JSON: {error.msg} at {place}.") from None
    except (UnicodeDecodeError, RecursionError):
        raise BadArguments(f"{path} is not JSON.") from None


def case_in(data: bytes, path: Path) -> Case:
    """The case that a file holds. Raises BadArguments."""
    try:
        return read_case(data)
    except CaseError as error:
        raise BadArguments(f"{path} cannot be used. {error}") from None


def read_case_file(path: Path) -> Case:
    """The case of a file that must be one. Raises BadArguments, for a huge one before reading."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise BadArguments(f"{path} cannot be read: {error.strerror}.") from None
    if size > MAX_CASE_BYTES:
        raise BadArguments(f"{path} has {size:,} bytes; a case has at most {MAX_CASE_BYTES:,}.")
    return case_in(read_bytes(path), path)
