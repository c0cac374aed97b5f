"""Who asks: the owner of chats by a token, the visitor by an address; and how often they may."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Annotated, TypeAlias

from fastapi import Depends, Header, Path
from starlette.requests import Request

from app.turns.account import signed_in
from app.turns.errors import Refusal

_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,128}")
_MOST_VISITORS = 10_000


async def token_owner(
    x_owner: str = Header("", description="The browser's own random token."),
) -> str:
    """The owner that a browser's token stands for. Raises Refusal 401 without a good token."""
    if not _TOKEN.fullmatch(x_owner):
        raise Refusal(
            401,
            "no_owner",
            "The request names no owner.",
            "Send the header X-Owner with a random token of at least 22 letters and digits.",
        )
    return owner_of(x_owner)


async def owner(request: Request, browser: Annotated[str, Depends(token_owner)]) -> str:
    """The owner that a request speaks for: who has signed in, else the browser's token.

    The token's header is asked of everybody: no page of another site can send it, while a cookie
    would come along by itself. Raises Refusal 401 without it.
    """
    user = signed_in(request)
    return browser if user is None else owner_of(f"user:{user.id}")


Owner: TypeAlias = Annotated[str, Depends(owner)]
"""The owner that a request speaks for, as a parameter of a route."""

ChatId: TypeAlias = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9_-]{8,64}$", description="Made at random by who begins the chat."),
]
OwnId: TypeAlias = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


def owner_of(token: str) -> str:
    """The name under which an owner's things are kept: not the token, which stays secret."""
    return hashlib.sha256(token.encode()).hexdigest()


def visitor_of(request: Request) -> str:
    """Whom a public server's limits count: who has signed in, else the address that asks."""
    user = signed_in(request)
    return f"user:{user.id}" if user else visitor_address(request)


def visitor_address(request: Request) -> str:
    """The address of who asks; of IPv6 the network of 64 bits, which is one visitor's as a whole.

    A proxy's word for it is taken on a Space only, where one stands. Each proxy adds who asked it
    at the right end; those of the Space have private addresses, and what stands left of the first
    public one is whatever the visitor wrote.
    """
    peer = request.client.host if request.client else "unknown"
    if "SPACE_ID" not in os.environ:
        return _network(peer) or peer
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    nearest = peer
    for hop in reversed(hops):
        address = _parsed(hop)
        if address is None:
            break
        nearest = str(address)
        if address.is_global:
            break
    return _network(nearest) or nearest


def _network(text: str) -> str | None:
    address = _parsed(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address) if address else None


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a text is, with or without a port; IPv4 written as IPv6 is IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


class RateLimit:
    """So many a minute for each visitor; the visitors that rested longest are forgotten."""

    def __init__(
        self, per_minute: int, what: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_minute = per_minute
        self._what = what
        self._clock = clock
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, visitor: str) -> None:
        """Counts one. Raises Refusal 429 where the visitor has had the minute's share."""
        now = self._clock()
        times = self._times.setdefault(visitor, deque())
        self._times.move_to_end(visitor)
        while times and times[0] <= now - 60:
            times.popleft()
        if len(times) >= self._per_minute:
            wait = max(1, round(60 - (now - times[0])))
            raise Refusal(
                429,
                "too_many_requests",
                f"That is more than {self._per_minute} {self._what} in a minute.",
                f"Wait {wait} s, then try again.",
                retry_after_s=wait,
            )
        times.append(now)
        while len(self._times) > _MOST_VISITORS:
            self._times.popitem(last=False)
