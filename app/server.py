"""The one ASGI application: turn routes, the Gradio page, assets, and the simulator beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

import gradio as gr
from fastapi import FastAPI
from gradio.oauth import attach_oauth
from gradio.routes import App as GradioApp
from starlette.routing import Mount

from app.assembly import connected, media_limits
from app.chat.events import Event
from app.chat.request import Request
from app.docs.routes import Facts, docs_routes
from app.door import Door, Guests, PasswordSessions, SignIn
from app.endpoint import Endpoint
from app.kept import Kept
from app.security import SecurityHeaders
from app.settings import Connection, Settings, SettingsError
from app.spaces import Ending
from app.store.usage import UsageStore
from app.tools.arguments import ArgumentChecker
from app.turns import errors
from app.turns.account import can_sign_in
from app.turns.account_routes import account_routes
from app.turns.case_desk import CaseDesk
from app.turns.case_routes import case_routes
from app.turns.chat_routes import chat_routes
from app.turns.exchange_routes import ServerAddress, exchange_routes
from app.turns.housekeeping import Housekeeping
from app.turns.limits import LimitFigures, VisitorLimits
from app.turns.mcp_servers import MCPServers
from app.turns.media_routes import MediaDesk, media_routes
from app.turns.prices import Prices
from app.turns.recovery import recover
from app.turns.rendering import Rendering
from app.turns.replay_routes import replay_routes
from app.turns.result_routes import result_routes
from app.turns.routes import TurnPolicy, turn_routes
from app.turns.runs import Runs
from app.turns.services import RunServices
from app.turns.single import SingleTurns
from app.turns.slots import Slots
from app.turns.status_routes import ServerStatus, status_routes
from app.turns.tool_routes import tool_routes
from app.turns.visitors import RateLimit
from app.ui.markdown import render_blocks
from app.ui.own_files import ASSETS, OwnFiles
from app.ui.page import HEAD, THEME, PageSettings, build_page
from app.ui.streaming_markdown import StreamingMarkdown

_COUNTS_PER_MINUTE = 200
"""Texts whose tokens one visitor may have counted: a page asks while somebody types. Replays too:
a page plays the answers of a chat one after the other."""


_KEY_VARIABLES: Final[Mapping[str, str]] = {
    "baseten": "BASETEN_API_KEY",
    "compatible": "OPENAI_API_KEY",
}
_UNTOLD: Final[Mapping[str, str]] = {
    "baseten": "https://model-{model_id}.api.baseten.co/environments/production/sync/v1",
    "compatible": "https://your-server.example/v1",
}


class ModelServer:
    """The model server that runs ask: reached once the app has started."""

    def __init__(self, settings: Settings, connection: Connection) -> None:
        self._settings = settings
        self._connection = connection
        self._endpoint: Endpoint | None = None

    @property
    def endpoint(self) -> Endpoint:
        """The connection to it."""
        if self._endpoint is None:
            raise RuntimeError("The app has not started.")
        return self._endpoint

    def address(self) -> ServerAddress:
        """Where a program would ask it as this one does; visitors are not told the owner's."""
        base_url, kind = self.endpoint.base_url, self._connection.kind
        if kind != "simulator" and self._settings.is_public():
            base_url = _UNTOLD[kind]
        variable = _KEY_VARIABLES.get(kind) if self._connection.api_key else None
        return ServerAddress(base_url, variable)

    def stream(
        self, request: Request, headers: Mapping[str, str], on_bytes: Callable[[bytes], None]
    ) -> AsyncGenerator[Event, None]:
        """The events of one turn; closing the generator hangs up."""
        return self.endpoint.stream(request, extra_headers=headers, on_bytes=on_bytes)

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
    kept: Kept

    async def prepare(self) -> None:
        """Sees to it that the store can be used, before anybody is let in. Raises StoreError."""
        async with self.kept.opened():
            pass


def create_application(settings: Settings) -> Application:
    """Puts the parts together. Raises SettingsError or StoreError where the settings do not fit."""
    connection = settings.connection()
    model_server = ModelServer(settings, connection)
    public = settings.is_public()
    kept = Kept.of(settings)
    desk = MediaDesk(kept.media, media_limits(settings))
    slots = Slots(settings.slots, settings.visitor_slots if public else None)
    status = ServerStatus(
        lambda: model_server.endpoint,
        slots,
        kind=connection.kind,
        label=connection.label,
        context_tokens=settings.context_tokens,
    )
    limits = VisitorLimits(UsageStore(kept.database), _figures(settings))
    services = RunServices(
        stream=model_server.stream,
        load_media=desk.load,
        checker=ArgumentChecker,
        rendering=Rendering(StreamingMarkdown, render_blocks),
        slots=slots,
        runs=Runs(),
        store=kept.chats,
        journals=kept.journals,
        prices=_prices(settings),
        context_limit=status.context_limit,
        grace_s=settings.grace_seconds(),
        limits=limits,
    )
    housekeeping = Housekeeping(kept.chats, kept.media, keep_days=settings.days_kept())

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with kept.opened(), model_server.running():
            await recover(kept.journals, kept.chats, services.checker)
            async with housekeeping.running():
                yield
                await asyncio.gather(*(run.stop() for run in services.runs.all_running()))

    app = FastAPI(
        title="GLM Playground",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=errors.ANY_REFUSAL,
    )
    errors.install(app)
    passwords = PasswordSessions()
    _put_up_door(app, settings, passwords)
    app.add_middleware(SecurityHeaders)
    policy = TurnPolicy(
        model=connection.model or settings.model,
        token_cap=settings.token_cap(),
        send_reasoning=settings.send_reasoning,
        break_control_tokens=settings.breaks_control_tokens(),
        simulated=connection.kind == "simulator",
        public=public,
    )
    turns = SingleTurns(
        model_server.stream,
        slots,
        policy,
        limits,
    )
    facts = Facts(_limits_told(settings, kept.ending), settings.mcp, settings.root_path)
    _include_routes(app, settings, services, desk, turns, status, model_server)
    app.include_router(docs_routes(app, facts))
    app.mount("/own", OwnFiles())
    passwords.app = _mount_page(app, settings, connection, turns, kept.ending)
    return Application(app, services, connection, kept)


def _include_routes(
    app: FastAPI,
    settings: Settings,
    services: RunServices,
    desk: MediaDesk,
    turns: SingleTurns,
    status: ServerStatus,
    model_server: ModelServer,
) -> None:
    policy, limits = turns.policy, turns.limits
    app.include_router(media_routes(desk, limits, public=policy.public))
    app.include_router(turn_routes(services, desk, policy, limits))
    app.include_router(result_routes(services, desk.address, policy, limits))
    model = policy.model.rsplit("/", 1)[-1]
    app.include_router(chat_routes(services, desk, limits, model=model))
    replays = _limit(_COUNTS_PER_MINUTE, "replays", policy)
    app.include_router(replay_routes(services, replays, public=policy.public))
    cases = CaseDesk(services.store, desk, settings.case_bytes())
    app.include_router(case_routes(cases, limits, public=policy.public))
    app.include_router(exchange_routes(services.store, desk, model_server.address))
    app.include_router(status_routes(status, _limit(_COUNTS_PER_MINUTE, "counts", policy)))
    app.include_router(account_routes(services.store, services.runs))
    checks = _limit(_COUNTS_PER_MINUTE, "checks of tools", policy)
    app.include_router(tool_routes(_mcp_servers(settings), checks, public=policy.public))
    if can_sign_in():
        attach_oauth(app)


def _mcp_servers(settings: Settings) -> MCPServers:
    """Raises SettingsError where they are no addresses, or cannot be asked."""
    try:
        servers = MCPServers.of(settings.mcp_servers)
    except ValueError as error:
        raise SettingsError(str(error)) from None
    if servers.servers and find_spec("mcp") is None:
        raise SettingsError(
            "GLM_MCP_SERVERS is set, but the package mcp is missing: install it with "
            "pip install -c constraints.txt -e '.[mcp]', or unset GLM_MCP_SERVERS."
        )
    return servers


_ENDINGS: Final[Mapping[Ending, str]] = {
    "chats": "Chats, pictures and clips last until this Space restarts.",
    "media": "Pictures and clips last until this Space restarts; chats outlast it.",
}


def _limits_told(settings: Settings, ending: Ending | None) -> tuple[str, ...]:
    """The limits of this server, a sentence each, for those who write programs."""
    cap = settings.token_cap()
    case_mb = settings.case_bytes() / 1_000_000
    told = [
        f"An upload holds at most {settings.upload_megabytes():g} MB.",
        f"An import of case files holds at most {case_mb:g} MB, unpacked.",
    ]
    if settings.is_public():
        told.append(
            f"A visitor starts at most {settings.visitor_turns_per_minute} turns in a minute, "
            f"and {settings.visitor_slots} of them run at once."
        )
    if (tokens := settings.visitor_day_tokens()) is not None:
        told.append(f"A visitor has {tokens:,} tokens a day, of prompts and answers together.")
    if (size := settings.visitor_day_upload_bytes()) is not None:
        told.append(f"A visitor uploads at most {size / 1_000_000:g} MB a day.")
    if (size := settings.visitor_stored_bytes()) is not None:
        told.append(
            f"At most {size / 1_000_000:g} MB of chats, pictures and clips are kept for a visitor."
        )
    if settings.is_public():
        told.append(
            "A visitor is who has signed in, else an address; a day begins at 00:00 UTC; an answer "
            "429 says in Retry-After when to come back."
        )
    told.append(f"{settings.slots} turns run at once; the others wait in line.")
    if cap is not None:
        told.append(f"A turn takes at most {cap:,} tokens, of thought and answer together.")
    told.append(
        f"A turn of a chat that nobody has listened to for {settings.grace_seconds():g} s stops."
    )
    if ending is not None:
        told.append(_ENDINGS[ending])
    return tuple(told)


def _limit(per_minute: int, what: str, policy: TurnPolicy) -> RateLimit | None:
    """A limit for each visitor, where visitors are strangers."""
    return RateLimit(per_minute, what) if policy.public else None


def _figures(settings: Settings) -> LimitFigures:
    """The limits of one visitor."""
    return LimitFigures(
        turns_per_minute=settings.visitor_turns_per_minute if settings.is_public() else None,
        tokens_per_day=settings.visitor_day_tokens(),
        upload_bytes_per_day=settings.visitor_day_upload_bytes(),
        stored_bytes=settings.visitor_stored_bytes(),
    )


def _prices(settings: Settings) -> Prices:
    return Prices(
        input=settings.price_input,
        cached=settings.price_cached,
        output=settings.price_output,
        hour=settings.price_hour,
    )


def _put_up_door(app: FastAPI, settings: Settings, passwords: PasswordSessions) -> None:
    """A door where the owner lets in but some. Raises SettingsError where nobody could sign in."""
    guests = Guests.of(settings.allowed_users, settings.allowed_organisations)
    wants_hugging_face = settings.require_sign_in or not guests.everybody
    if wants_hugging_face and settings.auth is not None:
        raise SettingsError(
            "GLM_AUTH cannot be set together with GLM_REQUIRE_SIGN_IN, GLM_ALLOWED_USERS or "
            "GLM_ALLOWED_ORGANISATIONS: people sign in with a password or with Hugging Face."
        )
    if wants_hugging_face and not can_sign_in():
        raise SettingsError(
            "People are to sign in with Hugging Face, which works on a Space with hf_oauth: true "
            "in its README.md alone: set that, or let them in by GLM_AUTH."
        )
    if wants_hugging_face or settings.auth is not None:
        sign_in: SignIn = "hugging_face" if wants_hugging_face else "password"
        app.add_middleware(Door, sign_in=sign_in, guests=guests, passwords=passwords)


def _mount_page(
    app: FastAPI,
    settings: Settings,
    connection: Connection,
    turns: SingleTurns,
    ending: Ending | None,
) -> GradioApp:
    """Mounts it; returns Gradio's own app in it."""
    if settings.mcp and find_spec("mcp") is None:
        raise SettingsError(
            "GLM_MCP is set, but the package mcp is missing: install it with "
            "pip install -c constraints.txt -e '.[mcp]', or unset GLM_MCP."
        )
    page = build_page(
        PageSettings(
            simulator=connection.kind == "simulator",
            server_label=connection.label,
            model=connection.model or settings.model,
            max_tokens_cap=settings.token_cap(),
            upload_bytes=media_limits(settings).max_bytes,
            public=settings.is_public(),
            ending=ending,
        ),
        turns,
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
        mcp_server=settings.mcp,
        auth=list(settings.passwords()) or None,
    )
    if settings.mcp:
        from app.ui.mcp_tool import serve_mcp_tool  # its package is an extra

        serve_mcp_tool(page, turns)
    return next(
        route.app
        for route in app.routes
        if isinstance(route, Mount) and isinstance(route.app, GradioApp)
    )
