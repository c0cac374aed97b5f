"""A question as it came and an answer as it goes, for the parts of the fake to share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Asked:
    """One request as it came, and the status of the answer; `op` names what it was about.

    `body` is the JSON value where it is JSON, else the bytes; for an upload it is its digest, and
    no secret's value is ever in it.
    """

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: Any
    op: str = ""
    status: int | None = None

    @property
    def route(self) -> str:
        """What was asked, such as "PATCH /v1/models/m1/deployments/d1/autoscaling_settings"."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. `events`, where given, is a stream that is sent in place of the body."""

    status: int = 200
    body: Any = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    events: tuple[Any, ...] = ()

    def payload(self) -> bytes:
        """The body as bytes: JSON for a value, text as UTF-8."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


def not_found(what: str) -> Answer:
    """The management API's answer for what does not exist."""
    return Answer(404, {"code": "NOT_FOUND", "message": f"{what} not found"})
