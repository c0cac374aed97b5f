"""Ready-made sets, import and export of tools, each in a dialog."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from axe_playwright_python.async_playwright import Axe
from mcp.server.fastmcp import FastMCP
from playwright.async_api import Locator, expect

from app.tools.toolset import parse_toolset
from tests.browser.playground import OpenAt, Playground, file
from tests.browser.process import running_app

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPEN = """async (name) => {
  const address = window.ownFile("js/tools_dialogs.mjs");
  (await import(address))[name]();
}"""
VALUES = """async () => {
  const address = window.ownFile("js/setup.mjs");
  const { setup } = await import(address);
  await setup.settled();
  return { ...setup.values, names: setup.declared() };
}"""
DROP = """(target, text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], "time.py", { type: "text/x-python" }));
  for (const kind of ["dragover", "drop"]) {
    const common = { bubbles: true, cancelable: true };
    target.dispatchEvent(new DragEvent(kind, { ...common, dataTransfer: carried }));
  }
}"""
PYTHON = 'def get_time(zone: str) -> str:\n    """The time in a zone."""\n'
WRITTEN = '[ {"type": "function", "function": {"name": "mine", "parameters": {}}} ]'


async def opened(playground: Playground, name: str) -> Locator:
    await playground.page.evaluate(OPEN, name)
    return playground.page.get_by_test_id("tools-dialog")


async def values(playground: Playground) -> Any:
    return await playground.page.evaluate(VALUES)


async def test_a_ready_made_set_comes_with_its_rules(playground: Playground) -> None:
    dialog = await opened(playground, "openSets")
    await dialog.get_by_role("button", name="Weather").click()
    tools = dialog.get_by_role("list", name="Tools that will come")
    await expect(tools.get_by_role("listitem")).to_have_count(4)
    await expect(dialog.get_by_test_id("incoming")).to_contain_text("rules that answer calls")
    await dialog.get_by_role("button", name="Use this set").click()
    await expect(dialog).to_have_count(0)
    found = await values(playground)
    assert "get_forecast" in found["names"]
    assert json.loads(found["rules"]).keys() == {"mocks", "results"}


async def test_pasted_python_is_shown_and_added_beside_what_is_there(
    playground: Playground,
) -> None:
    await playground.set_up(tools=WRITTEN)
    dialog = await opened(playground, "openImport")
    await dialog.get_by_role("textbox", name="What to import").fill(PYTHON)
    await expect(dialog.get_by_test_id("incoming")).to_contain_text("The time in a zone.")
    await expect(dialog.get_by_role("radio", name="Add to what is there")).to_be_checked()
    await dialog.get_by_role("button", name="Import").click()
    found = await values(playground)
    assert found["names"] == ["mine", "get_time"]
    assert found["tools"].startswith(WRITTEN[:-3])


async def test_what_is_there_is_replaced_only_where_that_is_chosen(playground: Playground) -> None:
    await playground.set_up(tools=WRITTEN, rules='[{"tool": "*", "ask": true}]')
    dialog = await opened(playground, "openImport")
    await dialog.get_by_role("textbox", name="What to import").fill(PYTHON)
    await dialog.get_by_role("radio", name="Replace it").check()
    await dialog.get_by_role("button", name="Import").click()
    found = await values(playground)
    assert found["names"] == ["get_time"]
    rules = json.loads(found["rules"])
    assert rules["mocks"] == [{"tool": "*", "ask": True}]
    assert rules["results"] == {"get_time": {"type": "string"}}


async def test_a_tool_that_is_there_already_stays_as_it_was_written(
    playground: Playground,
) -> None:
    await playground.set_up(tools=WRITTEN)
    dialog = await opened(playground, "openImport")
    await dialog.get_by_role("textbox", name="What to import").fill("def mine(a: int): ...")
    await expect(dialog.get_by_test_id("incoming")).to_contain_text("kept as it is: mine")
    await dialog.get_by_role("button", name="Import").click()
    assert (await values(playground))["tools"] == WRITTEN


async def test_a_text_that_is_broken_is_not_lost_silently(playground: Playground) -> None:
    await playground.set_up(tools='[{"type"')
    dialog = await opened(playground, "openImport")
    await dialog.get_by_role("textbox", name="What to import").fill(PYTHON)
    await expect(dialog.get_by_role("radio", name="Add to what is there")).to_be_disabled()
    await expect(dialog.get_by_test_id("incoming")).to_contain_text("cannot be added to")
    await dialog.get_by_role("button", name="Cancel").click()
    assert (await values(playground))["tools"] == '[{"type"'


async def test_a_mistake_is_told_and_nothing_can_be_taken(playground: Playground) -> None:
    playground.watch.expect("422")
    dialog = await opened(playground, "openImport")
    await dialog.get_by_role("textbox", name="What to import").fill("{")
    await expect(dialog.get_by_role("alert")).to_contain_text("line 1, column 1")
    await expect(dialog.get_by_role("button", name="Import")).to_be_disabled()


async def test_a_file_is_chosen(playground: Playground) -> None:
    dialog = await opened(playground, "openImport")
    chosen = file("time.py", "text/x-python", PYTHON.encode())
    await dialog.get_by_test_id("import-file").set_input_files(chosen)
    await expect(dialog.get_by_test_id("incoming")).to_contain_text("get_time")


async def test_a_file_is_dropped(playground: Playground) -> None:
    dialog = await opened(playground, "openImport")
    text = dialog.get_by_role("textbox", name="What to import")
    await text.evaluate(DROP, PYTHON)
    await expect(dialog.get_by_test_id("incoming")).to_contain_text("get_time")
    await expect(text).to_have_value(PYTHON)
    await expect(playground.attached).to_have_count(0)


async def test_a_name_of_html_is_shown_as_it_is(playground: Playground) -> None:
    name = "<img src=x onerror=alert(1)>"
    dialog = await opened(playground, "openImport")
    text = json.dumps([{"type": "function", "function": {"name": name}}])
    await dialog.get_by_role("textbox", name="What to import").fill(text)
    await expect(dialog.get_by_test_id("incoming")).to_contain_text(name)
    await expect(dialog.locator("img")).to_have_count(0)


async def test_no_servers_are_offered_where_the_owner_lists_none(playground: Playground) -> None:
    async with playground.page.expect_response("**/api/tools/mcp"):
        dialog = await opened(playground, "openImport")
    await expect(dialog).not_to_contain_text("from an MCP server:")


async def test_tools_are_exported_as_written_and_as_python(playground: Playground) -> None:
    await playground.set_up(tools=WRITTEN)
    dialog = await opened(playground, "openExport")
    await expect(dialog.get_by_role("region", name="JSON")).to_have_text(WRITTEN)
    await dialog.get_by_role("tab", name="Python").click()
    python = dialog.get_by_role("region", name="Python")
    await expect(python).to_contain_text("def mine(")
    async with playground.page.expect_download() as download:
        await dialog.get_by_role("button", name="Save").click()
    assert (await download.value).suggested_filename == "tools.py"


async def test_tools_with_rules_are_exported_as_one_file(playground: Playground) -> None:
    rules = '[{"tool": "mine", "when": {}, "result": {"answer": 42}}]'
    await playground.set_up(tools=WRITTEN, rules=rules)
    dialog = await opened(playground, "openExport")
    exported = dialog.get_by_role("region", name="JSON")
    await expect(exported).to_contain_text('"answer": 42')
    tool_set = parse_toolset(await exported.inner_text())
    assert [rule.tool for rule in tool_set.mocks] == ["mine"]


@contextmanager
def mcp_server() -> Iterator[str]:
    """A server of one tool, in a thread of its own; the address at which it listens."""
    served = FastMCP("clock")

    @served.tool()
    def list_zones() -> list[str]:
        """All zones."""
        raise AssertionError("no tool is ever called")

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(served.streamable_http_app(), log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.should_exit = True
            thread.join()


async def test_a_listed_server_gives_its_tools(open_at: OpenAt, tmp_path: Path) -> None:
    with mcp_server() as server, running_app(tmp_path, GLM_MCP_SERVERS=server) as url:
        playground = await open_at(url)
        dialog = await opened(playground, "openImport")
        await dialog.locator(".import-servers").get_by_role("button").click()
        await expect(dialog.get_by_test_id("incoming")).to_contain_text("list_zones")
        await dialog.get_by_role("button", name="Import").click()
        assert (await values(playground))["names"] == ["list_zones"]
        await playground.page.goto("about:blank")


@pytest.mark.parametrize("name", ["openSets", "openImport", "openExport"])
async def test_no_dialog_has_a_grave_violation(playground: Playground, name: str) -> None:
    await playground.set_up(tools=WRITTEN)
    dialog = await opened(playground, name)
    if name == "openSets":
        await dialog.get_by_role("button", name="Weather").click()
        await expect(dialog.get_by_test_id("incoming")).to_be_visible()
    if name == "openImport":
        await dialog.get_by_role("textbox", name="What to import").fill(PYTHON)
        await expect(dialog.get_by_test_id("incoming")).to_be_visible()
    # A button that can be pressed now takes its colour over a moment.
    await playground.page.wait_for_function(
        "document.getAnimations().every(a => a.playState !== 'running')"
    )
    found = (await Axe().run(playground.page)).response["violations"]
    grave = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in grave] == []
