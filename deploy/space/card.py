"""README.md of a Space: the front matter by which it is built, and a few words for its visitors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from huggingface_hub import SpaceCardData

from app.model_server_settings import MODEL
from deploy.space.packages import PYTHON_VERSION

APP_FILE: Final = "space.py"
"""Not app.py, which Python would take for the package `app` beside it."""

_TEXT: Final = """\
# GLM Playground

Chat with GLM-5.3-Flash, watch it think, attach a picture or a clip, try its tools. Without a model
server in the secrets of this Space the built-in simulator answers, and says so.

Secrets and variables are the app's settings, such as `BASETEN_API_KEY` and `BASETEN_MODEL_ID`, or
`OPENAI_BASE_URL`. Chats last until the Space restarts, unless a bucket is mounted at `/data`.
"""


@dataclass(frozen=True, slots=True)
class Card:
    """What the front matter says.

    `gradio` is its version, `license_id` an identifier of the Hub. With `sign_in` people can sign
    in with Hugging Face; whether they must is a setting of the app.
    """

    gradio: str
    license_id: str
    sign_in: bool = False

    def text(self) -> str:
        """The whole README.md.

        Source: the Hub's reference of a Space's front matter; `short_description` has at most 60
        characters.
        """
        data = SpaceCardData(
            title="GLM Playground",
            emoji="💬",
            colorFrom="blue",
            colorTo="indigo",
            sdk="gradio",
            sdk_version=self.gradio,
            python_version=PYTHON_VERSION,
            app_file=APP_FILE,
            pinned=False,
            license=self.license_id,
            short_description="Chat with GLM-5.3-Flash, try its tools",
            models=[MODEL],
            suggested_hardware="cpu-basic",
        )
        if self.sign_in:
            data["hf_oauth"] = True
        return f"---\n{data.to_yaml()}\n---\n\n{_TEXT}"
