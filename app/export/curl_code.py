"""A request as a call of curl, for any POSIX shell, that runs as it stands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlsplit

from app.export.layout import Notation, request_members
from app.export.request_body import as_sent

_LONGEST_ARGUMENT: Final = 100_000
"""Bytes. Linux takes 131,072 an argument (MAX_ARG_STRLEN); longer bodies go in by stdin."""

_TERMINATOR: Final = "JSON"
_PATH_CHARACTERS: Final = "/:@!$&'()*+,;=%~"
"""What stands in a URL's path as it is. Source: RFC 3986, `pchar`, and what is escaped already."""


def curl_code(body: Mapping[str, Any], *, base_url: str, key_variable: str | None) -> str:
    """The shell command that sends a chat-completions body, in the form of the model's page.

    `body` is the body as it was sent, its media included. `key_variable` names the environment
    variable that holds the API key; None sends no key. Needs no file and no quoting by hand: the
    JSON has no single quote, which is `\\u0027` in it, so that the shell reads nothing in it.
    """
    streamed = "N" if body.get("stream") else ""
    command = [f"curl -s{streamed} {shlex.quote(_endpoint(base_url))}"]
    command.append('-H "Content-Type: application/json"')
    if key_variable is not None:
        command.append(f'-H "Authorization: Bearer ${key_variable}"')
    data = _json(as_sent(body))
    if len(data.encode()) <= _LONGEST_ARGUMENT:
        command.append(f"-d '{data}'\n")
    else:
        # Each line of the JSON begins with a bracket or a blank: none is the terminator.
        command.append(f"--data-binary @- <<'{_TERMINATOR}'\n{data}\n{_TERMINATOR}\n")
    return " \\\n  ".join(command)


def _endpoint(base_url: str) -> str:
    """The address that is posted to; curl takes no blanks in it, and reads `{}` and `[]` itself."""
    parts = urlsplit(f"{base_url.rstrip('/')}/chat/completions")
    return parts._replace(path=quote(parts.path, safe=_PATH_CHARACTERS)).geturl()


def _json(body: Mapping[str, Any]) -> str:
    members = request_members(body, _NOTATION, indent="    ", label=lambda key: f"{_string(key)}: ")
    return "{\n" + ",\n".join(members) + "\n  }"


def _string(text: str) -> str:
    """A JSON string: no single quote, and nothing that a terminal or an editor does not show."""
    literal = json.dumps(text, ensure_ascii=False)
    if literal.isprintable() and "'" not in literal:
        return literal
    return "".join(one if one.isprintable() and one != "'" else _escaped(one) for one in literal)


def _escaped(character: str) -> str:
    return r"\u0027" if character == "'" else json.dumps(character)[1:-1]


_NOTATION: Final = Notation(_string, "true", "false", "null", last_comma="", indent="  ")
