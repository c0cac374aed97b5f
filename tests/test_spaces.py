from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.kept import Kept
from app.server import create_application
from app.settings import PROJECT, Settings
from app.spaces import bucket_folder, is_mounted, on_space, what_ends

MOUNTED = Path("/dev")
"""Not on the disk of anything else here, as a bucket is not."""


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPACE_ID", "SYSTEM", "DATABASE_URL", "GLM_DATA_FOLDER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def _on_a_space(_elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "someone/space")


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder that is on no disk of this machine."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def kept(**values: object) -> Kept:
    return Kept.of(Settings(_env_file=None, **values))


@pytest.mark.parametrize(
    ("variables", "is_one"),
    [
        ({}, False),
        ({"SYSTEM": "linux"}, False),
        ({"SYSTEM": "spaces"}, True),
        ({"SPACE_ID": "someone/space"}, True),
    ],
)
def test_a_space_is_known_by_its_variables(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], is_one: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert on_space() is is_one


def test_elsewhere_nothing_ends_and_nothing_is_a_bucket(tmp_path: Path) -> None:
    assert bucket_folder(tmp_path) is None
    assert not is_mounted(MOUNTED)
    assert what_ends(tmp_path, tmp_path, own=tmp_path) is None


@pytest.mark.usefixtures("_on_a_space")
def test_a_bucket_is_used_where_it_is_mounted_and_takes_files(tmp_path: Path) -> None:
    assert bucket_folder(tmp_path) == tmp_path / "glm-playground"
    assert bucket_folder(tmp_path / "nothing") is None
    (tmp_path / "file").write_text("")
    assert bucket_folder(tmp_path / "file") is None
    assert bucket_folder(Path("/proc/self")) is None, "nobody can make a folder there"


@pytest.mark.usefixtures("_on_a_space")
def test_what_is_on_the_space_s_own_disk_ends_with_a_restart(tmp_path: Path) -> None:
    own, new = tmp_path, tmp_path / "not" / "made"
    assert what_ends(own, own, own) == "chats"
    assert what_ends(new, new, own) == "chats"
    assert what_ends(own, MOUNTED, own) == "chats"
    assert what_ends(MOUNTED, own, own) == "media"
    assert what_ends(None, own, own) == "media"
    assert what_ends(MOUNTED / "new", MOUNTED / "new", own) is None
    assert what_ends(None, MOUNTED, own) is None


@pytest.mark.usefixtures("_on_a_space")
def test_a_database_keeps_the_chats_and_not_their_pictures(tmp_path: Path) -> None:
    folder = PROJECT / "never-made"
    assert kept(data_folder=folder).ending == "chats"
    assert kept(data_folder=folder, database_url="postgresql://ann@db.example/c").ending == "media"
    assert kept(data_folder=folder, database_url=f"sqlite:///{MOUNTED}/c").ending == "media"
    assert kept(data_folder=MOUNTED, database_url=f"sqlite:///{folder}/c").ending == "chats"
    assert kept(data_folder=MOUNTED, database_url="postgresql://ann@db.example/c").ending is None
    assert kept(data_folder=MOUNTED).ending is None
    assert not folder.exists()


def test_elsewhere_no_folder_ends() -> None:
    assert kept(data_folder=PROJECT / "never-made").ending is None


ENDS_WITH_CHATS = {"data_folder": PROJECT / "never-made"}
ENDS_WITH_MEDIA = ENDS_WITH_CHATS | {"database_url": f"sqlite:///{MOUNTED}/c"}


@pytest.mark.usefixtures("_on_a_space")
@pytest.mark.parametrize(
    ("values", "told", "marked"),
    [
        (ENDS_WITH_CHATS, "Chats, pictures and clips last until this Space restarts.", "chats"),
        (ENDS_WITH_MEDIA, "Pictures and clips last until this Space restarts;", "media"),
        ({"data_folder": MOUNTED}, None, None),
    ],
)
def test_the_page_and_its_docs_tell_what_ends(
    values: dict[str, object], told: str | None, marked: str | None
) -> None:
    client = TestClient(create_application(Settings(_env_file=None, **values)).asgi)
    docs, config = client.get("/docs").text, client.get("/config").text
    assert ("until this Space restarts" in docs) is (told is not None)
    assert told is None or told in docs
    assert re.findall(r'data-ending=\\"(\w+)\\"', config) == ([marked] if marked else [])


@pytest.mark.usefixtures("_on_a_space")
async def test_chats_in_a_bucket_outlast_the_space_s_own_disk(
    in_memory: Path, tmp_path: Path
) -> None:
    """A bucket takes no database: that is on the own disk, which a restart empties."""
    settings = Settings(_env_file=None, data_folder=in_memory / "kept")
    first = Kept.of(settings, tmp_path / "first")
    assert first.place == (
        f"{tmp_path}/first/chats.sqlite3, with a copy in {in_memory}/kept/chats.sqlite3"
    )
    async with first.opened():
        await first.chats.open("ann", "chat")
    assert {path.name for path in (in_memory / "kept").iterdir()} <= {"chats.sqlite3", "media"}

    restarted = Kept.of(settings, tmp_path / "second")
    async with restarted.opened():
        assert await restarted.chats.find("ann", "chat") is not None
        assert (tmp_path / "second" / "journal").is_dir()
