"""Bodies of HTTP answers, read up to a size: a server that sends more has gone wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import httpx2

MOST_BYTES: Final = 16 * 1024 * 1024
"""Far above any answer that is asked for here."""


class BodyTooLargeError(ValueError):
    """A body passed the size allowed; what is left of it was not read."""

    def __init__(self) -> None:
        super().__init__(f"the answer is larger than {MOST_BYTES:,} bytes")


async def pieces_of(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body of a response that is still coming, in pieces. Raises BodyTooLargeError."""
    size = 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > MOST_BYTES:
            raise BodyTooLargeError
        yield piece


async def whole_of(response: httpx2.Response) -> bytes:
    """The same in one piece."""
    return b"".join([piece async for piece in pieces_of(response)])
