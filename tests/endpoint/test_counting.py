"""Counting tokens by the server's own tokenizer, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from app.endpoint import Endpoint, EndpointSettings
from app.simulator import SimulatorSettings
from app.simulator.embedded import running_simulator
from tests.conftest import StartLoopback
from tests.loopback import HANG_UP, SILENCE, Loopback, Reply

COUNTED = Reply.json({"count": 18, "max_model_len": 64, "tokens": [8002, 8004], "token_strs": None})
TOKENIZE = "POST /tokenize"


async def count(server: Loopback, base: str = "/v1", **body: Any) -> int | None:
    settings = EndpointSettings(f"{server.url}{base}", model="glm", state_timeout_s=0.1)
    async with Endpoint(settings) as endpoint:
        return await (endpoint.count_prompt(body) if body else endpoint.count_tokens("Hé"))


@pytest.mark.parametrize(
    ("base", "route"),
    [
        ("/v1", "POST /tokenize"),
        ("/v1/", "POST /tokenize"),
        ("/sync/v1", "POST /sync/tokenize"),
        ("/api", "POST /api/tokenize"),
    ],
)
async def test_a_text_is_counted_beside_the_base_address(
    loopback: StartLoopback, base: str, route: str
) -> None:
    server = await loopback(COUNTED)

    assert await count(server, base) == 18
    asked = server.asked(route)[0].json()
    assert asked == {"model": "glm", "prompt": "Hé", "add_special_tokens": False}


async def test_a_prompt_is_counted_with_its_tools_and_effort_and_without_media(
    loopback: StartLoopback,
) -> None:
    server = await loopback(COUNTED)
    text, picture = {"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {}}
    tools = [{"type": "function", "function": {"name": "f"}}]
    system = {"role": "system", "content": "Be brief."}

    counted = await count(
        server,
        model="glm",
        messages=[
            system,
            {"role": "user", "content": [picture, text]},
            {"role": "user", "content": [picture]},
        ],
        tools=tools,
        reasoning_effort="low",
        chat_template_kwargs={"clear_thinking": True, "reasoning_effort": "high"},
        continue_final_message=True,
        add_generation_prompt=False,
        temperature=1.0,
        stream=True,
    )

    assert counted == 18
    assert server.asked(TOKENIZE)[0].json() == {
        "model": "glm",
        "messages": [
            system,
            {"role": "user", "content": [text]},
            {"role": "user", "content": ""},
        ],
        "tools": tools,
        "add_generation_prompt": False,
        "continue_final_message": True,
        "chat_template_kwargs": {"clear_thinking": True, "reasoning_effort": "low"},
    }


@pytest.mark.parametrize(
    "reply",
    [
        SILENCE,
        HANG_UP,
        Reply.json({"detail": "Not Found"}, 404),
        Reply.json({"error": "Unauthorized"}, 401),
        Reply.json({"error": "broken"}, 500),
        Reply.json({"tokens": [1, 2]}),
        Reply.json({"count": "2"}),
        Reply.json({"count": -2}),
        Reply.json([]),
        Reply((b"<html></html>",)),
    ],
)
async def test_what_counts_nothing_gives_none(loopback: StartLoopback, reply: Reply) -> None:
    assert await count(await loopback(reply)) is None


async def test_the_simulator_counts_a_prompt_as_it_bills_it() -> None:
    body = {"messages": [{"role": "user", "content": "Hello there, world"}], "stream": True}
    settings = SimulatorSettings(tokens_per_second=1e6)
    async with (
        running_simulator(settings) as url,
        Endpoint(EndpointSettings(url, model=settings.model)) as endpoint,
    ):
        assert await endpoint.count_tokens("Hello there") == 3
        assert await endpoint.count_prompt(body) == 9
