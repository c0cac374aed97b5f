"""Running turns on disk: what a killed process leaves, and who is given it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.chat.events import (
    ContentDelta,
    ContentWasReasoning,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
    ToolCallDelta,
    Usage,
    Waiting,
)
from app.store.database import StoreError
from app.store.journal import Journals
from tests.store.disk import files_of_at_most

EVENTS = (
    Waiting("waking", 2, 1.5, "The model wakes."),
    Waiting("slot"),
    Started(200, "req-1"),
    ReasoningDelta("Hm,\n"),
    ContentDelta("Привет 🦊\0"),
    ToolCallDelta(1, "call_1", "get_weather", '{"a":'),
    ContentWasReasoning(12),
    Usage({"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": None}}),
    Finished("stop", 151336),
    Finished("stop", "END"),
    Finished("length"),
    Failed("server_error", 500, "broken", "req-1"),
)


def opened(folder: Path) -> Journals:
    journals = Journals(folder)
    journals.open()
    return journals


def left(folder: Path, *lines: bytes) -> Path:
    """A journal of a process that is gone, with these bytes in it."""
    path = folder / "gone" / "turn.ndjson"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


def test_what_one_process_left_another_finds_whole(tmp_path):
    ours = opened(tmp_path)
    journal = ours.begin({"chat": "c1", "tools": [{"x": "é"}]})
    for number, event in enumerate(EVENTS):
        journal.write(event, number / 4)
    journal.close(delete=False)
    ours.close()
    theirs = opened(tmp_path)
    (found,) = theirs.left_over()
    assert found.header == {"chat": "c1", "tools": [{"x": "é"}]}
    assert found.events == tuple((number / 4, event) for number, event in enumerate(EVENTS))
    (again,) = theirs.left_over()
    assert again.events == found.events
    found.done()
    assert list(theirs.left_over()) == []
    theirs.close()
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_is_written_as_one_that_can_be(tmp_path):
    ours = opened(tmp_path)
    ours.begin({}).write(ContentDelta("\ud83d"), 0)
    ours.close()
    (found,) = opened(tmp_path).left_over()
    assert found.events == ((0, ContentDelta("\ufffd")),)


def test_a_turn_that_was_stored_leaves_nothing(tmp_path):
    ours = opened(tmp_path)
    journal = ours.begin({"chat": "c1"})
    journal.write(EVENTS[0], 0)
    journal.close(delete=True)
    ours.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_process_that_lives_writes_is_not_left_over(tmp_path):
    ours, theirs = opened(tmp_path), opened(tmp_path)
    journal = ours.begin({"chat": "c1"})
    assert list(ours.left_over()) == []
    assert list(theirs.left_over()) == []
    journal.write(EVENTS[0], 0)
    journal.close(delete=False)
    ours.close()
    assert len(list(theirs.left_over())) == 1
    theirs.close()


def test_a_left_over_is_given_to_one_at_a_time(tmp_path):
    left(tmp_path, b'{"chat":"c1"}\n')
    ours, theirs = opened(tmp_path), opened(tmp_path)
    for found in ours.left_over():
        assert list(theirs.left_over()) == []
        found.done()
    assert list(theirs.left_over()) == []
    ours.close()
    theirs.close()
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_was_cut_is_dropped(tmp_path):
    whole = b'{"at":0.5,"event":"ContentDelta","text":"kept"}\n'
    left(tmp_path, b'{"chat":"c1"}\n', whole, b'{"at":0.75,"event":"Conte')
    (found,) = opened(tmp_path).left_over()
    assert found.events == ((0.5, ContentDelta("kept")),)


def test_a_line_in_the_middle_that_is_none_of_ours_is_passed_over(tmp_path, caplog):
    whole = b'{"at":0.5,"event":"ContentDelta","text":"kept","later":1}\n'
    others = (b"\x00\xff\n", b"[]\n", b'{"at":1,"event":"Sung"}\n', b'{"event":"Started"}\n')
    wrong = b'{"at":1,"event":"ContentDelta","text":5}\n'
    left(tmp_path, b'{"chat":"c1"}\n', *others, wrong, whole)
    (found,) = opened(tmp_path).left_over()
    assert found.events == ((0.5, ContentDelta("kept")),)
    assert caplog.text.count("passed over") == 5


@pytest.mark.parametrize("content", [b"", b'{"chat":', b"nonsense\n", b"[1]\n", b"\xff\xff\n"])
def test_a_file_that_cannot_be_read_is_set_aside(tmp_path, caplog, content):
    left(tmp_path, content)
    journals = opened(tmp_path)
    assert list(journals.left_over()) == []
    journals.close()
    assert [path.name for path in tmp_path.iterdir()] == ["turn.ndjson.unreadable"]
    assert (tmp_path / "turn.ndjson.unreadable").read_bytes() == content
    assert "set aside" in caplog.text


def test_a_full_disk_ends_the_journal_and_not_the_turn(tmp_path, caplog):
    ours = opened(tmp_path)
    journal = ours.begin({"chat": "c1"})
    with files_of_at_most(200):
        for number in range(10):
            journal.write(ContentDelta(f"{number}"), number)
    journal.write(ContentDelta("after"), 10)
    journal.close(delete=False)
    ours.close()
    assert caplog.text.count("no longer kept on disk") == 1
    (found,) = opened(tmp_path).left_over()
    texts = [event.text for _, event in found.events]
    assert 1 < len(texts) < 10
    assert texts == [f"{number}" for number in range(len(texts))]


def test_a_turn_goes_on_without_a_journal_where_none_can_be_made(tmp_path, caplog):
    ours = opened(tmp_path)
    for folder in tmp_path.iterdir():
        if folder.is_dir():
            folder.rmdir()
    journal = ours.begin({"chat": "c1"})
    journal.write(EVENTS[0], 0)
    journal.close(delete=True)
    ours.close()
    assert caplog.text.count("no longer kept on disk") == 1


WRITER = """
import sys
from pathlib import Path
from app.chat.events import ContentDelta
from app.store.journal import Journals

journals = Journals(Path(sys.argv[1]))
journals.open()
journal = journals.begin({"chat": "c1"})
number = 0
while True:
    journal.write(ContentDelta(f"{number} "), number)
    number += 1
    print(number, flush=True)
"""


def test_a_process_that_is_killed_loses_no_line(tmp_path):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, tmp_path],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    for line in writer.stdout:
        if line == "1000\n":
            break
    journals = opened(tmp_path)
    assert list(journals.left_over()) == []
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().splitlines()
    assert writer.wait() == -signal.SIGKILL
    told = int(rest[-2]) if len(rest) > 1 else 1000
    (found,) = journals.left_over()
    assert len(found.events) >= told
    assert [event.text for _, event in found.events] == [
        f"{number} " for number in range(len(found.events))
    ]
    found.done()
    journals.close()


def test_a_folder_that_cannot_be_written_to_is_said_in_a_sentence(tmp_path):
    (tmp_path / "journal").write_text("a file")
    with pytest.raises(StoreError, match=r"journal cannot be written to .*GLM_DATA_FOLDER"):
        Journals(tmp_path / "journal").open()


def test_a_journal_that_cannot_be_deleted_hinders_nobody(tmp_path, caplog):
    ours = opened(tmp_path)
    journal = ours.begin({"chat": "c1"})
    (path,) = tmp_path.glob("*/*.ndjson")
    path.unlink()
    path.mkdir()
    journal.close(delete=True)
    assert "cannot be deleted" in caplog.text
    ours.close()
