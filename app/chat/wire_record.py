"""The bytes of an answer with their times, packed as they come."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

_HEAD: Final = struct.Struct("<dI")
_MOST_BYTES: Final = 4_000_000
"""Packed; an answer of 131,072 tokens, one a chunk, takes about half of it."""

_MOST_READS: Final = 300_000
"""More would take seconds to unpack, however few bytes they are."""


@dataclass(frozen=True, slots=True)
class Read:
    """Bytes of an answer that came in one piece, and their second since the request was sent."""

    at_s: float
    data: bytes


class WireRecorder:
    """Takes the reads of one answer; a long one is kept up to 4 MB of packed bytes, 300,000 reads.

    Packed while they come, since the chunks of a long answer would fill some 50 MB.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self.is_cut = False
        self._most_bytes = most_bytes
        self._reads = 0
        self._packer = zlib.compressobj(level=1)
        self._packed = bytearray()

    def take(self, at_s: float, data: bytes) -> None:
        """Adds what came in one piece; `at_s` is its second since the request was sent."""
        if self.is_cut:
            return
        if len(self._packed) > self._most_bytes or self._reads == _MOST_READS:
            self.is_cut = True
            return
        self._reads += 1
        self._packed += self._packer.compress(_HEAD.pack(at_s, len(data)) + data)

    def packed(self) -> bytes:
        """All of it; nothing more can be taken then."""
        self._packed += self._packer.flush()
        return bytes(self._packed)


def unpacked(packed: bytes) -> tuple[Read, ...]:
    """The reads in what `WireRecorder` packed."""
    data = zlib.decompress(packed)
    reads: list[Read] = []
    at = 0
    while at < len(data):
        at_s, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        reads.append(Read(at_s, data[at : at + length]))
        at += length
    return tuple(reads)
