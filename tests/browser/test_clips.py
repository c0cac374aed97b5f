"""Clips that cannot go as they are: a part is chosen, or they are shrunk; and how far they are."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import av
import numpy as np
import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import OpenPlayground, Playground, file
from tests.media.samples import clip, displayed_by, encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")


@cache
def long() -> bytes:
    """700 seconds, of which 600 can be sent."""
    return clip(width=160, height=120, frames=1400, rate=2)


@cache
def short() -> bytes:
    """8 seconds."""
    return clip(width=160, height=120, frames=80, rate=10)


def dialog(playground: Playground) -> Locator:
    return playground.page.get_by_role("dialog", name="Choose a part of the clip")


async def attach(playground: Playground, data: bytes, name: str = "walk.mp4") -> None:
    await playground.drop(file(name, "video/mp4", data))


async def choose(playground: Playground, start: str, end: str) -> None:
    opened = dialog(playground)
    await opened.get_by_label("From").fill(start)
    await opened.get_by_label("To", exact=True).fill(end)
    await playground.page.keyboard.press("Enter")
    await expect(opened).to_have_count(0)


async def is_ready(playground: Playground) -> None:
    await expect(playground.slot("video")).to_have_attribute("data-state", "ready")


async def test_of_a_clip_too_long_a_part_is_chosen_and_sent(playground: Playground) -> None:
    await playground.write("the message being written")
    await attach(playground, long())
    opened = dialog(playground)
    await expect(opened).to_contain_text("“walk.mp4” lasts 11 min 40 s, and at most 10 min can be")
    await expect(opened.get_by_label("To", exact=True)).to_have_value("600")
    await expect(opened.get_by_role("button", name="Use this part")).to_be_focused()
    await expect(opened.get_by_role("button", name="Shrink it")).to_have_count(0)
    await opened.get_by_label("To", exact=True).fill("650")
    await expect(opened.get_by_role("status")).to_contain_text("About 10:00 of this clip")
    await choose(playground, "10", "12.5")
    await is_ready(playground)
    await expect(playground.said).to_contain_text("Only a part of it is sent: 2.5 s, from 10 s on")
    await expect(playground.message).to_have_value("the message being written")
    turn = await playground.ask("How long is the clip?")
    await expect(turn.get_by_test_id("answer")).to_contain_text("The clip is 2.5 seconds long")


async def test_turning_away_from_it_costs_nothing_that_was_written(playground: Playground) -> None:
    await playground.write("the message being written")
    await attach(playground, long())
    await expect(dialog(playground)).to_be_visible()
    await playground.page.keyboard.press("Escape")
    await expect(dialog(playground)).to_have_count(0)
    await expect(playground.said).to_contain_text("at most 10 min can be sent: trim it")
    await expect(playground.slot("video")).to_have_attribute("data-state", "empty")
    await expect(playground.message).to_have_value("the message being written")


async def test_a_part_that_cannot_be_is_said_before_it_is_used(playground: Playground) -> None:
    await attach(playground, long())
    opened = dialog(playground)
    use = opened.get_by_role("button", name="Use this part")
    for start, end, said in (
        ("5", "5.2", "must end at least half a second after it begins"),
        ("5", "701", "The clip lasts 11:40"),
        ("", "6", "Give both seconds"),
    ):
        await opened.get_by_label("From").fill(start)
        await opened.get_by_label("To", exact=True).fill(end)
        await expect(opened.get_by_role("status")).to_contain_text(said)
        await expect(use).to_be_disabled()
    await opened.get_by_label("From").fill("5")
    await expect(use).to_be_enabled()


async def test_another_part_of_an_attached_clip_is_chosen_where_the_clip_stands(
    playground: Playground,
) -> None:
    await attach(playground, short())
    await is_ready(playground)
    for end, seconds in (("5", "3.0 s"), ("4", "2.0 s")):
        await playground.slot("video").get_by_role("button", name="Enlarge walk.mp4").click()
        await playground.page.get_by_role("button", name="Trim…").click()
        opened = dialog(playground)
        await opened.locator("video").evaluate("video => { video.currentTime = 2 }")
        await opened.get_by_role("button", name="Begin at 2 s").click()
        await expect(opened.get_by_label("From")).to_have_value("2")
        await opened.locator("video").evaluate(f"video => {{ video.currentTime = {end} }}")
        await opened.get_by_role("button", name=f"End at {end} s").click()
        await expect(opened.get_by_role("status")).to_contain_text(f"{seconds} of 8.0 s, ~")
        await opened.get_by_role("button", name="Use this part").click()
        await is_ready(playground)
        await expect(playground.slot("video").locator(".slot-main")).to_have_attribute(
            "title", re.compile(f"walk.mp4, .*, {seconds}")
        )
    await expect(playground.slot("video").locator("video")).to_have_attribute(
        "src", re.compile("^api/media/")
    )


async def test_a_clip_is_trimmed_after_a_reload_as_well(playground: Playground) -> None:
    await attach(playground, short())
    await is_ready(playground)
    await playground.reload()
    await playground.slot("video").get_by_role("button", name="Enlarge walk.mp4").click()
    await playground.page.get_by_role("button", name="Trim…").click()
    await choose(playground, "1", "3")
    await is_ready(playground)
    turn = await playground.ask("How long is the clip?")
    await expect(turn.get_by_test_id("answer")).to_contain_text("The clip is 2.0 seconds long")


async def test_a_part_that_cannot_be_had_leaves_the_clip_that_was_attached(
    playground: Playground,
) -> None:
    await attach(playground, short())
    await is_ready(playground)
    playground.watch.expect("503")
    await playground.page.route(
        "**/api/media",
        lambda route: route.fulfill(status=503, content_type="text/plain", body="busy"),
    )
    await playground.slot("video").get_by_role("button", name="Enlarge walk.mp4").click()
    await playground.page.get_by_role("button", name="Trim…").click()
    await choose(playground, "1", "3")
    await expect(playground.said).to_contain_text("503")
    await is_ready(playground)
    await playground.page.unroute("**/api/media")
    turn = await playground.ask("How long is the clip?")
    await expect(turn.get_by_test_id("answer")).to_contain_text("The clip is 8.0 seconds long")


async def test_what_is_attached_tells_what_it_takes_of_the_prompt(playground: Playground) -> None:
    await attach(playground, clip(640, 480, frames=40))
    await is_ready(playground)
    await playground.drop(file("picture.png", "image/png", encoded(quarters(640, 480), "PNG")))
    await expect(playground.slot("image")).to_contain_text("~414 tokens")
    await expect(playground.slot("video")).to_contain_text("~1,656 tokens")
    await expect(playground.page.get_by_test_id("meter")).to_have_text("~2,070 tokens")
    await playground.slot("image").get_by_role("button", name="Enlarge picture.png").click()
    await expect(playground.page.get_by_role("dialog")).to_contain_text("~414 tokens")


async def test_encoding_tells_how_far_it_is_and_can_be_cancelled(playground: Playground) -> None:
    lying = displayed_by(clip(1280, 720, frames=300, rate=30), 0, 1, -1, 0)
    await attach(playground, lying)
    slot = playground.slot("video")
    await expect(slot).to_contain_text(re.compile(r"Encoding \d+%"), timeout=30_000)
    await slot.get_by_role("button", name="Cancel the upload of walk.mp4").click()
    await expect(slot).to_have_attribute("data-state", "empty")
    await attach(playground, short(), "after.mp4")
    await is_ready(playground)


async def test_a_clip_that_is_seen_no_more_loads_no_more(playground: Playground) -> None:
    """One that leaves the page while it loads would ask for an address that is given back."""
    await attach(playground, long())
    player = await dialog(playground).locator("video").element_handle()
    await playground.page.keyboard.press("Escape")
    await expect(dialog(playground)).to_have_count(0)
    await attach(playground, short())
    await is_ready(playground)
    small = await playground.slot("video").locator("video").element_handle()
    await playground.slot("video").locator(".slot-main").click()
    large = await playground.page.get_by_role("dialog").locator("video").element_handle()
    await playground.page.keyboard.press("Escape")
    await playground.slot("video").get_by_role("button", name=re.compile("^Take away")).click()
    await expect(playground.slot("video")).to_have_attribute("data-state", "empty")
    for video in (player, small, large):
        assert await video.get_attribute("src") is None


async def test_a_clip_too_large_is_shrunk_at_the_readers_word(
    playground: Playground, tmp_path: Path
) -> None:
    path = tmp_path / "noise.mp4"
    path.write_bytes(noise())
    assert path.stat().st_size > 70_000_000
    await playground.page.get_by_test_id("video-input").set_input_files(path)
    await expect(dialog(playground)).to_contain_text(
        "at most 70 MB can be sent: trim it, or shrink"
    )
    await dialog(playground).get_by_role("button", name="Shrink it").click()
    await expect(playground.slot("video")).to_have_attribute("data-state", "ready", timeout=60_000)
    told = await playground.slot("video").locator(".slot-main").get_attribute("title")
    megabytes = re.search(r", ([\d.]+) MB, ", told or "")
    assert megabytes is not None
    assert float(megabytes[1]) < 70


def noise() -> bytes:
    """Two seconds that nothing compresses."""
    random, out = np.random.default_rng(0), io.BytesIO()
    with av.open(out, "w", format="mp4") as made:
        stream = made.add_stream("libx264", rate=12, options={"preset": "ultrafast", "qp": "1"})
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        for _ in range(24):
            pixels = random.integers(0, 256, (1620, 1920), np.uint8)
            made.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "yuv420p")))
        made.mux(stream.encode(None))
    return out.getvalue()


async def test_the_dialog_fits_a_telephone(open_playground: OpenPlayground) -> None:
    playground = await open_playground(390, 700)
    await attach(playground, long())
    await expect(dialog(playground)).to_be_visible()
    box = await dialog(playground).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] <= 700
    await expect(dialog(playground).get_by_role("button", name="Use this part")).to_be_in_viewport()
