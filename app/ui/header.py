"""The head of the page: the product's name, what answers, and the buttons for the whole page."""

from __future__ import annotations

from html import escape

import gradio as gr

PRODUCT = "GLM-5.3-Flash Playground"

_MOUNT = (
    "import(new URL('own/js/header.mjs', document.baseURI).href)"
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
        f'<h1 class="header-name"><img src="own/favicon.svg" alt=""><span>{PRODUCT}</span></h1>'
        f'<p class="header-status" data-testid="status">{_status(simulator, server_label)}</p>'
        '<nav class="header-actions" aria-label="Page">'
        f"{_button('new-chat', 'plus', 'New chat')}"
        f"{_button('theme-toggle', 'moon', 'Dark theme')}"
        f"{_button('settings-toggle', 'settings', 'Settings')}"
        "</nav></header>"
    )


def _status(simulator: bool, server_label: str) -> str:
    if simulator:
        return (
            '<span class="badge badge-simulator">Simulator</span> '
            "<span>No model is connected: answers come from the built-in simulator.</span>"
        )
    return (
        '<span class="badge badge-connected">Connected</span> '
        f'<span class="header-server" dir="auto">{escape(server_label)}</span>'
    )


def _button(name: str, icon: str, label: str) -> str:
    return (
        f'<button type="button" class="button header-button" id="{name}" title="{label}">'
        f'<span class="icon icon-{icon}" aria-hidden="true"></span>'
        f'<span class="header-button-label">{label}</span></button>'
    )
