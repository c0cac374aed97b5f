"""Recorded answers that play once more: the real application, and runs without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from itertools import groupby
from typing import Any

import aiohttp
import pytest

from app.chat.entries import TurnEntry
from app.chat.exchange import Exchange
from app.chat.messages import Reasoning, Text
from app.chat.request import Options
from app.chat.turn import Timings, Turn
from app.chat.wire_record import WireRecorder
from app.turns.replay import Recording, Replay
from tests.site import CHAT, Client, serving

TURNS = f"/api/chats/{CHAT}/turns"


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=2000) as base:
        yield Client(session, base)


def chunk(**delta: str) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def ending(reason: str = "stop") -> bytes:
    choice = {"index": 0, "delta": {}, "finish_reason": reason}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\ndata: [DONE]\n\n"


def exchange(*reads: tuple[float, bytes], base: Sequence[Reasoning | Text] = ()) -> Exchange:
    recorder = WireRecorder()
    for at_s, data in reads:
        recorder.take(at_s, data)
    return Exchange(Options("glm"), "digest", tuple(base), recorder.packed())


def kept(*parts: Reasoning | Text) -> TurnEntry:
    seconds = (1.0,) * len(parts)
    turn = Turn(parts, "stop", timings=Timings(part_seconds=seconds))
    return TurnEntry("turn", turn, (), (), {}, ((1, True),) * len(parts))


ANSWER = exchange(
    (0.001, chunk(reasoning="Two and")),
    (0.002, chunk(reasoning=" two") + chunk(content="Four")),
    (0.004, ending()),
)
WHOLE = kept(Reasoning("Two and two"), Text("Four"))
ENDLESS = exchange((0.001, chunk(content="One")), (1e6, chunk(content=" two")))


async def play(bench: Any, entry: TurnEntry, *exchanges: Exchange, speed: float = 1.0) -> Replay:
    """A replay of an answer of the bench's chat."""
    await bench.services.store.add("owner", "chat-one", entry, bench.message.id)
    recording = Recording.of("owner", "chat-one", entry, exchanges)
    assert recording is not None
    return Replay(recording, bench.services, speed=speed)


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """What is told, in its order; how often the same is told in a row depends on the clock."""
    return [kind for kind, _ in groupby(e["type"] for e in events if e["type"] != "usage")]


async def ask(client: Client, text: str, fault: str | None = None, **body: Any) -> str:
    started = await client.start(text, fault=fault, **body)
    await client.finish(started["run"])
    turn: str = started["turn"]
    return turn


async def replayed(client: Client, turn: str, **body: Any) -> dict[str, Any]:
    status, answer = await client.call("POST", f"{TURNS}/{turn}/replay", json=body)
    assert status == 201, answer
    found: dict[str, Any] = answer
    return found


def shown(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What a page holds after these events."""
    thought = "".join(event["text"] for event in events if event["type"] == "reasoning")
    blocks: dict[int, str] = {}
    for event in events:
        if event["type"] == "block":
            blocks[event["block"]] = event["html"]
    return {"thought": thought, "blocks": [blocks[number] for number in sorted(blocks)]}


async def test_an_answer_plays_as_it_was_and_ends_as_it_is_kept(client: Client) -> None:
    started = await client.start("Write 60 words about the sea.")
    live = await client.finish(started["run"])
    _, before = await client.call("GET", f"/api/chats/{CHAT}")
    replay = await replayed(client, started["turn"], speed=100)
    assert replay["turn"] == started["turn"]
    assert replay["seconds"] > 0
    again = await client.finish(replay["run"])
    assert shown(again) == shown(live)
    assert again[0] == {"n": 0, "type": "turn", "turn": started["turn"]}
    own = {"n", "stats", "pending", "limit"}  # a recording waits for nobody
    ends = [next(e for e in events if e["type"] == "turn_end") for events in (live, again)]
    first, second = ({k: v for k, v in end.items() if k not in own} for end in ends)
    assert first == second
    assert "parts" not in second
    _, after = await client.call("GET", f"/api/chats/{CHAT}")
    assert after == before


async def test_a_turn_whose_calls_were_answered_plays_alone(client: Client) -> None:
    tool = {"type": "function", "function": {"name": "get_weather", "parameters": {}}}
    loop = {"mocks": [{"tool": "get_weather", "result": 21}], "auto": True}
    started = await client.start("Use get_weather for Paris.", options={"tools": [tool]}, loop=loop)
    await client.finish(started["run"])
    _, before = await client.call("GET", f"/api/chats/{CHAT}")
    assert [each["kind"] for each in before["messages"]] == ["user", "turn", "results", "turn"]
    replay = await replayed(client, started["turn"], speed=100)
    events = await client.finish(replay["run"])
    assert "results" not in kinds(events)
    assert [e["name"] for e in events if e["type"] == "call_checked"] == ["get_weather"]
    end = next(event for event in events if event["type"] == "turn_end")
    assert end["chat_calls"] == before["calls"]
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[1] == before


async def test_an_imported_answer_plays_without_a_server(
    client: Client, session: aiohttp.ClientSession
) -> None:
    turn = await ask(client, "Write 60 words about the sea.")
    _, file = await client.call("GET", f"/api/chats/{CHAT}/case")
    async with serving(openai_base_url="http://127.0.0.1:9/v1") as base:
        elsewhere = Client(session, base)
        form = aiohttp.FormData()
        form.add_field("file", json.dumps(file).encode(), filename="a.case.json")
        _, answer = await elsewhere.call("POST", "/api/cases", data=form)
        chat = json.loads(answer.splitlines()[1])["chat"]["id"]
        _, page = await elsewhere.call("GET", f"/api/chats/{chat}")
        message = page["messages"][-1]
        path = f"/api/chats/{chat}/turns/{message['id']}/replay"
        status, replay = await elsewhere.call("POST", path, json={"speed": 100})
        assert status == 201
        events = await elsewhere.finish(replay["run"])
        assert events[-2]["recorded"] is True
        assert shown(events)["blocks"] == message["parts"][-1]["blocks"]
    assert turn != message["id"]


async def test_a_replay_keeps_no_chat_from_going_on_and_can_be_stopped(client: Client) -> None:
    turn = await ask(client, "Write 60 words about the sea.")
    replay = await replayed(client, turn, speed=0.001)
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert chat["run"] is None
    _, status = await client.call("GET", "/api/status")
    assert status["running"] == 0
    await ask(client, "And the land?")
    assert (await client.call("DELETE", f"/api/runs/{replay['run']}"))[0] == 204
    events = await client.finish(replay["run"])
    end = next(event for event in events if event["type"] == "turn_end")
    assert (end["turn"], end["state"]) == (turn, "complete")
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert end["parts"] == chat["messages"][1]["parts"], "what was not played is shown"


async def test_one_replay_too_many_ends_the_oldest(client: Client) -> None:
    turn = await ask(client, "Hello")
    runs = [(await replayed(client, turn, speed=0.001))["run"] for _ in range(8)]
    listening = asyncio.create_task(client.finish(runs[0]))
    second = asyncio.create_task(client.finish(runs[1]))
    async for event in client.events(runs[0]):
        assert event["type"] == "turn"
        break
    await replayed(client, turn, speed=0.001)
    assert (await listening)[-1]["type"] == "end"
    assert (await client.call("DELETE", f"/api/runs/{runs[0]}"))[0] == 404
    assert not second.done()
    await client.call("DELETE", f"/api/runs/{runs[1]}")
    assert (await second)[-1]["type"] == "end"


async def test_what_was_not_recorded_cannot_be_played(
    client: Client, session: aiohttp.ClientSession
) -> None:
    turn = await ask(client, "Hello")
    _, edited = await client.call(
        "POST", f"/api/chats/{CHAT}/edits", json={"turn": turn, "text": "In my words"}
    )
    other = Client(session, client.base)
    _, page = await client.call("GET", f"/api/chats/{CHAT}")
    for who, wanted, code in (
        (client, edited["id"], "not_recorded"),
        (client, "unknown", "no_turn"),
        (client, page["messages"][0]["id"], "no_turn"),
        (other, turn, "no_turn"),
    ):
        status, refused = await who.call("POST", f"{TURNS}/{wanted}/replay", json={})
        assert (status, refused["error"]["code"]) == (404, code), wanted


@pytest.mark.parametrize("speed", [0, -1, 101, "fast", None])
async def test_a_speed_is_more_than_nothing_and_at_most_a_hundred(
    client: Client, speed: Any
) -> None:
    turn = await ask(client, "Hello")
    status, _ = await client.call("POST", f"{TURNS}/{turn}/replay", json={"speed": speed})
    assert status == 422


async def test_nobody_else_listens_to_a_replay(
    client: Client, session: aiohttp.ClientSession
) -> None:
    replay = await replayed(client, await ask(client, "Hello"), speed=0.001)
    other = Client(session, client.base)
    for method, path in (("GET", "/events"), ("DELETE", "")):
        status, refused = await other.call(method, f"/api/runs/{replay['run']}{path}")
        assert (status, refused["error"]["code"]) == (404, "no_run")


async def test_an_answer_that_was_gone_on_with_plays_in_one_go(client: Client) -> None:
    turn = await ask(client, "Write 300 words about rivers.", fault="reasoning=5;drop-after=60")
    _, started = await client.call("POST", TURNS, json={"continue": True})
    await client.finish(started["run"])
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    parts = chat["messages"][-1]["parts"]
    events = await client.finish((await replayed(client, turn, speed=100))["run"])
    assert kinds(events).count("started") == 1
    assert [event["kind"] for event in events if event["type"] == "part"] == [
        part["kind"] for part in parts
    ]
    end = next(event for event in events if event["type"] == "turn_end")
    assert end["parts"] == parts


async def test_the_seconds_that_are_told_are_those_of_the_recording(bench, events_of) -> None:
    slow = exchange((0.0, chunk(content="One")), (1.0, chunk(content=" two")), (1.0, ending()))
    replay = await play(await bench(), kept(Text("One two")), slow, speed=100)
    events = await events_of(replay)
    (closed,) = [event for event in events if event["type"] == "part_closed"]
    assert closed["seconds"] >= 1.0
    assert "parts" not in events[-2]


async def test_a_recording_of_a_part_begins_with_what_was_there(bench, events_of) -> None:
    more = exchange((0.001, chunk(content=" more")), (0.002, ending()), base=[Text("Once")])
    replay = await play(await bench(), kept(Text("Once more")), more)
    events = await events_of(replay)
    blocks = [event["html"] for event in events if event["type"] == "block"]
    assert blocks[-1] == "<p>Once more</p>"
    assert events[-2]["parts"] == [{"kind": "answer", "blocks": ["<p>Once more</p>"]}]


async def test_what_adds_up_to_something_else_ends_with_what_is_kept(bench, events_of) -> None:
    replay = await play(await bench(), kept(Text("Quite another answer")), ANSWER)
    end = (await events_of(replay))[-2]
    assert end["parts"] == [{"kind": "answer", "blocks": ["<p>Quite another answer</p>"]}]


async def test_all_that_was_told_live_is_told_again(bench, events_of) -> None:
    replay = await play(await bench(), WHOLE, ANSWER)
    events = await events_of(replay)
    assert kinds(events) == [
        "turn",
        "started",
        "part",
        "reasoning",
        "part_closed",
        "part",
        "block",
        "part_closed",
        "turn_end",
        "end",
    ]
    assert events[-2]["context"]["limit"] == 1_000_000


async def test_a_replay_of_a_chat_that_is_deleted_ends_without_a_word(bench, events_of) -> None:
    one = await bench()
    replay = await play(one, WHOLE, ENDLESS)
    await one.services.store.delete("owner", "chat-one")
    await replay.stop()
    assert kinds(await events_of(replay))[-2:] != ["turn_end", "end"]
    assert kinds(await events_of(replay))[-1] == "end"


async def test_a_replay_to_which_nobody_listens_ends_by_itself(bench) -> None:
    one = await bench()
    await one.services.store.add("owner", "chat-one", WHOLE, one.message.id)
    recording = Recording.of("owner", "chat-one", WHOLE, [ENDLESS])
    assert recording is not None
    replay = Replay(recording, one.services, speed=1.0, grace_s=0.0)
    await replay.wait()
    assert replay.ended


async def test_nothing_came_is_nothing_to_play() -> None:
    empty = exchange()
    assert Recording.of("owner", "chat-one", WHOLE, [empty, Exchange(Options("glm"), "d")]) is None
    recording = Recording.of("owner", "chat-one", WHOLE, [empty, ANSWER, ENDLESS])
    assert recording is not None
    assert recording.exchanges == (ANSWER, ENDLESS)
    assert recording.seconds == pytest.approx(1e6 + 0.004)
