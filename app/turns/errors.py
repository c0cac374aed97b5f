"""Refusals of the routes: a status, a code, one sentence, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from app.store.database import StoreError

logger = logging.getLogger(__name__)


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """A request that is not carried out. `message` and `remedy` are for a person to read.

    Where the message holds values, `key` and `values` are what it is made from, for a page in
    another language. `offers` are what the person may choose instead, by the figures of `clip`.
    `retry_after_s` is when to come back, where that is known (RFC 9110, Retry-After).
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        remedy: str = "",
        *,
        key: str = "",
        values: Mapping[str, str] | None = None,
        clip: Mapping[str, Any] | None = None,
        offers: Sequence[str] = (),
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.remedy = remedy
        self.key = key
        self.values = dict(values or {})
        self.clip = dict(clip or {})
        self.offers = tuple(offers)
        self.retry_after_s = retry_after_s

    def view(self) -> dict[str, Any]:
        """The refusal as a JSON value."""
        error: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "remedy": self.remedy,
        }
        if self.key:
            error |= {"key": self.key, "values": self.values}
        if self.offers:
            error |= {"clip": self.clip, "offers": list(self.offers)}
        return error

    def response(self) -> JSONResponse:
        """The refusal as the routes answer it."""
        headers = None if self.retry_after_s is None else {"Retry-After": str(self.retry_after_s)}
        return JSONResponse({"error": self.view()}, status_code=self.status, headers=headers)


class ClipView(BaseModel):
    """A refused clip in figures: all of it, upright.

    `most_seconds` is the longest part that can be sent, estimated. All of it would take `tokens` of
    the prompt; a part takes about `tokens_a_second`, and no more than all of it.
    """

    seconds: float
    frames: int
    width: int
    height: int
    bytes: int
    most_seconds: float
    tokens: int
    tokens_a_second: int


class ErrorView(BaseModel):
    """A refusal as the routes answer it. `key` and `values` are for a page in another language.

    `offers` are what an upload of a refused clip may wish for: `trim` with `start_s` and `end_s`,
    `shrink` with `shrink`.
    """

    code: str
    message: str
    remedy: str
    key: str = ""
    values: dict[str, str] = Field(default_factory=dict)
    clip: ClipView | None = None
    offers: list[Literal["trim", "shrink"]] = Field(default_factory=list)


class RefusedView(BaseModel):
    """The body of every answer that is no success."""

    error: ErrorView


ANY_REFUSAL: Final[dict[int | str, dict[str, Any]]] = {
    "default": {"model": RefusedView, "description": "A refusal: what is wrong, and what to do."}
}
"""What every route may answer, for the OpenAPI document."""


def refusals(*possible: Refusal) -> dict[int | str, dict[str, Any]]:
    """The refusals of one route, for the OpenAPI document: their codes and sentences by status."""
    told: dict[int, list[str]] = {}
    for refusal in possible:
        told.setdefault(refusal.status, []).append(f"`{refusal.code}`: {refusal.message}")
    return {
        status: {"model": RefusedView, "description": " ".join(words)}
        for status, words in told.items()
    }


def install(app: FastAPI) -> None:
    """Makes every refusal of the app's own routes take this one shape."""

    @app.exception_handler(Refusal)
    async def _refused(_request: Request, error: Refusal) -> JSONResponse:
        return error.response()

    @app.exception_handler(StoreError)
    async def _not_kept(_request: Request, error: StoreError) -> JSONResponse:
        return not_kept(error).response()

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return Refusal(422, "invalid_request", *sentences(error.errors())).response()

    @app.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> JSONResponse:
        return Refusal(error.status_code, "http_error", _sentence(error.detail)).response()

    @app.exception_handler(Exception)
    async def _failed(_request: Request, error: Exception) -> JSONResponse:
        return failed(error).response()


def not_kept(error: StoreError) -> Refusal:
    """The refusal where the store fails; what it says is for the log alone."""
    logger.error("%s", error)  # for whoever runs the playground: it may name folders and hosts
    return Refusal(
        503,
        "store_unavailable",
        "The playground cannot read or write what it keeps just now.",
        "Try again in a moment; its log tells more.",
    )


def failed(error: Exception) -> Refusal:
    """The refusal where the playground itself fails."""
    message = f"The playground itself failed: {type(error).__name__}."
    return Refusal(500, "internal_error", message, "Try again; its log tells more.")


def sentences(errors: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """What is wrong with a request, from pydantic's list of errors, and what to do."""
    problems = []
    for problem in errors:
        if problem["type"] == "json_invalid":
            return "The request's body is no JSON.", "Send a JSON object."
        where = ".".join(str(step) for step in problem["loc"] if step not in ("body", "query"))
        what = str(problem["msg"]).removeprefix("Value error, ")
        problems.append(f"{where}: {what}" if where else what)
    message = "; ".join(problems[:3]) or "The request cannot be read"
    return _sentence(message), "Change it, then send again."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
