"""Sixteen streams of fifty chunks a second: CPU a chunk against others, and delays to a client."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.benchmarks.clients import Arrival, GradioPage, events_of
from tests.benchmarks.processes import running
from tests.benchmarks.report import Figure, at_most, middle, quantile
from tests.benchmarks.stage import Server, Stage
from tests.benchmarks.upstream import STAMP_RANGE

STREAMS = 16
CHUNKS_A_SECOND = 50
_REPETITIONS = 3
_STAMP = re.compile(r"@(\d{6})")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class _Contender:
    """A server, and what sixteen readers do to it at once."""

    server: Server
    run: Callable[[], Awaitable[Any]]


async def measure_load(stage: Stage, seconds: float) -> list[Figure]:
    """The app, a bare SDK loop and a gr.ChatInterface in turn, three times."""
    async with _contenders(stage) as contenders:
        shape = f"bench={round(seconds * CHUNKS_A_SECOND)}"
        await stage.upstream.simulate(shape, stamps=True)
        costs: dict[str, list[float]] = {each.server.name: [] for each in contenders}
        arrivals: list[list[Arrival]] = []
        for _ in range(_REPETITIONS):
            for each in contenders:
                outcome = asyncio.ensure_future(each.run())
                costs[each.server.name].append(await stage.cost(each.server, outcome))
                if each.server is stage.app:
                    arrivals += outcome.result()
        idle = [
            Figure(f"idle CPU of {each.server.name}", f"{each.server.idle * 100:.1f} % of a core")
            for each in contenders
        ]
    return [*_cost_figures(costs), *idle, *_delay_figures(arrivals)]


@asynccontextmanager
async def _contenders(stage: Stage) -> AsyncGenerator[list[_Contender]]:
    base_url = f"{stage.upstream_url}/v1"
    async with (
        running("tests.benchmarks.bare_sdk", base_url, ready="Ready") as sdk,
        running("tests.benchmarks.chat_interface", base_url, ready="http://") as chat,
    ):

        async def app_turns() -> list[list[Arrival]]:
            return await asyncio.gather(*(stage.visitor().turn() for _ in range(STREAMS)))

        async def sdk_streams() -> None:
            await sdk.ask(str(STREAMS), timeout_s=120)

        async def page_turns() -> None:
            opened = [await GradioPage.open(stage.session, chat.url) for _ in range(STREAMS)]
            async with asyncio.timeout(120):
                await asyncio.gather(*(page.turn() for page in opened))

        contenders = [
            _Contender(stage.app, app_turns),
            _Contender(Server("a bare SDK loop", sdk), sdk_streams),
            _Contender(Server("a gr.ChatInterface", chat), page_turns),
        ]
        await stage.upstream.simulate("bench=60;speed=200")
        for each in contenders:
            await each.run()
            await each.server.rest()
        yield contenders


def _cost_figures(costs: dict[str, list[float]]) -> list[Figure]:
    figures = [Figure(f"CPU a chunk, {name}", middle(values)) for name, values in costs.items()]
    ours, sdk, page = (median(values) for values in costs.values())
    figures.append(at_most("CPU a chunk, of a bare SDK loop's", ours / sdk, 0.6, digits=2))
    figures.append(at_most("CPU a chunk, of a gr.ChatInterface's", ours / page, 0.2, digits=2))
    return figures


def _delay_figures(streams: list[list[Arrival]]) -> list[Figure]:
    thought: list[float] = []
    rendered: list[float] = []
    for arrivals in streams:
        for kind, delay in delays(arrivals):
            (thought if kind == "reasoning" else rendered).append(delay * 1000)
    return [
        Figure("delay of reasoning, median", f"{median(thought):.0f} ms of {len(thought)}"),
        at_most("delay of reasoning, p95", quantile(thought, 0.95), 60, "ms"),
        Figure("delay of rendered blocks, median", f"{median(rendered):.0f} ms of {len(rendered)}"),
        at_most("delay of rendered blocks, p95", quantile(rendered, 0.95), 200, "ms"),
    ]


def delays(arrivals: list[Arrival]) -> Iterator[tuple[str, float]]:
    """The kind of event in which each stamp came first, and seconds from stamp to arrival."""
    seen: set[str] = set()
    for at, event in events_of(arrivals):
        text = event.get("text") or _TAG.sub("", event.get("html", ""))
        for stamp in _STAMP.findall(text):
            if stamp not in seen:
                seen.add(stamp)
                yield event["type"], (at * 1000 - int(stamp)) % STAMP_RANGE / 1000
