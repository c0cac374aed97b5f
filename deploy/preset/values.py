"""A preset as a value: its text, its fields, and what the other commands ask of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.preset.fields import at
from deploy.preset.start_command import StartCommand, parse_start_command


@dataclass(frozen=True, slots=True)
class Preset:
    """What would be pushed. It may be wrong: `findings` tells, `require_valid` refuses.

    text            the YAML that is pushed: the file's own where nothing was changed
    config          the same as values
    changes         what was changed, as given
    duplicate_keys  dotted paths that the file gives twice
    """

    name: str
    path: Path
    text: str = field(repr=False)
    config: dict[str, Any] = field(repr=False)
    changes: tuple[str, ...] = field(default=(), repr=False)
    duplicate_keys: tuple[str, ...] = ()

    @property
    def start(self) -> StartCommand:
        """The start command, split; empty where there is none."""
        return parse_start_command(self._text_at("docker_server.start_command"))

    @property
    def model_name(self) -> str:
        """The model's name on Baseten; empty where it is not a text."""
        return self._text_at("model_name")

    @property
    def served_names(self) -> tuple[str, ...]:
        """The names that a request may give as `model`; without the flag, what is served."""
        flag = self.start.flag("served-model-name")
        if flag is not None:
            return flag.values
        return (self.start.model,) if self.start.model else ()

    @property
    def served_name(self) -> str:
        """The first of the served names, which /v1/models lists; empty where there is none."""
        return next(iter(self.served_names), "")

    @property
    def max_model_len(self) -> int | None:
        """The longest prompt and answer together, in tokens; None leaves it to the checkpoint."""
        return self.start.integer("max-model-len")

    @property
    def max_num_seqs(self) -> int | None:
        """How many requests the engine runs at once; None leaves it to vLLM."""
        return self.start.integer("max-num-seqs")

    @property
    def instance_type(self) -> str:
        """The SKU, such as H100:8, or the accelerator where only that is set; empty for neither."""
        return self._text_at("resources.instance_type") or self._text_at("resources.accelerator")

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The secrets that Baseten must hold for it."""
        secrets = at(self.config, "secrets")
        return tuple(map(str, secrets)) if isinstance(secrets, dict) else ()

    def _text_at(self, path: str) -> str:
        value = at(self.config, path)
        return value if isinstance(value, str) else ""
