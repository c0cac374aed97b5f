"""Where a clip is cut, by what its packets say: which frames, and which packets those need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from app.media.clip import Part, Span


def cut(
    packets: Iterable[Any], whole: Span, begin: int, stop: int, time_base: Fraction
) -> Part | None:
    """The part that is seen from the time stamp `begin` on, before `stop`; None where nothing is.

    Its first frame is the one that is seen at `begin`. What can be copied are packets in order of
    decoding: from the last key frame up to there on, and up to the last packet of the part, with
    the frames from `stop` on that come in between since others are made from them, and what is
    seen before those.
    """
    usual = max(1, round(whole.seconds / whole.frames / time_base))
    asked, first = _Frames(usual), _Frames(usual)
    # What is copied so far, and what came since: that counts when another of the part follows.
    key, copied, later = whole.start, _Frames(usual), _Frames(usual)
    for packet in packets:
        if packet.pts is None:
            continue
        if packet.pts <= begin:
            if not packet.is_discard and (not first.seen or packet.pts > first.start):
                first = _Frames(usual)
                first.add(packet)
            if packet.is_keyframe and begin > whole.start:
                key, copied, later = packet.pts, _Frames(usual), _Frames(usual)
        later.add(packet, is_seen=packet.pts >= key)
        if packet.pts >= max(stop, copied.end):
            continue
        if begin < packet.pts < stop:
            asked.add(packet)
        copied.join(later)
        later = _Frames(usual)
    if not first.seen:
        return None
    asked.join(first)
    return Part(
        asked.span(time_base),
        copied.span(time_base),
        stop,
        packets=copied.packets,
        size=copied.size,
    )


def taken(packets: Iterable[Any], part: Part, whole: Span) -> Iterator[Any]:
    """The packets of the part that `cut` has found, in order of decoding.

    Those that are seen before the key frame but decoded after it lack what they are made from.
    """
    start, left = part.copied.start, part.packets
    is_within = start == whole.start
    for packet in packets:
        if packet.pts is None:  # the empty one that ends a track
            continue
        is_within = is_within or (packet.is_keyframe and packet.pts == start)
        if not is_within:
            continue
        if left == 0:
            return
        left -= 1
        if packet.pts >= start or start == whole.start:
            yield packet


class _Frames:
    """Packets met so far, in any order: from when to when their frames are seen, and their bytes.

    A frame that does not say how long it stays is taken to stay as long as is `usual`.
    """

    def __init__(self, usual: int) -> None:
        self._usual = usual
        self.start = 0
        self.end = 0
        self.seen = 0
        self.packets = 0
        self.size = 0

    def add(self, packet: Any, *, is_seen: bool = True) -> None:
        """Counts one more; of one that is not seen only its bytes."""
        self.packets += 1
        self.size += packet.size
        if is_seen:
            self._see(packet.pts, packet.pts + (packet.duration or self._usual), 1)

    def join(self, other: _Frames) -> None:
        """Adds those of another."""
        self.packets += other.packets
        self.size += other.size
        if other.seen:
            self._see(other.start, other.end, other.seen)

    def _see(self, start: int, end: int, frames: int) -> None:
        self.start = min(self.start, start) if self.seen else start
        self.end = max(self.end, end) if self.seen else end
        self.seen += frames

    def span(self, time_base: Fraction) -> Span:
        """When they are seen, as a value."""
        return Span(self.start, float((self.end - self.start) * time_base), self.seen)
