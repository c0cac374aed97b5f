"""The panel at the end of the page: how the model is asked, and beside it the tools.

Values go to the page's JavaScript, never to Gradio's queue, and from there into the options of
each turn.
"""

from __future__ import annotations

import json

import gradio as gr

from app.chat.messages import Effort
from app.ui.own_files import OWN
from app.ui.texts import named, text, titled, word
from app.ui.tools_panel import build_tools_panel

EFFORTS: tuple[Effort | None, ...] = (None, "low", "high", "max")
"""The stops of the effort slider, from left to right; None sends nothing."""

_STOPS = f"""
<div class="effort-stops" aria-hidden="true">
  <span>{word("effort.default")}<small>{word("effort.default.is")}</small></span>
  <span>{word("effort.low")}</span>
  <span>{word("effort.high")}</span>
  <span>{word("effort.max")}</span>
</div>
<p id="effort-meaning" class="setting-note" aria-live="polite"></p>
<p id="effort-warning" class="setting-note setting-warning" role="status" hidden></p>
"""

_HEADING = f"""
<div class="settings-head">
  <h2 class="visually-hidden">{word("settings.panel")}</h2>
  <div class="settings-tabs" role="tablist" {named("settings.panel")}>
    <button type="button" class="button tab" role="tab" id="settings-tab"
      aria-selected="true">{word("settings.heading")}</button>
    <button type="button" class="button tab" role="tab" id="tools-tab"
      aria-selected="false" tabindex="-1">{word("tools.heading")}</button>
  </div>
  <select id="language" {named("settings.language")} {titled("settings.language")}></select>
  <button type="button" class="button icon-button" id="settings-close" {titled("settings.close")}
    {named("settings.close")}><span class="icon icon-close" aria-hidden="true"></span></button>
</div>
"""

_FOOT = f"""
<p class="setting-note"><a class="link" href="docs" target="_blank">{word("settings.docs")}</a></p>
"""

_SETTINGS = f"import(new URL('{OWN}/js/settings.mjs', document.baseURI).href)"
_READ = f"(...values) => {{ {_SETTINGS}.then((module) => module.read(values)); return []; }}"


def build_controls(page: gr.Blocks, *, max_tokens_cap: int | None) -> None:
    """Puts the settings onto the page and ties them to `assets/js/settings.mjs`.

    The order of the controls is the order of the module's fields.
    """
    with gr.Column(elem_id="settings", min_width=0):
        gr.HTML(_HEADING, apply_default_css=False, elem_id="settings-heading")
        with gr.Column(elem_id="settings-body", min_width=0):
            controls: list[gr.Slider | gr.Textbox] = [
                *_effort(),
                *_prompt(),
                *_sampling(),
                *_limits(max_tokens_cap),
            ]
            gr.HTML(_FOOT, apply_default_css=False, elem_id="settings-foot")
        build_tools_panel()
    gr.on(
        [control.change for control in controls],
        fn=None,
        inputs=controls,
        js=_READ,
        api_visibility="private",
    )
    page.load(
        fn=None,
        inputs=controls,
        outputs=controls,
        js=_restore(max_tokens_cap),
        show_progress="hidden",
        api_visibility="private",
    )


def _restore(max_tokens_cap: int | None) -> str:
    cap = json.dumps(max_tokens_cap)
    return f"(...values) => {_SETTINGS}.then((module) => module.restore(values, {cap}))"


def _effort() -> tuple[gr.Slider]:
    with gr.Column(elem_id="effort-group", min_width=0):
        slider = gr.Slider(
            0,
            len(EFFORTS) - 1,
            value=0,
            step=1,
            label=text("settings.effort.label"),
            buttons=[],
            elem_id="effort",
        )
        gr.HTML(_STOPS, apply_default_css=False, elem_id="effort-words")
    return (slider,)


def _prompt() -> tuple[gr.Textbox]:
    return (
        gr.Textbox(
            label=text("settings.system_prompt.label"),
            placeholder=text("settings.system_prompt.placeholder"),
            lines=3,
            max_lines=10,
            elem_id="system-prompt",
        ),
    )


def _sampling() -> tuple[gr.Slider, gr.Slider]:
    return (
        gr.Slider(
            0,
            2,
            value=1.0,
            step=0.05,
            label=text("settings.temperature.label"),
            info=text("settings.temperature.info"),
            buttons=["reset"],
            elem_id="temperature",
        ),
        gr.Slider(
            0.01,
            1,
            value=0.95,
            step=0.01,
            label=text("settings.top_p.label"),
            info=text("settings.top_p.info"),
            buttons=["reset"],
            elem_id="top-p",
        ),
    )


def _limits(max_tokens_cap: int | None) -> tuple[gr.Textbox, gr.Textbox, gr.Textbox]:
    if max_tokens_cap is None:
        limit = text("settings.max_tokens.info")
    else:
        limit = text("settings.max_tokens.capped", cap=f"{max_tokens_cap:,}")
    return (
        _whole_number("max-tokens", "max_tokens", limit),
        _whole_number("seed", "seed", text("settings.seed.info")),
        gr.Textbox(
            label=text("settings.stop_strings.label"),
            info=text("settings.stop_strings.info"),
            placeholder=text("settings.stop_strings.placeholder"),
            lines=2,
            max_lines=6,
            elem_id="stop-strings",
        ),
    )


def _whole_number(elem_id: str, key: str, info: str) -> gr.Textbox:
    """A number that may be left out. gr.Number would show an empty one as 0."""
    return gr.Textbox(
        label=text(f"settings.{key}.label"),
        info=info,
        placeholder=text(f"settings.{key}.placeholder"),
        lines=1,
        max_lines=1,
        elem_id=elem_id,
    )
