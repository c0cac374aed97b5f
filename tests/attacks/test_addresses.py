"""Who is counted as whom: nobody passes a limit by what they write about themselves."""

from __future__ import annotations

import aiohttp
import pytest
from starlette.requests import Request

from app.turns.visitors import visitor_address, visitor_of
from tests.site import Client, serving


def asked(*forwarded: str, peer: str = "10.16.4.9") -> Request:
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    return Request({"type": "http", "client": (peer, 5), "headers": headers})


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ((), "10.16.4.9"),
        (("5.6.7.8",), "5.6.7.8"),
        (("9.9.9.9, 5.6.7.8",), "5.6.7.8"),
        (("9.9.9.9, 5.6.7.8, 10.0.0.7, 10.0.0.8",), "5.6.7.8"),
        (("9.9.9.9", "5.6.7.8"), "5.6.7.8"),  # two headers are one list (RFC 9110, 5.3)
        (("9.9.9.9, nonsense, 5.6.7.8:4431",), "5.6.7.8"),
        (("9.9.9.9, nonsense",), "10.16.4.9"),
        (("::ffff:5.6.7.8",), "5.6.7.8"),
        (("[2a01:4f8:1:2:3:4:5:6]:443",), "2a01:4f8:1:2::/64"),
        (("2a01:4f8:1:2:ffff::1",), "2a01:4f8:1:2::/64"),
    ],
)
def test_behind_the_proxy_of_a_space_its_own_hop_counts(
    monkeypatch: pytest.MonkeyPatch, forwarded: tuple[str, ...], address: str
) -> None:
    monkeypatch.setenv("SPACE_ID", "test/space")
    assert visitor_address(asked(*forwarded)) == address


def test_without_a_space_nobodys_word_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert visitor_of(asked("5.6.7.8", peer="192.0.2.1")) == "192.0.2.1"


async def test_a_forged_address_or_a_fresh_token_starts_no_new_minute(
    session: aiohttp.ClientSession,
) -> None:
    async with serving(public=True, visitor_turns_per_minute=2) as base:
        statuses = []
        for n in range(4):
            headers = {
                "X-Owner": Client(session, base).token,
                "X-Forwarded-For": f"9.9.9.{n}",
                "X-Real-IP": f"9.9.9.{n}",
                "Forwarded": f"for=9.9.9.{n}",
            }
            async with session.post(
                f"{base}/api/chats/chat-number-{n}/turns", json={"text": "Hi"}, headers=headers
            ) as response:
                statuses.append(response.status)
        assert statuses[2:] == [429, 429]
