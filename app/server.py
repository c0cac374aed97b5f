"""The one ASGI application: turn routes, the Gradio page, assets, and the simulator beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import gradio as gr
from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.assembly import connected, media_limits
from app.chat.events import Event
from app.chat.request import Request
from app.endpoint import Endpoint
from app.media import MediaLibrary
from app.security import SecurityHeaders
from app.settings import PROJECT, Connection, Settings
from app.tools.arguments import ArgumentChecker
from app.turns import errors
from app.turns.chats import ChatBook
from app.turns.media_routes import MediaDesk, media_routes
from app.turns.rendering import Rendering
from app.turns.routes import TurnPolicy, turn_routes
from app.turns.run import RunServices
from app.turns.slots import Slots
from app.turns.visitors import RateLimit
from app.ui.markdown import render_blocks
from app.ui.page import HEAD, THEME, PageSettings, build_page
from app.ui.streaming_markdown import StreamingMarkdown

ASSETS = PROJECT / "assets"


class ModelServer:
    """The model server that runs ask: reached once the app has started."""

    def __init__(self, settings: Settings, connection: Connection) -> None:
        self._settings = settings
        self._connection = connection
        self._endpoint: Endpoint | None = None

    def stream(self, request: Request, headers: Mapping[str, str]) -> AsyncGenerator[Event, None]:
        """The events of one turn; closing the generator hangs up."""
        if self._endpoint is None:
            raise RuntimeError("The app has not started.")
        return self._endpoint.stream(request, extra_headers=headers)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Connected for as long as the block runs."""
        async with connected(self._settings, self._connection) as endpoint:
            self._endpoint = endpoint
            yield


@dataclass(frozen=True, slots=True)
class Application:
    """The app as a whole, and the parts that whoever runs it may want to see."""

    asgi: FastAPI
    services: RunServices
    connection: Connection


def create_application(settings: Settings) -> Application:
    """Puts the parts together. Raises SettingsError where the settings do not fit."""
    connection = settings.connection()
    model_server = ModelServer(settings, connection)
    public = settings.is_public()
    desk = _media_desk(settings)
    services = RunServices(
        stream=model_server.stream,
        load_media=desk.load,
        checker=ArgumentChecker,
        rendering=Rendering(StreamingMarkdown, render_blocks),
        slots=Slots(settings.slots, settings.visitor_slots if public else None),
        chats=ChatBook(),
        grace_s=settings.grace_seconds(),
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with model_server.running():
            yield
            for run in services.chats.running():
                await run.stop()
        desk.library.close()

    app = FastAPI(title="GLM Playground", lifespan=lifespan, docs_url=None, redoc_url=None)
    errors.install(app)
    app.add_middleware(SecurityHeaders)
    policy = TurnPolicy(
        model=settings.model,
        token_cap=settings.token_cap(),
        send_reasoning=settings.send_reasoning,
        break_control_tokens=settings.breaks_control_tokens(),
        simulated=connection.kind == "simulator",
        public=public,
    )
    per_minute = settings.visitor_turns_per_minute
    app.include_router(
        media_routes(desk, RateLimit(per_minute, "uploads") if public else None, public=public)
    )
    app.include_router(
        turn_routes(services, desk, policy, RateLimit(per_minute, "turns") if public else None)
    )
    app.mount("/own", _OwnFiles(directory=ASSETS))
    _mount_page(app, settings, connection)
    return Application(app, services, connection)


class _OwnFiles(StaticFiles):
    """Assets that a browser asks after each time: a new page must not meet an old script."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or 304 where the browser's copy is still the same."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def _media_desk(settings: Settings) -> MediaDesk:
    library = MediaLibrary(max_bytes=int(settings.media_mb * 1_000_000))
    return MediaDesk(library, media_limits(settings))


def _mount_page(app: FastAPI, settings: Settings, connection: Connection) -> None:
    page = build_page(
        PageSettings(
            simulator=connection.kind == "simulator",
            server_label=connection.label,
            model=settings.model,
            max_tokens_cap=settings.token_cap(),
            public=settings.is_public(),
        )
    )
    gr.mount_gradio_app(
        app,
        page,
        path="/",
        head=HEAD,
        theme=THEME,
        favicon_path=ASSETS / "favicon.svg",
        footer_links=[],
        ssr_mode=False,
        run_history=False,
        root_path=settings.root_path or None,
        max_file_size="1mb",
    )
