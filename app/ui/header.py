"""The head of the page: the product's name, what answers, and the buttons for the whole page."""

from __future__ import annotations

from html import escape

import gradio as gr

from app.ui.own_files import OWN
from app.ui.texts import named, text, titled, word

PRODUCT = text("header.product")

_MOUNT = (
    f"import(new URL('{OWN}/js/header.mjs', document.baseURI).href)"
    ".then((module) => module.mount(element));"
)


def build_header(*, simulator: bool, server_label: str) -> None:
    """Puts the header onto the page; `server_label` names the model server for a reader."""
    gr.HTML(
        header_html(simulator=simulator, server_label=server_label),
        js_on_load=_MOUNT,
        apply_default_css=False,
        elem_id="header",
    )


def header_html(*, simulator: bool, server_label: str) -> str:
    """The header's HTML, the label escaped."""
    return (
        '<header class="header">'
        f"{_button('chats-toggle', 'menu', 'header.chats')}"
        f'<h1 class="header-name"><img src="{OWN}/favicon.svg" alt=""><span>{PRODUCT}</span></h1>'
        f"{_status(simulator, server_label)}"
        '<p class="header-account" id="account"></p>'
        f'<nav class="header-actions" {named("header.actions")}>'
        f"{_button('new-chat', 'plus', 'header.new_chat')}"
        f"{_button('theme-toggle', 'moon', 'header.dark')}"
        f"{_button('settings-toggle', 'settings', 'header.settings')}"
        "</nav></header>"
    )


def _status(simulator: bool, server_label: str) -> str:
    """What is known before anything was asked; `assets/js/status.mjs` goes on from there."""
    state = "simulator" if simulator else "checking"
    words = word("status.simulator.words") if simulator else escape(server_label)
    return (
        f'<div class="header-status" data-testid="status" data-state="{state}">'
        f'<button type="button" class="badge">{word("status.badge", "visually-hidden")} '
        f"{word(f'status.{state}', 'badge-text')}</button>"
        f'<span class="status-words" dir="auto">{words}</span></div>'
    )


def _button(name: str, icon: str, key: str) -> str:
    return (
        f'<button type="button" class="button header-button" id="{name}" {titled(key)}>'
        f'<span class="icon icon-{icon}" aria-hidden="true"></span>'
        f"{word(key, 'header-button-label')}</button>"
    )
