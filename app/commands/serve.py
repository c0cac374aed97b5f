"""`python -m app serve`: the page on its address, until it is told to end."""

from __future__ import annotations

import asyncio
import socket
import sys

from app.commands.serving import serve_until_ended
from app.settings import Settings, SettingsError, load_settings
from app.spaces import Ending


def serve() -> int:
    """Serves the page; returns 2 where the settings, the address or the store cannot be used."""
    try:
        settings = load_settings()
        connection = settings.connection()
        listener = _listen(settings)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    for remark in settings.remarks():
        print(remark, file=sys.stderr)
    host, port = settings.server_name, listener.getsockname()[1]
    print("Starting ...", flush=True)
    from app.server import create_application
    from app.store.database import StoreError

    try:
        application = create_application(settings)
        asyncio.run(application.prepare())
    except (SettingsError, StoreError) as error:
        print(error, file=sys.stderr)
        return 2
    if connection.kind == "simulator":
        print(
            "No model is connected: the built-in simulator answers. "
            "To connect one, see .env.example.",
            flush=True,
        )
    else:
        print(f"Model server: {connection.label}", flush=True)
    kept = application.kept
    print(_kept_in(kept.place, kept.ending), flush=True)
    shown = f"[{host}]" if ":" in host else host
    line = f"GLM Playground: http://{shown}:{port} (Ctrl+C ends it)"
    serve_until_ended(application.asgi, listener, line, grace_s=3)
    return 0


def _kept_in(place: str, ending: Ending | None) -> str:
    """Where chats are kept, and what of them ends when the Space restarts."""
    line = f"Chats are kept in: {place}"
    if ending == "chats":
        return f"{line}, until this Space restarts"
    if ending == "media":
        return f"{line}; pictures and clips last until this Space restarts"
    return line


def _listen(settings: Settings) -> socket.socket:
    """A socket on the address of the settings. Raises SettingsError where it is taken."""
    host, port = settings.server_name, settings.server_port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"{host}:{port} cannot be served ({error.strerror}): end what uses it, or set "
            "GRADIO_SERVER_NAME and GRADIO_SERVER_PORT to another address."
        ) from None
