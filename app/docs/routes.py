"""The route of the page `/docs`: the app's own routes, for people who write programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from app.docs.operations import Group, read_groups
from app.turns.event_kinds import EVENT_KINDS

_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors *"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the owner of the server has decided, as far as callers need it.

    `limits` are sentences. `root_path` is the path, or the whole address, that a proxy serves.
    """

    limits: Sequence[str]
    mcp: bool
    root_path: str


def docs_routes(app: FastAPI, facts: Facts) -> APIRouter:
    """The route; the page tells of those that the app has when it is first asked for."""
    router = APIRouter()
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = _prose
    environment.filters["shell"] = shlex.quote
    template = environment.get_template("page.html")

    @cache
    def groups() -> tuple[Group, ...]:
        return read_groups(app.openapi())

    @router.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        """The page."""
        html = template.render(
            base=_base(request, facts.root_path),
            groups=groups(),
            events=EVENT_KINDS,
            limits=facts.limits,
            mcp=facts.mcp,
        )
        headers = {"Content-Security-Policy": _CONTENT_SECURITY_POLICY, "Cache-Control": "no-cache"}
        return HTMLResponse(html, headers=headers)

    return router


def _base(request: Request, root_path: str) -> str:
    """Where the reader's programs find the routes."""
    if root_path.startswith(("http://", "https://")):
        return root_path.rstrip("/")
    return f"{str(request.base_url).rstrip('/')}{root_path.rstrip('/')}"


def _prose(text: str) -> Markup:
    """Escaped text, what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704
