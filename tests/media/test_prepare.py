from __future__ import annotations

import asyncio

import pytest

from app.media import ClipWish, MediaLimits, MediaRefused, VideoLimits, prepare
from tests.media.samples import clip, displayed_by, encoded, numbered, quarters

LIMITS = MediaLimits()
LYING = displayed_by(clip(640, 480, frames=60, rate=30), 0, 1, -1, 0)
"""A clip that has to be encoded."""


async def refusal(data: bytes, name: str, limits: MediaLimits = LIMITS) -> str:
    with pytest.raises(MediaRefused) as refused:
        await prepare(data, name, limits)
    return str(refused.value)


async def test_content_decides_and_not_the_name():
    picture = await prepare(encoded(quarters(), "PNG"), "film.mp4", LIMITS)
    assert (picture.attachment.kind, picture.attachment.mime) == ("image", "image/png")
    assert picture.attachment.name == "film.mp4"
    film = await prepare(clip(), "photograph.jpg", LIMITS)
    assert (film.attachment.kind, film.attachment.mime) == ("video", "video/mp4")


async def test_each_limit_reaches_its_kind():
    limits = MediaLimits(video=VideoLimits(max_seconds=1))
    assert "lasts 2 s, and at most 1 s" in await refusal(clip(), "x.mp4", limits)


async def test_an_empty_file_is_refused():
    assert await refusal(b"", "cat.png") == "“cat.png” is empty: choose the file again."


async def test_too_many_bytes_are_refused():
    picture = encoded(quarters(), "PNG")
    assert await refusal(picture, "cat.png", MediaLimits(max_bytes=100)) == (
        f"“cat.png” has {len(picture) / 1e6:.3g} MB, and at most 0.0001 MB can be attached: shrink "
        "or trim it."
    )


async def test_other_kinds_are_refused_by_name_where_they_are_plain():
    assert await refusal(b"%PDF-1.7\n", "notes.pdf") == (
        "“notes.pdf” is a PDF document, which cannot be sent: use JPEG, PNG, WebP, GIF, HEIC, "
        "AVIF, TIFF or BMP, or for a clip mp4, mov, webm or mkv."
    )
    assert await refusal(b"Dear all,", "notes.png") == (
        "“notes.png” is neither a picture nor a clip that can be sent: use JPEG, PNG, WebP, GIF, "
        "HEIC, AVIF, TIFF or BMP, or for a clip mp4, mov, webm or mkv."
    )


async def test_a_name_is_spoken_without_what_would_break_the_sentence():
    assert (await refusal(b"", "")).startswith("The file is empty")
    assert (await refusal(b"", "a\nb\u202e.png")).startswith("“ab.png” is empty")
    long = await refusal(b"", "a" * 200 + ".png")
    assert long.startswith("“aaaa")
    assert ".png” is empty" in long
    assert len(long) < 100


async def test_many_at_once_all_come_through():
    sizes = range(20, 60, 4)
    pictures = [encoded(quarters(size, size), "PNG") for size in sizes]
    prepared = await asyncio.gather(*(prepare(data, "", LIMITS) for data in pictures))
    assert [media.attachment.width for media in prepared] == list(sizes)


async def test_a_file_on_disk_is_prepared_where_it_lies(tmp_path):
    path = tmp_path / "film"
    path.write_bytes(numbered())
    media = await prepare(path, "x", LIMITS, wish=ClipWish(1, 2))
    assert media == await prepare(numbered(), "x", LIMITS, wish=ClipWish(1, 2))
    assert media.attachment.seconds == 1.0
    assert [each.name for each in tmp_path.iterdir()] == ["film"]


async def test_encoding_tells_how_far_it_is_and_copying_has_nothing_to_tell():
    shares: list[float | None] = []
    await prepare(LYING, "x", LIMITS, on_progress=shares.append)
    told = [share for share in shares if share is not None]
    assert told == sorted(told)
    assert all(0 <= share <= 1 for share in told)
    shares.clear()
    await prepare(clip(), "x", LIMITS, on_progress=shares.append)
    assert shares == []


async def test_more_clips_than_are_encoded_at_once_wait_and_are_told_so():
    told: list[list[float | None]] = [[] for _ in range(8)]
    made = await asyncio.gather(
        *(prepare(LYING, "x", LIMITS, on_progress=each.append) for each in told)
    )
    assert len({media.attachment.hash for media in made}) == 1
    assert max(each.count(None) for each in told) > min(each.count(None) for each in told)


async def test_a_refusal_keeps_its_figures_on_the_way_out_of_the_worker():
    with pytest.raises(MediaRefused) as refused:
        await prepare(numbered(), "x", MediaLimits(video=VideoLimits(max_seconds=1)))
    facts = refused.value.facts
    assert facts is not None
    assert (facts.seconds, facts.most_seconds, facts.offers) == (4.0, 1.0, ("trim",))


async def test_cancelling_ends_at_once_and_frees_the_worker():
    """More long work than there are workers, given up; short work then gets its turn."""
    long = displayed_by(clip(640, 480, frames=400, rate=30), 0, 1, -1, 0)
    tasks = [asyncio.create_task(prepare(long, "", LIMITS)) for _ in range(6)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
    media = await prepare(encoded(quarters(), "PNG"), "", LIMITS)
    assert media.attachment.width == 64
