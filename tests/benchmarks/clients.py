"""The clients of a benchmark: of the turn API, of a Gradio page, of the upstream's watch.

They only note what arrives and when; it is read afterwards, so that reading it does not delay it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import aiohttp

from tests.benchmarks.processes import NotMeasuredError

MODEL = "zai-org/GLM-5.3-Flash"
PROMPT = "Explain sparse attention in three concise sentences."


@dataclass(frozen=True, slots=True)
class Arrival:
    """Bytes of an answer, and the monotonic time in seconds at which they came."""

    at: float
    data: bytes


def events_of(arrivals: list[Arrival]) -> Iterator[tuple[float, dict[str, Any]]]:
    """The events in arrivals of NDJSON, each with the time at which its line was whole."""
    rest = b""
    for arrival in arrivals:
        *lines, rest = (rest + arrival.data).split(b"\n")
        for line in lines:
            if line:
                yield arrival.at, json.loads(line)


class TurnClient:
    """One visitor of the app, with an owner token and a chat of its own."""

    def __init__(self, session: aiohttp.ClientSession, base_url: str) -> None:
        self._session = session
        self._api = f"{base_url}/api"
        self._headers = {"X-Owner": secrets.token_urlsafe(24)}
        self._chat = secrets.token_hex(16)

    async def start(self, text: str = PROMPT) -> str:
        """Sends a message; returns the id of the run."""
        address = f"{self._api}/chats/{self._chat}/turns"
        body = {"text": text}
        async with self._session.post(address, json=body, headers=self._headers) as response:
            answer = await response.json()
            if response.status != 201:
                raise NotMeasuredError(f"The app refused a turn: {answer}")
            run: str = answer["run"]
            return run

    async def listen(self, run: str) -> AsyncGenerator[Arrival, None]:
        """The run's events as they arrive; closing it closes the connection."""
        address = f"{self._api}/runs/{run}/events"
        async with self._session.get(address, headers=self._headers) as response:
            if response.status != 200:
                raise NotMeasuredError(f"The app refused a listener: {response.status}")
            async for data, _ in response.content.iter_chunks():
                yield Arrival(time.monotonic(), data)

    async def listen_until_text(self, run: str) -> None:
        """Listens until the first text of the model is there, then closes the connection."""
        async with aclosing(self.listen(run)) as arrivals:
            async for arrival in arrivals:
                if b'"type":"reasoning"' in arrival.data:
                    return
        raise NotMeasuredError("A run ended before any text came.")

    async def turn(self, text: str = PROMPT) -> list[Arrival]:
        """A whole turn; raises NotMeasuredError where it is not complete."""
        run = await self.start(text)
        arrivals = [arrival async for arrival in self.listen(run)]
        ends = [e for _, e in events_of(arrivals[-3:]) if e["type"] == "turn_end"]
        if not ends or ends[0]["state"] != "complete":
            raise NotMeasuredError(f"A turn did not end well: {arrivals[-1].data[-500:]!r}")
        return arrivals

    async def stop(self, run: str) -> None:
        """Stops a run."""
        address = f"{self._api}/runs/{run}"
        async with self._session.delete(address, headers=self._headers) as response:
            if response.status != 204:
                raise NotMeasuredError(f"The app refused to stop: {response.status}")


class GradioPage:
    """What the page of a gr.ChatInterface does to send a message and receive the answer.

    Three calls: the message into the session's state, the message into the chat, then the answer
    through the queue, whose stream of events the page reads.
    """

    def __init__(self, session: aiohttp.ClientSession, base_url: str, config: Any) -> None:
        self._session = session
        self._api = f"{base_url}/gradio_api"
        self._hash = secrets.token_hex(6)
        self._save, self._append, self._answer = _submit_chain(config)

    @classmethod
    async def open(cls, session: aiohttp.ClientSession, base_url: str) -> GradioPage:
        """A page that was loaded in a session of its own."""
        async with session.get(f"{base_url}/config") as response:
            return cls(session, base_url, await response.json())

    async def turn(self, text: str = PROMPT) -> int:
        """A whole turn; returns the bytes that came."""
        await self._call(self._save, [text])
        await self._call(self._append, [None, []])
        body = self._body(self._answer, [None, None])
        async with self._session.post(f"{self._api}/queue/join", json=body) as response:
            response.raise_for_status()
        address = f"{self._api}/queue/data?session_hash={self._hash}"
        size = 0
        rest = b""
        async with self._session.get(address) as response:
            async for data, _ in response.content.iter_chunks():
                size += len(data)
                rest = rest[-100:] + data
                if b'"msg":"process_completed"' in rest or b'"msg": "process_completed"' in rest:
                    break
        if b'"success":false' in rest.replace(b" ", b""):
            raise NotMeasuredError(f"The ChatInterface failed: {rest[-500:]!r}")
        return size

    async def _call(self, function: int, data: list[Any]) -> None:
        body = self._body(function, data)
        async with self._session.post(f"{self._api}/run/predict", json=body) as response:
            response.raise_for_status()

    def _body(self, function: int, data: list[Any]) -> dict[str, Any]:
        return {"data": data, "fn_index": function, "session_hash": self._hash}


def _submit_chain(config: Any) -> tuple[int, int, int]:
    """The ids of the functions that run one after another when the message box is submitted."""
    functions = {each["id"]: each for each in config["dependencies"]}
    save = next(
        each["id"]
        for each in functions.values()
        if any(event == "submit" for _, event in each["targets"])
    )
    append = _follower(functions, save)
    return save, append, _follower(functions, append)


def _follower(functions: dict[int, Any], before: int) -> int:
    return next(id_ for id_, each in functions.items() if each["trigger_after"] == before)


class Upstream:
    """The upstream's watch, from outside."""

    def __init__(self, session: aiohttp.ClientSession, base_url: str) -> None:
        self._session = session
        self._watch = f"{base_url}/watch"

    async def simulate(self, faults: str, *, stamps: bool = False) -> None:
        """Sets what all requests are answered with, in the words of app/simulator/faults.py."""
        body = {"simulate": faults, "stamps": stamps}
        async with self._session.put(self._watch, json=body) as response:
            response.raise_for_status()

    async def chunks(self) -> int:
        """Chunks with text that were sent so far."""
        count: int = (await self._told())["chunks"]
        return count

    async def hang_ups(self) -> int:
        """How many clients have left in mid-stream so far."""
        return len((await self._told())["hung_up"])

    async def next_hang_up(self, before: int, timeout_s: float) -> float:
        """The monotonic time in seconds of the client that left after `before` others."""
        try:
            async with asyncio.timeout(timeout_s):
                told = await self._told(f"?after={before}")
        except TimeoutError:
            raise NotMeasuredError(f"Nobody hung up within {timeout_s:g} s.") from None
        at: float = told["hung_up"][before]
        return at

    async def _told(self, query: str = "") -> Any:
        async with self._session.get(self._watch + query) as response:
            return await response.json()
