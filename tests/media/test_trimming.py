"""A part of a clip: exact where it can be, honest where it cannot, refused outside."""

from __future__ import annotations

import io
import weakref
from fractions import Fraction

import av
import pytest

from app.media import ClipWish, MediaRefused, VideoLimits
from app.media.clip import Span
from app.media.cutting import cut
from tests.media.samples import clip, displayed_by, numbered, numbers, prepare_video

LIMITS = VideoLimits()


def refused(data: bytes, limits: VideoLimits = LIMITS, wish: ClipWish | None = None):
    with pytest.raises(MediaRefused) as refusal:
        prepare_video(data, "x.mp4", limits, wish or ClipWish())
    return refusal.value


def is_copied(media, data: bytes) -> bool:
    """Whether the first packet is one of the file's own."""
    with av.open(io.BytesIO(media.data)) as sent, av.open(io.BytesIO(data)) as original:
        first = bytes(next(sent.demux(video=0)))
        return first in {bytes(packet) for packet in original.demux(video=0)}


@pytest.mark.parametrize(
    ("codec", "container"),
    [
        ("libx264", "mp4"),
        ("libx264", "mov"),
        ("libx264", "matroska"),
        ("libx265", "mp4"),
        ("libx265", "matroska"),
        ("libvpx-vp9", "mp4"),
        ("libvpx-vp9", "webm"),
    ],
)
def test_a_part_from_a_key_frame_on_is_copied(codec, container):
    data = numbered(codec=codec, container=container)
    media = prepare_video(data, "x", LIMITS, ClipWish(1.0, 2.5))
    assert numbers(media) == list(range(10, 25))
    assert media.attachment.seconds == pytest.approx(1.5, abs=0.01)
    assert is_copied(media, data)


@pytest.mark.parametrize("container", ["mp4", "matroska"])
@pytest.mark.parametrize("reordered", [False, True])
def test_a_part_that_begins_between_key_frames_is_exact(reordered, container):
    data = numbered(reordered=reordered, container=container)
    media = prepare_video(data, "x", LIMITS, ClipWish(1.3, 2.6))
    assert numbers(media) == list(range(13, 26))
    assert media.attachment.seconds == pytest.approx(1.3, abs=0.01)
    assert media.notes == ("Only a part of it is sent: 1.3 s, from 1.3 s on.",)


def test_the_first_frame_is_the_one_that_is_seen_there():
    media = prepare_video(numbered(), "x", LIMITS, ClipWish(1.37, 2.0))
    assert numbers(media) == list(range(13, 20))


@pytest.mark.parametrize("container", ["mp4", "matroska"])
def test_frames_that_the_last_ones_are_made_from_come_along(container):
    data = numbered(reordered=True, container=container)
    for end_s in (1.2, 1.3, 1.4, 1.7):
        media = prepare_video(data, "x", LIMITS, ClipWish(0, end_s))
        assert is_copied(media, data)
        sent = numbers(media)
        assert sent == list(range(len(sent)))
        assert round(end_s * 10) <= len(sent) <= round(end_s * 10) + 3
        assert media.attachment.seconds == pytest.approx(len(sent) / 10, abs=0.01)


def test_the_figures_are_those_of_the_part():
    data = clip(640, 480, frames=100)
    whole, part = (prepare_video(data, "x", LIMITS, wish) for wish in (ClipWish(), ClipWish(0, 5)))
    assert (whole.tokens, part.tokens) == (4140, 2070)
    assert part.attachment.size == len(part.data) < whole.attachment.size


def test_a_part_to_the_end_needs_no_end():
    assert numbers(prepare_video(numbered(), "x", LIMITS, ClipWish(3.0))) == list(range(30, 40))
    assert numbers(prepare_video(numbered(), "x", LIMITS, ClipWish(3.0, 4.3)))[-1] == 39


def test_a_part_of_what_lies_on_its_side_is_turned_upright():
    lying = displayed_by(numbered(), 0, 1, -1, 0)
    media = prepare_video(lying, "x", LIMITS, ClipWish(1.0, 2.0))
    assert (media.attachment.width, media.attachment.height) == (48, 64)
    assert numbers(media) == list(range(10, 20))


def test_what_is_too_much_to_encode_begins_at_the_key_frame_and_says_so():
    limits = VideoLimits(max_encoding_pixels=10_000)
    media = prepare_video(numbered(), "x", limits, ClipWish(1.5))
    assert numbers(media) == list(range(10, 40))
    assert media.notes == (
        "Only a part of it is sent: 3 s, from 1 s on.",
        "It begins 0.5 s earlier than asked for, since it is too large to be cut exactly.",
    )


@pytest.mark.parametrize(
    "wish", [ClipWish(4.0), ClipWish(5.0, 6.0), ClipWish(2.0, 2.0), ClipWish(2, 1), ClipWish(0, 60)]
)
def test_a_part_outside_the_clip_is_refused_with_its_length(wish):
    assert str(refused(numbered(), wish=wish)) == (
        "“x.mp4” lasts 4 s, and the part chosen does not lie within it: choose another beginning "
        "or end."
    )


def test_a_part_that_shows_the_model_nothing_is_refused():
    for end_s in (1.05, 1.3):
        assert "is shorter than half a second" in str(refused(numbered(), wish=ClipWish(1, end_s)))


def test_a_clip_too_long_offers_to_be_trimmed_and_then_goes():
    limits = VideoLimits(max_seconds=2)
    refusal = refused(numbered(), limits)
    assert refusal.sentence.key == "too_long"
    facts = refusal.facts
    assert facts is not None
    assert (facts.seconds, facts.most_seconds, facts.offers) == (4.0, 2.0, ("trim",))
    assert (facts.frames, facts.width, facts.height) == (40, 64, 48)
    assert (facts.tokens, facts.tokens_a_second) == (24, 6)
    media = prepare_video(numbered(), "x", limits, ClipWish(2, 2 + facts.most_seconds))
    assert numbers(media) == list(range(20, 40))


def test_too_many_bytes_offer_both_and_either_mends_them():
    data = numbered(width=640, height=480, grain=3)
    limits = VideoLimits(max_bytes=len(data) * 2 // 3)
    refusal = refused(data, limits)
    assert refusal.sentence.key == "too_many_bytes"
    assert refusal.facts is not None
    assert refusal.facts.offers == ("trim", "shrink")
    most = refusal.facts.most_seconds
    assert 2 < most < 4
    assert len(prepare_video(data, "x", limits, ClipWish(0, most - 0.5)).data) <= limits.max_bytes
    shrunk = prepare_video(data, "x", limits, ClipWish(shrink=True))
    assert len(shrunk.data) <= limits.max_bytes
    assert shrunk.attachment.seconds == 4.0


def test_work_without_end_names_the_part_that_could_be_done():
    limits = VideoLimits(max_encoding_pixels=64 * 48 * 20)
    lying = displayed_by(numbered(), 0, 1, -1, 0)
    refusal = refused(lying, limits)
    assert refusal.facts is not None
    assert (refusal.sentence.key, refusal.facts.most_seconds) == ("too_much_work", 2.0)
    for start in (0.0, 1.33, 1.95):
        media = prepare_video(lying, "x", limits, ClipWish(start, start + 2.0))
        assert media.attachment.seconds == pytest.approx(2.0, abs=0.11)


def test_the_time_stamps_of_a_part_begin_at_nothing():
    for wish in (ClipWish(1.0, 2.0), ClipWish(1.3, 2.0)):
        media = prepare_video(numbered(), "x", LIMITS, wish)
        with av.open(io.BytesIO(media.data)) as container:
            times = [frame.time for frame in container.decode(video=0)]
        assert times[0] == pytest.approx(0, abs=0.001)
        assert times[1] - times[0] == pytest.approx(Fraction(1, 10), abs=0.001)


def test_packets_are_let_go_as_they_are_looked_at():
    """A clip may have hundreds of megabytes after the part."""
    living: weakref.WeakSet[Packet] = weakref.WeakSet()
    most = 0

    def packets():
        nonlocal most
        for number in range(500):
            packet = Packet(number)
            living.add(packet)
            most = max(most, len(living))
            yield packet

    part = cut(packets(), Span(0, 500.0, 500), 100, 200, Fraction(1))
    assert part is not None
    assert (part.asked.start, part.asked.frames, part.packets) == (100, 100, 100)
    assert most < 5


class Packet:
    """A key frame of a second, as libav would give it."""

    duration, size, is_keyframe, is_discard = 1, 10, True, False

    def __init__(self, pts: int) -> None:
        self.pts = pts
