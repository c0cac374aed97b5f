"""The page as a whole: header, chats, tabs, settings. What moves on it is in assets/js."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from app.turns.single import SingleTurns
from app.ui.chat_api import add_chat_api
from app.ui.chat_list import Ending, build_chat_list
from app.ui.controls import build_controls
from app.ui.head import HEAD
from app.ui.header import PRODUCT, build_header
from app.ui.texts import text
from app.ui.theme import THEME
from app.ui.transcript import build_composer, build_transcript

__all__ = ["HEAD", "THEME", "PageSettings", "build_page"]

_IDLE_S = 0.02
_IDLE_PROGRESS_S = 0.25


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What the page tells every visitor. It stands in /config: never a key, no user data.

    `server_label` names the model server; `max_tokens_cap` is the most tokens a turn may ask for,
    `upload_bytes` the most that an upload may have; `ending` is what ends when the Space restarts.
    """

    simulator: bool
    server_label: str
    model: str
    max_tokens_cap: int | None
    upload_bytes: int
    public: bool
    ending: Ending | None = None


def build_page(settings: PageSettings, turns: SingleTurns) -> gr.Blocks:
    """The page, to be mounted with `head=HEAD` and `theme=THEME` beside the turn API.

    `turns` answer the programs that call its one named endpoint.
    """
    page = gr.Blocks(title=PRODUCT, fill_height=True, fill_width=True, analytics_enabled=False)
    with page:
        build_header(simulator=settings.simulator, server_label=settings.server_label)
        with gr.Row(elem_id="body"):
            build_chat_list(settings.ending)
            with gr.Tabs(elem_id="tabs"), gr.Tab(text("tabs.chat"), id="chat", elem_id="tab-chat"):
                build_transcript()
                build_composer(upload_bytes=settings.upload_bytes)
            build_controls(page, max_tokens_cap=settings.max_tokens_cap)
        add_chat_api(turns)
    page.queue(default_concurrency_limit=None)
    _rest_when_idle(page)
    return page


def _rest_when_idle(page: gr.Blocks) -> None:
    """Gradio's queue polls a thousand times a second, 5 % of a core; this page hardly uses it."""
    page._queue.sleep_when_free = _IDLE_S
    page._queue.progress_update_sleep_when_free = _IDLE_PROGRESS_S
