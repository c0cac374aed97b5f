"""The conversation on the page: the transcript, and the box in which the next message is written.

Both are empty here. `assets/js/transcript.mjs` and `assets/js/composer.mjs` fill them from the
turn API, without Gradio's queue: a chunk costs the server a fraction, and a refused message is
still in its box.
"""

from __future__ import annotations

from app.ui.island import Island
from app.ui.texts import named


def build_transcript() -> None:
    """Puts the transcript onto the page. It is no live region by itself: tokens are not read out;
    the module announces what matters."""
    Island(
        "transcript",
        template='<div class="transcript" role="log" aria-live="off" '
        f"{named('transcript.name')}></div>",
        elem_id="transcript",
    )


def build_composer(*, upload_bytes: int) -> None:
    """Puts the message box onto the page, with its two attachment slots and Send or Stop.

    `upload_bytes` is the most that a picture or a clip may have on its way here.
    """
    Island(
        "composer",
        template=f'<form class="composer" data-upload-bytes="{upload_bytes}" '
        f"{named('composer.name')}></form>",
        elem_id="composer",
    )
