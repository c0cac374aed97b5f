"""What can be set about the simulated server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimulatorSettings:
    """The engine's size and speed, and which of its habits are switched on.

    Defaults are those of the preset: one model, sixteen sequences, a context of a million tokens,
    two to three tokens a chunk as multi-token prediction gives, and no `cached_tokens` in usage,
    since the preset lacks `--enable-prompt-tokens-details`.
    """

    model: str = "zai-org/GLM-5.3-Flash"
    slots: int = 16
    max_model_len: int = 1_048_576
    tokens_per_second: float = 150.0
    tokens_per_chunk: float = 2.5
    cached_tokens: bool = False
    faults: bool = True
    """Whether `X-Simulate` is honoured, from loopback peers only."""
    max_body_bytes: int = 100 * 1024 * 1024
