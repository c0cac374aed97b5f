"""The engine: so many sequences at once, the rest waiting in line, and what it counts."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

_CACHE_BLOCK = 64
_CACHED_PREFIXES = 10_000


class Engine:
    """Slots and counters. A waiting or running request that is cancelled leaves at once."""

    def __init__(self, slots: int) -> None:
        self._free = asyncio.Semaphore(slots)
        self.running = 0
        self.waiting = 0
        self.prompt_tokens = 0
        self.generation_tokens = 0
        self.finished: Counter[str] = Counter()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Waits for a free slot, first come first served, and holds it."""
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._free.release()


class PrefixCache:
    """Remembers which beginnings of conversations were computed before."""

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, None] = OrderedDict()

    def cached_tokens(self, messages: Sequence[Mapping[str, Any]], prompt_tokens: int) -> int:
        """Tokens of the longest prefix seen before, in whole blocks; remembers this prompt."""
        digest = hashlib.blake2b(digest_size=16)
        known = total = 0
        for message in messages:
            text = json.dumps(message, sort_keys=True, default=str).encode()
            digest.update(text)
            total += len(text)
            if digest.digest() in self._seen:
                known = total
            self._remember(digest.digest())
        share = known / total if total else 0.0
        return int(prompt_tokens * share) // _CACHE_BLOCK * _CACHE_BLOCK

    def _remember(self, key: bytes) -> None:
        self._seen[key] = None
        self._seen.move_to_end(key)
        if len(self._seen) > _CACHED_PREFIXES:
            self._seen.popitem(last=False)


def metrics_text(engine: Engine, model: str) -> str:
    """What `/metrics` says, in Prometheus' text format, under vLLM's names."""
    labels = f'engine="0",model_name="{model}"'
    lines: list[str] = []
    for name, kind, text, value in (
        ("num_requests_running", "gauge", "Requests in execution.", engine.running),
        ("num_requests_waiting", "gauge", "Requests waiting to be processed.", engine.waiting),
        ("prompt_tokens_total", "counter", "Prefill tokens processed.", engine.prompt_tokens),
        ("generation_tokens_total", "counter", "Tokens generated.", engine.generation_tokens),
    ):
        lines += [f"# HELP vllm:{name} {text}", f"# TYPE vllm:{name} {kind}"]
        lines.append(f"vllm:{name}{{{labels}}} {float(value)}")
    name = "request_success_total"
    lines += [f"# HELP vllm:{name} Requests by how they ended.", f"# TYPE vllm:{name} counter"]
    for reason in ("stop", "length", "abort", "error"):
        by_reason = f'engine="0",finished_reason="{reason}",model_name="{model}"'
        lines.append(f"vllm:{name}{{{by_reason}}} {float(engine.finished[reason])}")
    return "\n".join(lines) + "\n"
