"""The page `/docs` of the real app: whole, without scripts, and its commands work."""

from __future__ import annotations

import ast
import asyncio
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp

from app.turns.event_kinds import EVENT_KINDS
from tests.site import serving

PROJECT = Path(__file__).parents[2]


async def fetch(address: str, **headers: str) -> tuple[str, Any]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(address, headers=headers) as response,
    ):
        assert response.status == 200
        return await response.text(), response.headers


async def bash(script: str) -> tuple[int | None, str]:
    """Runs it; gives its exit status and what it printed."""
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    printed, _ = await process.communicate()
    return process.returncode, printed.decode()


def commands(page: str) -> list[str]:
    found = re.findall(r'<code class="curl">(.*?)</code>', page, re.DOTALL)
    return [html.unescape(each) for each in found]


def walk_of(page: str) -> str:
    found = re.search(r'<code id="walk">(.*?)</code>', page, re.DOTALL)
    assert found
    return html.unescape(found[1])


async def test_every_route_is_on_the_page_with_a_command() -> None:
    async with serving() as base:
        page, _ = await fetch(f"{base}/docs")
        document = json.loads((await fetch(f"{base}/openapi.json"))[0])
    count = 0
    for path, methods in document["paths"].items():
        for method, stated in methods.items():
            if stated.get("tags"):
                count += 1
                heading = f'<span class="method">{method.upper()}</span> <code>{path}</code>'
                assert heading in page, heading
                assert stated.get("description"), path
    assert count == len(commands(page)) > 15


async def test_it_needs_no_script_and_nothing_of_anothers() -> None:
    async with serving() as base:
        page, headers = await fetch(f"{base}/docs")
        for address in re.findall(r'(?:href|src)="([^"#]+)"', page):
            assert not address.startswith(("http", "//", "/")), address
            await fetch(f"{base}/{address}")
    assert "<script" not in page
    assert "style=" not in page
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'")


async def test_a_host_cannot_put_markup_or_commands_into_it() -> None:
    async with serving() as base:
        page, _ = await fetch(f"{base}/docs", Host="a'$(id)<script>")
    assert "<script" not in page
    base_line = walk_of(page).splitlines()[0]
    _, printed = await bash(f'{base_line}; echo "$BASE"')
    assert "uid=" not in printed


async def test_the_walk_starts_a_turn_and_hears_of_its_end() -> None:
    async with serving(simulator_tokens_per_second=5000) as base:
        page, _ = await fetch(f"{base}/docs")
        status, printed = await bash(f"set -eu\n{walk_of(page)}")
    assert status == 0, printed
    events = [json.loads(line) for line in printed.splitlines()]
    assert events[0]["type"] == "turn"
    assert events[-2]["state"] == "complete"
    assert events[-1]["type"] == "end"


async def test_the_commands_are_understood() -> None:
    """Those for which all that the walk sets is enough; each is answered with a success."""
    wanted = (
        "/api/chats",
        "/api/chats/$CHAT",
        "/api/status",
        "/api/tokens",
        "/api/account",
        "/api/runs/$RUN/events",
        "/api/chats/$CHAT/undo",
    )
    async with serving(simulator_tokens_per_second=5000) as base:
        page, _ = await fetch(f"{base}/docs")
        walk = walk_of(page)
        tried = 0
        for command in commands(page):
            address = re.search(r'"\$BASE([^"?]*)', command)
            assert address
            if address[1] not in wanted or "DELETE" in command:
                continue
            tried += 1
            script = f"{walk}\necho\n{command} -f -o /dev/null -w 'STATUS %{{http_code}}'"
            _, printed = await bash(script)
            assert re.search(r"STATUS 20\d$", printed), (command, printed[-300:])
    assert tried >= len(wanted)


async def test_it_tells_the_limits_of_this_server_and_mcp_where_it_is_on() -> None:
    async with serving(public=True, visitor_turns_per_minute=7, mcp=True) as base:
        page, _ = await fetch(f"{base}/docs")
    assert "at most 7 turns in a minute" in page
    assert "at most 16,384 tokens" in page
    assert f"{base}/gradio_api/mcp/" in page
    async with serving() as base:
        page, _ = await fetch(f"{base}/docs")
    assert "turns in a minute" not in page
    assert "gradio_api/mcp" not in page


def logged() -> Iterator[str]:
    """The kinds of lines that the code puts into a run's log."""
    for name in ("publisher", "run", "replay", "open_parts"):
        for node in ast.walk(ast.parse((PROJECT / "app" / "turns" / f"{name}.py").read_text())):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
            ):
                continue
            holder = ast.unparse(node.func.value)
            kind = node.args[0]
            if (
                holder.endswith("log")
                and node.func.attr in ("append", "extend")
                and isinstance(kind, ast.Constant)
            ):
                yield kind.value
    yield from ("end", "heartbeat")


def test_the_events_told_are_those_that_the_code_writes() -> None:
    told = [each.type for each in EVENT_KINDS]
    assert len(told) == len(set(told))
    assert set(told) == set(logged())
