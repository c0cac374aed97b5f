"""vLLM's error bodies: what is wrong with a request, as its server would say it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_TYPES = {
    400: "BadRequestError",
    404: "NotFoundError",
    413: "BadRequestError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    500: "InternalServerError",
    501: "NotImplementedError",
    503: "ServiceUnavailableError",
}

_SHOWN_ERRORS = 10
"""vLLM lists so many validation errors, then counts the rest."""


class ApiError(Exception):
    """A request that is refused: status, and the parts of vLLM's `error` object."""

    def __init__(
        self, message: str, *, status: int = 400, kind: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind or _TYPES.get(status, "InternalServerError")
        self.param = param

    def body(self) -> dict[str, Any]:
        """The JSON body, keys in vLLM's order."""
        return {
            "error": {
                "message": self.message,
                "type": self.kind,
                "param": self.param,
                "code": self.status,
            }
        }

    def event(self) -> bytes:
        """The same inside a stream that has begun: one server-sent event."""
        return b"data: " + json.dumps(self.body(), ensure_ascii=False).encode() + b"\n\n"


_ABSENT = object()


def parameter_error(message: str, param: str, value: object = _ABSENT) -> ApiError:
    """A refusal that names the request's field, and its value where vLLM repeats it."""
    shown = "" if value is _ABSENT else f", value={value}"
    return ApiError(f"{message} (parameter={param}{shown})", param=param)


def validation_error(errors: Sequence[Mapping[str, Any]]) -> ApiError:
    """What vLLM makes of pydantic's errors: one line each, the first location as `param`."""
    lines = [f"  {_describe(error)}" for error in errors[:_SHOWN_ERRORS]]
    if len(errors) > _SHOWN_ERRORS:
        lines.append(f"  ...and {len(errors) - _SHOWN_ERRORS} more errors")
    plural = "s" if len(errors) > 1 else ""
    message = f"{len(errors)} validation error{plural}:\n" + "\n".join(lines)
    return ApiError(message, kind="Bad Request", param=_location(errors[0]["loc"]))


def unsupported_media_type() -> ApiError:
    """The body is not declared to be JSON."""
    message = "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"
    return ApiError(message, kind="Bad Request")


def _describe(error: Mapping[str, Any]) -> str:
    described = {
        "type": error["type"],
        "loc": _location(error["loc"]),
        "msg": error["msg"],
        "input": _input(error["input"]),
    }
    if error.get("ctx"):
        described["ctx"] = error["ctx"]
    return str(described)


def _location(loc: Sequence[int | str]) -> str:
    """The path to the mistake, without the branches of unions that lie on it."""
    return ".".join(["body", *(str(part) for part in loc if not _is_union_branch(part))])


def _is_union_branch(part: int | str) -> bool:
    if isinstance(part, int):
        return False
    return (
        part in ("str", "arguments", "NamedToolChoice")
        or part.endswith("ResponseFormat")
        or part.startswith(("generator[", "list[", "literal[", "constrained-"))
    )


def _input(value: object) -> str:
    if isinstance(value, dict | list):
        return f"<{type(value).__name__} of {len(value)} items>"
    return str(value)
