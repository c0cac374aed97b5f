"""A place on the Gradio page whose content a JavaScript module of ours draws."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from app.ui.own_files import OWN
from app.ui.texts import LANGUAGES, texts

_FAILED = json.dumps({language: texts(language)["island.failed"] for language in LANGUAGES})

_MOUNT = f"""
import(new URL('OWN/js/MODULE.mjs', document.baseURI).href)
  .then((module) => module.mount(element))
  .catch((error) => {{
    console.error(error);
    const failed = {_FAILED};
    element.textContent = failed[document.documentElement.lang.split('-')[0]] ?? failed.en;
  }});
"""


class Island(gr.HTML):
    """An empty element that `assets/js/<module>.mjs` fills through its `mount(element)`.

    The template is constant and Gradio never renders it again, so what the module builds is safe
    from it; nothing a visitor or a model wrote ever becomes part of a template.
    """

    def __init__(self, module: str, *, template: str, elem_id: str) -> None:
        super().__init__(
            html_template=template,
            js_on_load=_MOUNT.replace("OWN", OWN).replace("MODULE", module),
            apply_default_css=False,
            elem_id=elem_id,
        )

    def api_info(self) -> dict[str, Any]:
        """Its value is never anything: it takes no part in Gradio's events."""
        return {"type": "object"}
