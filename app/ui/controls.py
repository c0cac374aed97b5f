"""The settings panel: how the model is asked. Values go to the page's JavaScript, never to Gradio's
queue, and from there into the options of each turn.
"""

from __future__ import annotations

import gradio as gr

from app.chat.messages import Effort

EFFORTS: tuple[Effort | None, ...] = (None, "low", "high", "max")
"""The stops of the effort slider, from left to right; None sends nothing."""

_STOPS = """
<div class="effort-stops" aria-hidden="true">
  <span>Default<small>(high)</small></span><span>Low</span><span>High</span><span>Max</span>
</div>
<p id="effort-meaning" class="setting-note" aria-live="polite"></p>
<p id="effort-warning" class="setting-note setting-warning" role="status" hidden></p>
"""

_HEADING = """
<div class="settings-head">
  <h2>Settings</h2>
  <button type="button" class="button icon-button" id="settings-close" title="Close settings"
    aria-label="Close settings"><span class="icon icon-close" aria-hidden="true"></span></button>
</div>
"""

_SETTINGS = "import(new URL('own/js/settings.mjs', document.baseURI).href)"
_READ = f"(...values) => {{ {_SETTINGS}.then((module) => module.read(values)); return []; }}"
_RESTORE = f"(...values) => {_SETTINGS}.then((module) => module.restore(values))"


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
        js=_RESTORE,
        show_progress="hidden",
        api_visibility="private",
    )


def _effort() -> tuple[gr.Slider]:
    with gr.Column(elem_id="effort-group", min_width=0):
        slider = gr.Slider(
            0,
            len(EFFORTS) - 1,
            value=0,
            step=1,
            label="Reasoning effort",
            buttons=[],
            elem_id="effort",
        )
        gr.HTML(_STOPS, apply_default_css=False, elem_id="effort-words")
    return (slider,)


def _prompt() -> tuple[gr.Textbox]:
    return (
        gr.Textbox(
            label="System prompt",
            placeholder="How the model should behave, in your words.",
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
            label="Temperature",
            info="0 is nearly the same each time; higher is more varied.",
            buttons=["reset"],
            elem_id="temperature",
        ),
        gr.Slider(
            0.01,
            1,
            value=0.95,
            step=0.01,
            label="Top p",
            info="Only the likeliest words that add up to this share are drawn from.",
            buttons=["reset"],
            elem_id="top-p",
        ),
    )


def _limits(max_tokens_cap: int | None) -> tuple[gr.Textbox, gr.Textbox, gr.Textbox]:
    most = f" At most {max_tokens_cap:,} here." if max_tokens_cap is not None else ""
    return (
        _whole_number(
            "max-tokens",
            "Max tokens",
            f"Reasoning and answer together. Empty: the server's own limit.{most}",
        ),
        _whole_number(
            "seed", "Seed", "The same seed and settings give the same draw, where the server can."
        ),
        gr.Textbox(
            label="Stop strings",
            info=r"One a line; the answer ends before it. \n stands for a line break.",
            placeholder="None",
            lines=2,
            max_lines=6,
            elem_id="stop-strings",
        ),
    )


def _whole_number(elem_id: str, label: str, info: str) -> gr.Textbox:
    """A number that may be left out. gr.Number would show an empty one as 0."""
    return gr.Textbox(
        label=label,
        info=info,
        placeholder="Not sent",
        lines=1,
        max_lines=1,
        elem_id=elem_id,
    )
