"""The loop of a run, as a script uses it: the real application, answered by the simulator."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.payload import BytesPayload

from tests.site import CHAT, Client, serving

TURNS = f"/api/chats/{CHAT}/turns"
RESULTS = f"/api/chats/{CHAT}/results"


def tool(name: str, description: str, *required: str) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in required}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


TOOLS = [
    tool("get_weather", "The weather of a place.", "location"),
    tool("find_hotel", "Hotels of a place.", "location"),
    tool("send_mail", "Sends mail.", "subject"),
]
RULES = [
    {"tool": "get_weather", "result": {"celsius": 21}},
    {"tool": "find_hotel", "result": "Ritz"},
    {"tool": "send_mail", "error": "timeout"},
]
STEPS = "Use get_weather for Paris, then find_hotel in Paris, then send_mail about it."
BOTH = "Use get_weather for Paris and find_hotel in Paris."
OPTIONS: dict[str, Any] = {"tools": TOOLS, "effort": "low"}
AUTO: dict[str, Any] = {"mocks": RULES, "auto": True}


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=5000) as base:
        yield Client(session, base)


async def begin(client: Client, text: str, **body: Any) -> list[dict[str, Any]]:
    """The events of the run that a message starts."""
    started = await client.start(text, options=body.pop("options", OPTIONS), **body)
    return await client.finish(started["run"])


async def answer(client: Client, path: str = RESULTS, **body: Any) -> list[dict[str, Any]]:
    status, started = await client.call("POST", path, json={"options": OPTIONS, **body})
    assert status == 201, started
    return await client.finish(started["run"])


async def refused(client: Client, path: str, **body: Any) -> tuple[int, str, str]:
    status, view = await client.call("POST", path, json=body)
    assert status >= 400, view
    return status, view["error"]["code"], view["error"]["message"]


async def chat_of(client: Client) -> dict[str, Any]:
    status, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert status == 200
    found: dict[str, Any] = chat
    return found


async def sent_for(client: Client, turn: str) -> dict[str, Any]:
    status, body = await client.call("GET", f"{TURNS}/{turn}/exchanges/0/request")
    assert status == 200
    found: dict[str, Any] = body
    return found


def kinds(chat: dict[str, Any]) -> list[str]:
    return [message["kind"] for message in chat["messages"]]


def results_in(chat: dict[str, Any]) -> list[Any]:
    return [message["results"] for message in chat["messages"] if message["kind"] == "results"]


def ends(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == "turn_end"]


async def test_rules_answer_three_steps_and_each_turn_is_kept(client: Client) -> None:
    events = await begin(client, STEPS, loop=AUTO)
    chat = await chat_of(client)
    assert kinds(chat) == ["user", *("turn", "results") * 3, "turn"]
    results = [event for event in events if event["type"] == "results"]
    told = [(r["name"], r["content"], r["answered_by"]) for e in results for r in e["results"]]
    assert told == [
        ("get_weather", '{"celsius":21}', "rule 1"),
        ("find_hotel", "Ritz", "rule 2"),
        ("send_mail", '{"error":"timeout"}', "error"),
    ]
    ids = [event["turn"] for event in events if event["type"] == "turn"]
    assert ids == [m["id"] for m in chat["messages"] if m["kind"] == "turn"]
    assert [event["turn"] for event in ends(events)] == ids
    assert ["pending" in event for event in ends(events)] == [False, False, False, True]
    assert (ends(events)[-1]["pending"], ends(events)[-1]["limit"]) == ([], None)
    assert (chat["pending"], chat["run"]) == (None, None)


async def test_each_step_sends_back_the_reasoning_and_the_results_before_it(
    client: Client,
) -> None:
    events = await begin(client, STEPS, loop=AUTO)
    last = await sent_for(client, ends(events)[-1]["turn"])
    roles = [message["role"] for message in last["messages"]]
    assert roles == ["user", *("assistant", "tool") * 3]
    assert all(m["reasoning"] for m in last["messages"] if m["role"] == "assistant")
    assert [m["content"] for m in last["messages"] if m["role"] == "tool"] == [
        '{"celsius":21}',
        "Ritz",
        '{"error":"timeout"}',
    ]
    _, listed = await client.call("GET", f"{TURNS}/{ends(events)[-1]['turn']}/exchanges")
    assert listed["exchanges"][0]["repairs"] == []


async def test_a_call_for_which_a_person_is_asked_ends_the_run_with_suggestions(
    client: Client,
) -> None:
    rules = [RULES[0], {"tool": "*", "ask": True}]
    loop = {
        "mocks": rules,
        "results": {"find_hotel": {"type": "object", "properties": {"name": {"const": "Ritz"}}}},
        "auto": True,
    }
    events = await begin(client, BOTH, loop=loop)
    (end,) = ends(events)
    assert [(call["name"], call["why"]) for call in end["pending"]] == [
        ("get_weather", "by hand"),
        ("find_hotel", "by hand"),
    ]
    weather, hotel = (call["suggestion"] for call in end["pending"])
    assert weather == {"content": '{"celsius":21}', "answered_by": "rule 1"}
    assert hotel == {"content": '{"name":"Ritz"}', "answered_by": "generated"}
    chat = await chat_of(client)
    assert chat["pending"]["turn"] == end["turn"]
    assert [call["suggestion"] for call in chat["pending"]["calls"]] == [None, None]
    _, asked = await client.call("POST", f"/api/chats/{CHAT}/suggestions", json={"loop": loop})
    assert asked == {"turn": end["turn"], "pending": end["pending"]}


async def test_parallel_calls_are_answered_in_any_order_and_sent_in_call_order(
    client: Client,
) -> None:
    (end,) = ends(await begin(client, BOTH))
    weather, hotel = (call["id"] for call in end["pending"])
    given = [
        {"call_id": hotel, "content": "Ritz", "answered_by": "rule 2"},
        {"call_id": weather, "content": "21 °C"},
    ]
    events = await answer(client, turn=end["turn"], results=given)
    sent = (await sent_for(client, events[0]["turn"]))["messages"]
    assert [(m["tool_call_id"], m["content"]) for m in sent if m["role"] == "tool"] == [
        (weather, "21 °C"),
        (hotel, "Ritz"),
    ]
    chat = await chat_of(client)
    assert kinds(chat) == ["user", "turn", "results", "turn"]
    by = [result["answered_by"] for result in chat["messages"][2]["results"]]
    assert by == ["hand", "rule 2"]


async def test_results_that_do_not_fit_the_calls_are_refused_by_name(client: Client) -> None:
    (end,) = ends(await begin(client, BOTH))
    turn, (weather, hotel) = end["turn"], (call["id"] for call in end["pending"])
    one = {"call_id": weather, "content": "21"}
    status, code, message = await refused(client, RESULTS, turn=turn, results=[one])
    assert (status, code) == (422, "calls_unanswered")
    assert hotel in message
    assert weather not in message
    other = {"call_id": "nobody", "content": ""}
    status, code, message = await refused(client, RESULTS, turn=turn, results=[one, other])
    assert (status, code) == (422, "call_unknown")
    assert "nobody" in message
    status, code, message = await refused(client, RESULTS, turn=turn, results=[one, one])
    assert (status, code) == (422, "invalid_request")
    assert weather in message
    status, code, message = await refused(client, RESULTS, turn=turn, by_rules=True)
    assert (status, code) == (422, "no_rule")
    assert "get_weather" in message
    assert (await refused(client, RESULTS, turn="another", cancel=True))[:2] == (409, "stale_turn")
    for body in ({}, {"cancel": True, "by_rules": True}, {"cancel": True, "results": [one]}):
        assert (await refused(client, RESULTS, turn=turn, **body))[0] == 422
    assert kinds(await chat_of(client)) == ["user", "turn"], "nothing was begun"


async def test_at_the_limit_the_run_asks_and_goes_on_by_one_request(client: Client) -> None:
    loop = {**AUTO, "max_steps": 2}
    first, last = ends(await begin(client, STEPS, loop=loop))
    assert "limit" not in first
    assert last["limit"] == 2
    assert (await chat_of(client))["pending"]["limit"] == 2
    assert last["pending"][0]["suggestion"] == {"content": "Ritz", "answered_by": "rule 2"}
    assert kinds(await chat_of(client)) == ["user", "turn", "results", "turn"]
    events = await answer(client, turn=last["turn"], by_rules=True, loop=loop)
    assert [event["limit"] for event in ends(events) if "limit" in event] == [None]
    assert kinds(await chat_of(client)) == ["user", *("turn", "results") * 3, "turn"]


async def test_calls_that_are_cancelled_are_told_so_and_nothing_is_asked(client: Client) -> None:
    (end,) = ends(await begin(client, BOTH))
    status, told = await client.call(
        "POST", RESULTS, json={"turn": end["turn"], "cancel": True, "loop": AUTO}
    )
    assert (status, told["run"], told["turn"]) == (201, None, None)
    assert [r["content"] for r in told["results"]["results"]] == ["not executed"] * 2
    chat = await chat_of(client)
    assert chat["messages"][-1] == told["results"]
    assert chat["pending"] is None
    assert (await refused(client, RESULTS, turn=end["turn"], cancel=True))[1] == "stale_turn"


async def test_a_message_is_not_sent_past_calls_unless_they_are_cancelled(client: Client) -> None:
    await begin(client, BOTH)
    assert (await refused(client, TURNS, text="Never mind"))[:2] == (409, "calls_pending")
    assert kinds(await chat_of(client)) == ["user", "turn"]
    started = await client.start("Never mind", cancel_calls=True)
    await client.finish(started["run"])
    chat = await chat_of(client)
    assert kinds(chat) == ["user", "turn", "results", "user", "turn"]
    assert chat["messages"][2] == started["results"]
    assert {r["answered_by"] for r in started["results"]["results"]} == {"cancelled"}


async def test_a_delay_is_told_waited_and_can_be_stopped_and_the_answers_stay(
    client: Client,
) -> None:
    loop = {"mocks": [{"tool": "*", "result": 1, "delay_s": 600}], "auto": True}
    started = await client.start(STEPS, options=OPTIONS, loop=loop)
    seen: list[dict[str, Any]] = []
    reloaded: dict[str, Any] = {}
    async for event in client.events(started["run"]):
        seen.append(event)
        if event["type"] == "waiting" and event["reason"] == "tool":
            reloaded = await chat_of(client)
            assert (await client.call("DELETE", f"/api/runs/{started['run']}"))[0] == 204
    results = next(event for event in seen if event["type"] == "results")
    waiting = next(event for event in seen if event.get("reason") == "tool")
    assert (results["delay_s"], waiting["seconds"]) == (600, 600)
    assert [event["type"] for event in seen[-2:]] == ["waiting", "end"]
    assert kinds(reloaded) == ["user", "turn", "results"]
    assert reloaded["run"]["after"] == results["n"]
    assert reloaded["run"]["turn"] not in [message["id"] for message in reloaded["messages"]]
    assert kinds(await chat_of(client)) == ["user", "turn", "results"]
    status, again = await client.call("POST", TURNS, json={"retry": True, "options": OPTIONS})
    assert status == 201
    await client.finish(again["run"])
    chat = await chat_of(client)
    assert kinds(chat) == ["user", "turn", "results", "turn"]
    assert [c["name"] for c in chat["pending"]["calls"]] == ["find_hotel"]


async def test_a_reload_in_mid_loop_has_the_steps_that_ended_and_hears_the_rest(
    session: aiohttp.ClientSession,
) -> None:
    async with serving(simulator_tokens_per_second=60) as base:
        client = Client(session, base)
        started = await client.start(STEPS, options=OPTIONS, loop=AUTO)
        turns: list[str] = []
        async for event in client.events(started["run"]):
            if event["type"] == "turn":
                turns.append(event["turn"])
            if len(turns) == 2 and event["type"] == "reasoning":
                break
        chat = await chat_of(client)
        assert kinds(chat) == ["user", "turn", "results"]
        assert chat["run"]["turn"] == turns[1]
        assert chat["pending"] is None
        heard = client.events(started["run"], chat["run"]["after"])
        first = await anext(heard)
        assert (first["type"], first["turn"]) == ("turn", turns[1])
        await heard.aclose()
        await client.call("DELETE", f"/api/runs/{started['run']}")
        chat = await chat_of(client)
        assert kinds(chat) == ["user", "turn", "results", "turn"]
        assert chat["messages"][-1]["notices"][0]["code"] == "stopped"


async def test_what_later_steps_tell_does_not_take_away_what_earlier_ones_told(
    client: Client,
) -> None:
    started = await client.start(STEPS, options=OPTIONS, loop=AUTO)
    live = [e async for e in client.events(started["run"]) if e["type"] == "part_closed"]
    later = [e async for e in client.events(started["run"]) if e["type"] == "part_closed"]
    assert later == live


async def test_a_cut_call_is_never_run_and_a_person_may_mend_it(client: Client) -> None:
    strict = [tool("get_weather", "The weather of a place.", "location")]
    started = await client.start(
        "Use get_weather for Paris.",
        options={"tools": strict},
        loop={"mocks": [{"tool": "*", "result": 1}], "auto": True},
        fault="no-reasoning;drop-after=7",
    )
    events = await client.finish(started["run"])
    (end,) = ends(events)
    assert [(call["why"], call["suggestion"]) for call in end["pending"]] == [("malformed", None)]
    assert end["limit"] is None
    calls = f"/api/chats/{CHAT}/calls"
    body = {"turn": end["turn"], "call_id": end["pending"][0]["id"]}
    status, view = await client.call("POST", calls, json={**body, "arguments": '{"location": 1}'})
    assert (status, view["edited"], view["pending"][0]["why"]) == (201, True, "malformed")
    assert view["parts"][-1]["problems"][0]["path"] == "$.location"
    assert (await refused(client, calls, **body, arguments="{}"))[1] == "stale_turn"
    body["turn"] = view["id"]
    assert (await refused(client, calls, turn=view["id"], call_id="x", arguments=""))[1] == (
        "no_call"
    )
    status, view = await client.call(
        "POST", calls, json={**body, "arguments": '{"location": "Rome"}'}
    )
    assert (status, view["notices"], view["pending"][0]["why"]) == (201, [], "by hand")
    assert view["versions"]["at"] == 3
    events = await answer(
        client, turn=view["id"], by_rules=True, loop={"mocks": [{"tool": "*", "result": 1}]}
    )
    sent = (await sent_for(client, events[0]["turn"]))["messages"]
    assert sent[-2]["tool_calls"][0]["function"]["arguments"] == '{"location": "Rome"}'
    assert sent[-1]["content"] == "1"


async def test_a_step_in_the_middle_is_answered_again_as_a_version(client: Client) -> None:
    events = await begin(client, STEPS, loop=AUTO)
    second = ends(events)[1]["turn"]
    await answer(client, TURNS, retry=second)
    chat = await chat_of(client)
    assert kinds(chat) == ["user", "turn", "results", "turn"]
    assert chat["messages"][-1]["versions"]["ids"][0] == second
    assert len(chat["pending"]["calls"]) == 1


async def test_undo_takes_back_the_message_with_its_whole_loop(client: Client) -> None:
    await begin(client, "Hello", options={})
    await begin(client, STEPS, loop=AUTO)
    status, source = await client.call("POST", f"/api/chats/{CHAT}/undo")
    assert (status, source["text"]) == (200, STEPS)
    assert kinds(await chat_of(client)) == ["user", "turn"]


async def test_a_forced_choice_holds_for_the_message_and_not_for_results(client: Client) -> None:
    named = {"type": "function", "function": {"name": "find_hotel"}}
    options = {**OPTIONS, "tool_choice": named, "parallel_tool_calls": False}
    events = await begin(client, "Find something in Paris.", options=options, loop=AUTO)
    first, second = [await sent_for(client, end["turn"]) for end in ends(events)]
    assert (first["tool_choice"], second["tool_choice"]) == (named, "auto")
    assert first["parallel_tool_calls"] is second["parallel_tool_calls"] is False


async def test_tools_go_out_as_they_are_written(client: Client) -> None:
    parameters = '{"type": "object", "properties": {"b": {}, "2": {}, "1": {}}}'
    text = f'[{{"function": {{"name": "f", "parameters": {parameters}}}, "type": "function"}}]'
    events = await begin(client, "Hello", options={"tools": text})
    sent = await sent_for(client, events[0]["turn"])
    assert json.dumps(sent["tools"]) == text


async def test_without_tools_no_key_of_theirs_is_sent_and_a_schema_is(client: Client) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    options = {
        "tools": " ",
        "tool_choice": "required",
        "parallel_tool_calls": True,
        "response_schema": schema,
    }
    events = await begin(client, "A number, please", options=options)
    sent = await sent_for(client, events[0]["turn"])
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & sent.keys()
    assert sent["response_format"]["json_schema"]["schema"] == schema


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"options": {"tools": '[\n{"type": "function",}]'}}, "line 2"),
        ({"options": {"tools": '[{"type": "function", "function": {}}]'}}, "column"),
        (
            {
                "options": {
                    **OPTIONS,
                    "tool_choice": {"type": "function", "function": {"name": "x"}},
                }
            },
            "“x”",
        ),
        ({"options": {"response_schema": {"type": "strange"}}}, "$.type"),
        ({"options": {"response_schema": "{"}}, "line 1"),
        ({"options": {"response_schema": "[]"}}, "response_schema"),
        ({"loop": {"mocks": [{"tool": "x"}]}}, "$[0]"),
        ({"loop": {"mocks": "[{]"}}, "mocks"),
        ({"loop": {"max_steps": 65}}, "max_steps"),
        ({"loop": {"results": {"x": 3}}}, "results"),
    ],
)
async def test_what_is_wrong_with_tools_or_rules_is_said_where_it_is(
    client: Client, body: dict[str, Any], word: str
) -> None:
    status, code, message = await refused(client, TURNS, text="Hello", **body)
    assert (status, code) == (422, "invalid_request")
    assert word in message
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[0] == 404


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e999", "NaN", "-Infinity"])
@pytest.mark.parametrize(
    "body",
    [
        '"loop": {"mocks": [{"tool": "*", "result": 1, "delay_s": %s}]}',
        '"loop": {"mocks": [{"tool": "*", "result": %s}]}',
        '"loop": {"results": {"x": {"maximum": %s}}}',
        '"options": {"tools": [{"function": {"name": "x", "parameters": {"maximum": %s}}}]}',
        '"options": {"response_schema": {"maximum": %s}}',
    ],
)
async def test_a_number_that_json_cannot_carry_is_refused_and_nothing_begins(
    client: Client, body: str, number: str
) -> None:
    data = BytesPayload(
        ('{"text": "Hello", ' + body % number + "}").encode(), content_type="application/json"
    )
    status, view = await client.call("POST", TURNS, data=data)
    assert (status, view["error"]["code"]) == (422, "invalid_request")
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[0] == 404


async def test_that_a_run_ended_at_its_limit_is_known_after_a_restart(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with serving(tmp_path, simulator_tokens_per_second=5000) as base:
        first = Client(session, base)
        await begin(first, STEPS, loop={**AUTO, "max_steps": 2})
    async with serving(tmp_path) as base:
        chat = await chat_of(Client(session, base, first.token))
    assert chat["pending"]["limit"] == 2


async def test_a_loop_comes_back_from_its_case_file_and_stands_in_its_document(
    client: Client,
) -> None:
    await begin(client, STEPS, loop=AUTO)
    before = await chat_of(client)
    _, document = await client.call("GET", f"/api/chats/{CHAT}/markdown")
    assert "## Results of the calls" in document.decode()
    assert "(rule 1)" in document.decode()
    _, exported = await client.call("GET", f"/api/chats/{CHAT}/case")
    form = aiohttp.FormData()
    form.add_field("file", json.dumps(exported).encode(), filename="chat.case.json")
    _, lines = await client.call("POST", "/api/cases", data=form)
    imported = next(
        line["chat"] for line in map(json.loads, lines.splitlines()) if line["type"] == "chat"
    )
    _, after = await client.call("GET", f"/api/chats/{imported['id']}")
    assert kinds(after) == kinds(before)
    results = [
        [m["results"] for m in c["messages"] if m["kind"] == "results"] for c in (before, after)
    ]
    assert results[0] == results[1]


async def test_a_search_finds_what_a_call_got(client: Client) -> None:
    await begin(client, STEPS, loop=AUTO)
    _, found = await client.call("GET", "/api/chats?search=ritz")
    assert [chat["id"] for chat in found["chats"]] == [CHAT]


async def test_each_step_waits_for_a_slot_of_its_own(session: aiohttp.ClientSession) -> None:
    async with serving(simulator_tokens_per_second=300, slots=1) as base:
        client = Client(session, base)
        loop = await client.start(STEPS, options=OPTIONS, loop=AUTO)
        short = await client.start("Hello", chat="another-chat")
        await client.finish(short["run"])
        _, chat = await client.call("GET", f"/api/chats/{CHAT}")
        assert chat["run"] is not None, "the loop still has steps to go"
        events = await client.finish(loop["run"])
        assert ends(events)[-1]["state"] == "complete"
