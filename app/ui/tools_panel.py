"""The panel of a chat's tools. It is empty here: `assets/js/tools_panel.mjs` fills it."""

from __future__ import annotations

from app.ui.island import Island
from app.ui.texts import named


def build_tools_panel() -> None:
    """Puts the panel onto the page, beside the settings: a tab each."""
    Island(
        "tools_panel",
        template=f'<div class="tools" {named("tools.heading")} role="group"></div>',
        elem_id="tools-body",
    )
