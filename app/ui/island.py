"""A place on the Gradio page whose content a JavaScript module of ours draws."""

from __future__ import annotations

from typing import Any

import gradio as gr

_MOUNT = """
import(new URL('own/js/{module}.mjs', document.baseURI).href)
  .then((module) => module.mount(element))
  .catch((error) => {{
    console.error(error);
    element.textContent = 'This part of the page did not load. Reload the page.';
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
            js_on_load=_MOUNT.format(module=module),
            apply_default_css=False,
            elem_id=elem_id,
        )

    def api_info(self) -> dict[str, Any]:
        """Its value is never anything: it takes no part in Gradio's events."""
        return {"type": "object"}
