from __future__ import annotations

import asyncio
import stat
from urllib.parse import parse_qs

import pytest

from app.media import ImageLimits, MediaLibrary, MediaUnknown, PreparedMedia, prepare_image
from tests.media.samples import encoded, quarters


class Clock:
    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def media(side: int, name: str = "") -> PreparedMedia:
    return prepare_image(encoded(quarters(side, side), "PNG"), name, ImageLimits())


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def library(tmp_path, clock):
    library = MediaLibrary(max_bytes=1_000_000, folder=tmp_path, now=clock)
    yield library
    library.close()


async def test_what_was_added_is_given_back_to_its_owner(library):
    added = media(40, "cat.png")
    assert await library.add("ann", added) == added.attachment
    assert await library.get("ann", added.attachment.hash) == (added.attachment, added.data)


async def test_nobody_else_gets_it_until_they_add_the_same(library):
    hers, his = media(40, "cat.png"), media(40, "katze.png")
    await library.add("ann", hers)
    with pytest.raises(MediaUnknown):
        await library.get("bob", hers.attachment.hash)
    await library.add("bob", his)
    assert (await library.get("bob", hers.attachment.hash))[0].name == "katze.png"
    assert (await library.get("ann", hers.attachment.hash))[0].name == "cat.png"


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "A" * 64])
async def test_what_was_never_added_is_unknown(library, name):
    with pytest.raises(MediaUnknown):
        await library.get("ann", name)
    with pytest.raises(MediaUnknown):
        library.open_signed(name)


async def test_a_hash_that_is_none_never_becomes_a_path(library):
    whole = media(40)
    forged = PreparedMedia.of(
        whole.data, kind="image", mime="image/png", name="", size=(40, 40), tokens=16
    )
    object.__setattr__(forged.attachment, "hash", "../outside")
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        await library.add("ann", forged)


async def test_the_least_recently_used_goes_first(tmp_path):
    kept = [media(side) for side in (40, 44, 48, 52)]
    room = sum(len(each.data) for each in kept) - 1
    library = MediaLibrary(max_bytes=room, folder=tmp_path)
    for each in kept[:3]:
        await library.add("ann", each)
    await library.get("ann", kept[0].attachment.hash)
    await library.add("ann", kept[3])
    with pytest.raises(MediaUnknown):
        await library.get("ann", kept[1].attachment.hash)
    for each in (kept[0], kept[2], kept[3]):
        assert (await library.get("ann", each.attachment.hash))[1] == each.data
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.name for path in files) == sorted(
        each.attachment.hash for each in (kept[0], kept[2], kept[3])
    )
    library.close()


async def test_the_newest_is_kept_even_when_it_is_over_the_cap(tmp_path):
    library = MediaLibrary(max_bytes=1, folder=tmp_path)
    first, second = media(40), media(44)
    await library.add("ann", first)
    await library.add("ann", second)
    assert (await library.get("ann", second.attachment.hash))[1] == second.data
    with pytest.raises(MediaUnknown):
        await library.get("ann", first.attachment.hash)
    library.close()


async def test_many_may_add_the_same_and_others_at_once(library, tmp_path):
    all_media = [media(side) for side in (40, 44, 48)] * 5
    await asyncio.gather(
        *(library.add(f"owner {number}", each) for number, each in enumerate(all_media))
    )
    for number, each in enumerate(all_media):
        assert (await library.get(f"owner {number}", each.attachment.hash))[1] == each.data
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 3


async def test_a_file_that_went_missing_is_unknown(library):
    added = media(40)
    await library.add("ann", added)
    library.open_signed(added.attachment.hash)[1].unlink()
    with pytest.raises(MediaUnknown):
        await library.get("ann", added.attachment.hash)


async def test_the_folder_is_private_and_goes_when_closed(tmp_path):
    library = MediaLibrary(max_bytes=1_000_000, folder=tmp_path)
    await library.add("ann", media(40))
    (folder,) = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    library.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_signed_address_opens_one_file_for_its_time(library, clock):
    added = media(40)
    other = "0" * 64
    await library.add("ann", added)
    content_hash = added.attachment.hash
    query = parse_qs(library.sign(content_hash, 60))
    expires, signature = int(query["expires"][0]), query["signature"][0]
    assert expires == 1_000_060
    assert library.verify(content_hash, expires, signature)
    assert not library.verify(other, expires, signature)
    assert not library.verify(content_hash, expires + 1, signature)
    assert not library.verify(content_hash, expires, signature[:-1])
    assert not library.verify(content_hash, expires, "é")
    mime, path = library.open_signed(content_hash)
    assert (mime, path.read_bytes()) == ("image/png", added.data)
    clock.time += 60
    assert not library.verify(content_hash, expires, signature)


def test_another_library_s_signature_is_worth_nothing(tmp_path, clock):
    ours, theirs = (MediaLibrary(max_bytes=1, folder=tmp_path, now=clock) for _ in range(2))
    query = parse_qs(theirs.sign("0" * 64, 60))
    assert not ours.verify("0" * 64, int(query["expires"][0]), query["signature"][0])
    ours.close()
    theirs.close()
