"""An answer in a format that the reader has asked for: what is sent, and what is shown of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
        "days": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
    },
    "required": ["city", "days"],
}


async def test_an_answer_of_a_schema_is_checked_and_shown_as_a_tree(playground: Playground) -> None:
    await playground.set_up(answer_schema=json.dumps(SCHEMA))
    body = await playground.send("Plan a trip.")
    assert json.loads(body["options"]["response_schema"]) == SCHEMA
    turn = await playground.ended()
    check = turn.get_by_test_id("answer-check")
    await expect(check).to_have_attribute("data-state", "fits")
    await expect(check.get_by_role("tabpanel", name="Tree")).to_contain_text("city")
    await expect(check.get_by_role("tabpanel", name="Tree")).to_contain_text("name")
    await check.get_by_role("tab", name="Text").click()
    written = await check.get_by_role("tabpanel", name="Text").inner_text()
    assert set(json.loads(written)) == {"city", "days"}
    found = await Axe().run(playground.page)
    assert [v["id"] for v in found.response["violations"] if v["impact"] == "critical"] == []
    await playground.reload()
    await expect(playground.turns.last.get_by_test_id("answer-check")).to_have_attribute(
        "data-state", "fits"
    )


async def test_an_answer_that_was_cut_is_said_to_be_no_json(playground: Playground) -> None:
    await playground.set_up(answer_schema=json.dumps(SCHEMA), options={"max_tokens": 6})
    await playground.simulate("no-reasoning;chunk=1")
    turn = await playground.ask("Plan a trip.")
    check = turn.get_by_test_id("answer-check")
    await expect(check).to_have_attribute("data-state", "problems")
    await expect(check).to_contain_text("Not JSON")
    await expect(check.get_by_role("tab")).to_have_count(0)
