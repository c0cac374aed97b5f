"""What the preset promises of the server that it starts, as far as a client can see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from deploy.errors import InvalidConfigError
from deploy.preset import Preset, StartCommand
from deploy.preset.fields import at

_TEMPLATE: Final = "default-chat-template-kwargs"
_NO_LIMIT: Final = 999
"""vLLM's own, for each kind of media."""


@dataclass(frozen=True, slots=True)
class Promises:
    """Figures and names that a server is held to, each from a flag of the preset.

    `images` and `videos` is how many a prompt may hold; `tells_cached_tokens` whether usage tells
    how much of a prompt came from the prefix cache; `health_path` stands beside `/v1`.
    """

    model: str
    max_model_len: int
    max_num_seqs: int
    default_effort: str = "high"
    images: int = 1
    videos: int = 1
    tells_cached_tokens: bool = False
    health_path: str = "/health"

    @classmethod
    def of(cls, preset: Preset, model: str | None = None) -> Promises:
        """What a preset promises; `model` is the name it is served under in place of the preset's.

        Raises InvalidConfigError where the preset leaves to the engine what is to be verified.
        """
        served = model or preset.served_name
        if not served or preset.max_model_len is None or preset.max_num_seqs is None:
            raise InvalidConfigError(
                "The preset promises too little to verify: give it --served-model-name, "
                "--max-model-len and --max-num-seqs."
            )
        start = preset.start
        health = at(preset.config, "docker_server.readiness_endpoint")
        return cls(
            model=served,
            max_model_len=preset.max_model_len,
            max_num_seqs=preset.max_num_seqs,
            default_effort=start.value(f"{_TEMPLATE}.reasoning_effort") or "max",
            images=_limit(start, "image"),
            videos=_limit(start, "video"),
            tells_cached_tokens=start.flag("enable-prompt-tokens-details") is not None,
            health_path=health if isinstance(health, str) else "/health",
        )


def _limit(start: StartCommand, kind: str) -> int:
    """How many a prompt may hold; without the flag vLLM sets no limit that would be met here."""
    limit = start.integer(f"limit-mm-per-prompt.{kind}")
    return _NO_LIMIT if limit is None else limit
