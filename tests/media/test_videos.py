from __future__ import annotations

import contextlib
import io

import av
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.media import MediaRefused, VideoLimits
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


def refusal(data: bytes, limits: VideoLimits = LIMITS) -> str:
    with pytest.raises(MediaRefused) as refused:
        prepare_video(data, "x.mp4", limits)
    return str(refused.value)


@pytest.mark.parametrize("codec", ["libx264", "libx265", "libvpx-vp9", "libsvtav1"])
def test_a_clip_is_copied_frame_by_frame(codec):
    media = prepare_video(clip(128, 96, codec=codec), "quarters.mp4", LIMITS)
    attachment = media.attachment
    assert colours(first_frame(media)) == QUARTERS
    assert (attachment.kind, attachment.mime) == ("video", "video/mp4")
    assert (attachment.width, attachment.height, attachment.seconds) == (128, 96, 2.0)
    assert attachment.size == len(media.data)
    assert media.notes == ()
    with av.open(io.BytesIO(media.data)) as container:
        stream = container.streams.video[0]
        assert stream.frames == 20
        assert (
            stream.codec_context.codec.canonical_name
            == {
                "libx264": "h264",
                "libx265": "hevc",
                "libvpx-vp9": "vp9",
                "libsvtav1": "av1",
            }[codec]
        )


@pytest.mark.parametrize("codec", ["mpeg4", "mjpeg"])
def test_another_codec_becomes_h264(codec):
    media = prepare_video(clip(codec=codec), "", LIMITS)
    assert colours(first_frame(media)) == QUARTERS
    with av.open(io.BytesIO(media.data)) as container:
        assert container.streams.video[0].codec_context.name == "h264"
        assert sum(1 for _ in container.decode(video=0)) == 20


def test_tokens_are_those_of_two_frames_a_second():
    assert prepare_video(clip(640, 480, frames=100), "", LIMITS).tokens == 5 * 2 // 2 * 2 * 414


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ((0, 1, -1, 0), ("blue", "red", "white", "green")),
        ((-1, 0, 0, -1), ("white", "blue", "green", "red")),
        ((0, -1, 1, 0), ("green", "white", "red", "blue")),
        ((-1, 0, 0, 1), ("green", "red", "white", "blue")),
        ((1, 0, 0, -1), ("blue", "white", "red", "green")),
        ((0, 1, 1, 0), ("red", "blue", "green", "white")),
        ((0, -1, -1, 0), ("white", "green", "blue", "red")),
    ],
)
def test_every_display_matrix_is_turned_upright(matrix, expected):
    media = prepare_video(displayed_by(clip(), *matrix), "", LIMITS)
    frame = first_frame(media)
    upright = (48, 64) if matrix[0] == 0 else (64, 48)
    assert colours(frame) == expected
    assert frame.size == upright
    assert (media.attachment.width, media.attachment.height) == upright
    assert media.attachment.seconds == 2.0


def test_metadata_and_sound_are_dropped_and_the_sound_is_said():
    tags = {"title": "where I live", "artist": "me", "location": "+48.85+002.35/"}
    data = clip(metadata=tags, sound=True)
    assert b"where I live" in data
    media = prepare_video(data, "", LIMITS)
    assert b"where I live" not in media.data
    assert b"+48.85" not in media.data
    assert b"Lavf" not in media.data
    with av.open(io.BytesIO(media.data)) as container:
        assert [stream.type for stream in container.streams] == ["video"]
        assert container.metadata.keys() == {"major_brand", "minor_version", "compatible_brands"}
        assert container.streams.video[0].metadata == {
            "language": "und",
            "handler_name": "VideoHandler",
        }
    assert media.notes == ("Its sound is left out: the model does not hear.",)


def test_the_index_comes_first_so_that_it_plays_while_it_loads():
    for data in (clip(), displayed_by(clip(), 0, 1, -1, 0)):
        sent = prepare_video(data, "", LIMITS).data
        assert sent.index(b"moov") < sent.index(b"mdat")


@pytest.mark.parametrize("matrix", [(1, 0, 0, 1), (0, 1, -1, 0)])
def test_the_same_file_gives_the_same_bytes(matrix):
    data = displayed_by(clip(), *matrix)
    assert prepare_video(data, "a", LIMITS).data == prepare_video(data, "b", LIMITS).data


def test_frames_above_the_pixel_budget_are_shrunk_and_this_is_said():
    media = prepare_video(clip(640, 480), "", VideoLimits(max_pixels=100_000))
    assert first_frame(media).size == (364, 272)
    assert (media.attachment.width, media.attachment.height) == (364, 272)
    assert media.notes == ("It was shrunk from 640 x 480 to 364 x 272 pixels.",)


def test_odd_sides_are_made_even_where_h264_needs_it_and_nothing_is_said():
    data = displayed_by(clip(128, 96, codec="libvpx-vp9"), 0, 1, -1, 0)
    assert prepare_video(data, "", LIMITS).notes == ()
    odd = prepare_video(displayed_by(clip(65, 49, codec="mpeg4"), 0, 1, -1, 0), "", LIMITS)
    assert first_frame(odd).size == (48, 64)
    assert odd.notes == ()


def test_what_is_encoded_anyway_fits_the_bytes():
    data = clip(640, 480, codec="mjpeg")
    media = prepare_video(data, "", VideoLimits(max_bytes=len(data) // 3))
    assert len(media.data) <= len(data) // 3
    assert colours(first_frame(media)) == QUARTERS


def test_what_cannot_be_made_small_enough_is_refused():
    assert refusal(clip(codec="mpeg4"), VideoLimits(max_bytes=500)) == (
        "“x.mp4” has 0.00203 MB even when shrunk, and at most 0.0005 MB can be sent: trim it."
    )


def test_work_without_end_is_refused():
    limits = VideoLimits(max_encoding_pixels=35_000)
    assert prepare_video(clip(), "", limits).attachment.width == 64  # copying is no such work
    assert refusal(displayed_by(clip(), 0, 1, -1, 0), limits) == (
        "“x.mp4” must be converted to be sent, and of 64 x 48 pixels at most 1.1 s can be "
        "converted here, not 2 s: trim it, or convert it to a smaller mp4 (H.264)."
    )


def test_a_clip_too_long_is_refused_with_the_figures():
    assert refusal(clip(frames=75, rate=1), VideoLimits(max_seconds=60)) == (
        "“x.mp4” lasts 1 min 15 s, and at most 1 min can be sent: trim it."
    )


def test_a_length_that_the_header_hides_is_measured():
    data = clip(frames=75, rate=1)
    at = data.index(b"mdhd") + 4 + 4 + 8 + 4
    short = data[:at] + (1).to_bytes(4, "big") + data[at + 4 :]
    assert "lasts 1 min 15 s" in refusal(short, VideoLimits(max_seconds=60))


def test_too_many_frames_are_refused():
    assert refusal(clip(frames=40), VideoLimits(max_frames=30)) == (
        "“x.mp4” has 40 frames, and at most 30 can be sent: trim it, or lower its frame rate."
    )


def test_frames_too_large_are_refused_before_they_are_decoded():
    assert refusal(clip(640, 480), VideoLimits(max_decoded_pixels=300_000)) == (
        "“x.mp4” has 640 x 480 pixels a frame, and at most 0.3 million can be opened here: "
        "shrink it."
    )


def test_a_frame_that_grows_later_is_not_decoded():
    """Two clips as one: its header speaks of the small frames that it begins with."""
    small, large = clip(64, 48, codec="mjpeg"), clip(640, 480, codec="mjpeg")
    out = io.BytesIO()
    with (
        av.open(io.BytesIO(small)) as first,
        av.open(io.BytesIO(large)) as second,
        av.open(out, "w", format="mp4") as both,
    ):
        target = both.add_stream_from_template(first.streams.video[0], opaque=True)
        for number, source in enumerate((first, second)):
            for packet in source.demux(source.streams.video[0]):
                if packet.dts is not None:
                    ticks = round(number * 2 / packet.time_base)
                    packet.pts, packet.dts = packet.pts + ticks, packet.dts + ticks
                    packet.stream = target
                    both.mux(packet)
    limits = VideoLimits(max_decoded_pixels=100_000)
    assert "is damaged and cannot be opened" in refusal(out.getvalue(), limits)
    assert prepare_video(out.getvalue(), "", LIMITS).attachment.width == 64


@pytest.mark.parametrize("container", ["mp4", "mov", "matroska"])
def test_a_single_frame_is_refused_as_a_clip(container):
    assert refusal(clip(frames=1, rate=1, container=container)) == (
        "“x.mp4” holds a single frame and no movement: attach it as a picture, such as JPEG or PNG."
    )


def test_less_than_half_a_second_is_refused():
    assert refusal(clip(frames=4)) == (
        "“x.mp4” is shorter than half a second, and the model would see no frame of it: attach a "
        "longer clip, or a picture."
    )


def test_half_a_second_is_enough():
    assert prepare_video(clip(frames=5), "", LIMITS).attachment.seconds == 0.5


def test_sound_alone_is_refused():
    assert refusal(sound_only()) == (
        "“x.mp4” holds sound and no picture, and the model does not hear: attach a clip with a "
        "picture."
    )


@pytest.mark.parametrize("keep", [0.99, 0.5, 0.02])
def test_a_cut_clip_is_said_to_be_incomplete_wherever_its_index_is(keep):
    index_last = clip()
    index_first = prepare_video(index_last, "", LIMITS).data
    for whole in (index_last, index_first):
        assert refusal(whole[: int(len(whole) * keep)]) == (
            "“x.mp4” is incomplete, its end is missing: save or download it again."
        )


def test_what_only_begins_as_a_clip_is_said_to_be_damaged():
    expected = "“x.mp4” is damaged and cannot be opened as a clip: export it again as mp4 (H.264)."
    assert refusal(clip()[:32] + b"\0\0\0\4" * 100) == expected
    whole = clip()
    at, end = whole.index(b"mdat") + 4, whole.index(b"moov") - 4
    assert refusal(whole[:at] + bytes(end - at) + whole[end:]) == expected


@settings(deadline=None, max_examples=60)
@given(at=st.integers(0, 5000), noise=st.binary(min_size=1, max_size=8), turned=st.booleans())
def test_no_broken_clip_does_worse_than_a_refusal(at, noise, turned):
    whole = displayed_by(SMALL, 0, 1, -1, 0) if turned else SMALL
    start = at % len(whole)
    # A size of which there is too little memory is one more way to be broken: `work` refuses it.
    with contextlib.suppress(MediaRefused, MemoryError):
        media = prepare_video(whole[:start] + noise + whole[start + len(noise) :], "x", LIMITS)
        assert first_frame(media).size == (media.attachment.width, media.attachment.height)


SMALL = clip(sound=True, frames=8)
