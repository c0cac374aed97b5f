"""Clips in containers other than mp4: QuickTime, Matroska and WebM."""

from __future__ import annotations

import contextlib
import io

import av
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.media import MediaRefused, PreparedMedia, VideoLimits
from tests.media.samples import (
    QUARTERS,
    clip,
    colours,
    displayed_by,
    first_frame,
    prepare_video,
    sound_only,
)

LIMITS = VideoLimits()

LIVE = {"live": "1"}
"""How a browser records: sizes and length are unknown when they are written."""


def refusal(data: bytes, limits: VideoLimits = LIMITS) -> str:
    with pytest.raises(MediaRefused) as refused:
        prepare_video(data, "x", limits)
    return str(refused.value)


def sent(media: PreparedMedia) -> tuple[str, list[float]]:
    """The codec of what is sent, and when its frames are shown, in seconds."""
    with av.open(io.BytesIO(media.data), format="mp4") as container:
        stream = container.streams.video[0]
        times = [float(frame.pts * frame.time_base) for frame in container.decode(stream)]
        return stream.codec_context.codec.canonical_name, times


@pytest.mark.parametrize(
    ("container", "codec", "becomes"),
    [
        ("mov", "libx264", "h264"),
        ("mov", "libx265", "hevc"),
        ("mov", "prores_ks", "h264"),
        ("matroska", "libx264", "h264"),
        ("matroska", "libx265", "hevc"),
        ("matroska", "mpeg4", "h264"),
        ("webm", "libvpx", "h264"),
        ("webm", "libvpx-vp9", "vp9"),
        ("webm", "libsvtav1", "av1"),
    ],
)
def test_each_container_becomes_an_mp4_with_all_its_frames(container, codec, becomes):
    media = prepare_video(clip(128, 96, codec=codec, container=container), "x", LIMITS)
    assert (media.attachment.mime, media.notes) == ("video/mp4", ())
    assert media.attachment.seconds == 2.0
    assert colours(first_frame(media)) == QUARTERS
    name, times = sent(media)
    assert name == becomes
    assert times == pytest.approx([number / 10 for number in range(20)])


@pytest.mark.parametrize("codec", ["libx264", "libvpx", "libvpx-vp9"])
def test_what_a_browser_recorded_is_taken_though_its_length_is_unknown(codec):
    container = "matroska" if codec == "libx264" else "webm"
    media = prepare_video(clip(codec=codec, container=container, options=LIVE), "x", LIMITS)
    assert media.attachment.seconds == 2.0
    assert len(sent(media)[1]) == 20


def test_a_quicktime_film_is_turned_upright():
    media = prepare_video(displayed_by(clip(container="mov"), 0, 1, -1, 0), "x", LIMITS)
    assert (media.attachment.width, media.attachment.height) == (48, 64)
    assert colours(first_frame(media)) == ("blue", "red", "white", "green")


def test_an_old_quicktime_film_without_a_brand_is_known():
    data = clip(container="mov")
    assert data[4:8] == b"ftyp"
    head = int.from_bytes(data[:4], "big")
    at = data.index(b"stco") + 12  # where the first chunk lies, which moves with what is taken away
    chunk = int.from_bytes(data[at : at + 4], "big") - head
    old = data[head:at] + chunk.to_bytes(4, "big") + data[at + 4 :]
    media = prepare_video(old, "x", LIMITS)
    assert colours(first_frame(media)) == QUARTERS


@pytest.mark.parametrize("container", ["mov", "matroska", "webm"])
def test_sound_is_left_out_and_metadata_with_it(container):
    codec = "libvpx-vp9" if container == "webm" else "libx264"
    tags = {"title": "where I live"}
    data = clip(codec=codec, container=container, sound=True, metadata=tags)
    assert b"where I live" in data
    media = prepare_video(data, "x", LIMITS)
    assert b"where I live" not in media.data
    assert media.notes == ("Its sound is left out: the model does not hear.",)


@pytest.mark.parametrize("container", ["ipod", "mov", "matroska", "webm"])
def test_sound_alone_is_refused_in_each_container(container):
    assert refusal(sound_only(container)) == (
        "“x” holds sound and no picture, and the model does not hear: attach a clip with a picture."
    )


@pytest.mark.parametrize("keep", [0.99, 0.5, 0.1])
@pytest.mark.parametrize("container", ["mov", "matroska", "webm"])
def test_a_cut_clip_is_said_to_be_incomplete(container, keep):
    codec = "libvpx-vp9" if container == "webm" else "libx264"
    whole = clip(codec=codec, container=container)
    assert refusal(whole[: int(len(whole) * keep)]) == (
        "“x” is incomplete, its end is missing: save or download it again."
    )


def test_limits_hold_where_no_header_tells_the_length():
    data = clip(frames=75, rate=1, codec="libvpx", container="webm", options=LIVE)
    assert refusal(data, VideoLimits(max_seconds=60)) == (
        "“x” lasts 1 min 15 s, and at most 1 min can be sent: trim it."
    )


def test_a_container_that_names_other_files_is_not_opened():
    assert "is damaged" in refusal(b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    assert "is damaged" in refusal(b"ffconcat version 1.0\nfile /etc/passwd\n")


WEBM = clip(codec="libvpx-vp9", container="webm", sound=True, frames=8)


@settings(deadline=None, max_examples=40)
@given(at=st.integers(0, 5000), noise=st.binary(min_size=1, max_size=8))
def test_no_broken_webm_does_worse_than_a_refusal(at, noise):
    start = at % len(WEBM)
    with contextlib.suppress(MediaRefused):
        prepare_video(WEBM[:start] + noise + WEBM[start + len(noise) :], "x", LIMITS)
