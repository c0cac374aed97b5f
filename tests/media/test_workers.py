"""Files are opened in processes of their own, which no file can make large, slow or fatal."""

from __future__ import annotations

import asyncio
import io
import os
import struct
import subprocess
import sys
import time

import pytest
from PIL import Image

from app.media import MediaLimits, MediaRefused, prepare, work
from app.media.workers import WorkerDied, Workers
from tests.media.inside import imported, memory_for
from tests.media.samples import colours, encoded, picture, png, quarters

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process so")

HEAVY = "“x” takes too much memory or time to be opened here"

BLACK = png(5000, 5000, 8, bytes(5000 * 15_001))
"""75 MB of pixels in a file of 75 kB."""


@pytest.fixture
def workers() -> Workers:
    return Workers(1, memory=120_000_000)


@LINUX
async def test_a_file_that_takes_too_much_memory_is_refused_and_no_worker_grows(workers, tmp_path):
    (tmp_path / work.SOURCE).write_bytes(BLACK)
    said, most = await workers.run(60, memory_for, tmp_path)
    assert HEAVY in said
    assert most < 160_000_000  # with the code of the decoders


async def test_each_piece_of_work_has_a_process_of_its_own(workers):
    first, second = [await workers.run(60, os.getpid) for _ in range(2)]
    assert len({first, second, os.getpid()}) == 3


async def test_work_that_takes_too_long_is_ended_and_another_worker_goes_on(workers):
    with pytest.raises(TimeoutError):
        await workers.run(0.1, time.sleep, 600)
    assert await workers.run(60, os.getpid) != os.getpid()


async def test_a_worker_that_dies_is_replaced(workers):
    with pytest.raises(WorkerDied):
        await workers.run(60, os.abort)
    assert await workers.run(60, os.getpid) != os.getpid()


async def test_work_is_ended_when_its_caller_is_cancelled(workers):
    endless = asyncio.create_task(workers.run(600, time.sleep, 600))
    await asyncio.sleep(0)
    endless.cancel()
    with pytest.raises(asyncio.CancelledError):
        await endless
    assert await workers.run(60, os.getpid) != os.getpid()


async def test_a_worker_imports_none_of_the_rest_of_the_project(workers):
    assert await workers.run(60, imported) <= {"app.media", "app.chat"}


def test_the_page_s_own_process_opens_no_file_and_ends_without_waiting():
    script = (
        "import asyncio, sys\n"
        "from app.media import MediaLimits, prepare\n"
        f"data = {encoded(quarters(), 'PNG')!r}\n"
        "media = asyncio.run(prepare(data, 'x', MediaLimits()))\n"
        "print(media.attachment.width, 'PIL' in sys.modules, 'av' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout == "64 False False\n"
    assert run.stderr == ""


async def test_time_is_a_limit_of_every_upload():
    with pytest.raises(MediaRefused, match=HEAVY):
        await prepare(BLACK, "x", MediaLimits(opening_seconds=0.001))


async def test_a_moving_picture_of_many_frames_is_opened_at_its_first():
    frames = [quarters().rotate(turn) for turn in range(300)]
    data = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    media = await prepare(data, "x", MediaLimits())
    assert media.notes == ("It moves, and only its first frame is sent: send movement as an mp4.",)
    assert len(colours(picture(media))) == 4


@pytest.mark.parametrize("size", [(60_000, 60_000), (5_000, 5_000)])
async def test_a_tiff_that_promises_more_than_it_holds_is_refused(size):
    data = bytearray(encoded(Image.new("RGB", (8, 8)), "TIFF"))
    for tag, length in ((256, size[0]), (257, size[1]), (278, size[1])):
        at = data.index(struct.pack("<HH", tag, 4)) + 8
        data[at : at + 4] = struct.pack("<I", length)
    with pytest.raises(MediaRefused, match=r"has 3600 million pixels|is incomplete|is damaged"):
        await prepare(bytes(data), "x", MediaLimits())


@pytest.mark.parametrize("size", [20_000, 16_000])
async def test_a_bomb_is_refused_with_its_figures(size):
    packed = encoded(Image.new("1", (size, size)), "PNG")
    assert len(packed) < 100_000
    with pytest.raises(MediaRefused, match=rf"has {size * size // 10**6} million pixels, and at"):
        await prepare(packed, "x", MediaLimits())


async def test_what_is_sent_comes_back_whole():
    data = encoded(quarters(1200, 900), "BMP")
    media = await prepare(data, "x", MediaLimits())
    assert len(media.data) == media.attachment.size
    Image.open(io.BytesIO(media.data)).verify()
