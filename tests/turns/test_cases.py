"""Chats as cases and back, as values: what is believed of a file, and what is found out anew."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.chat.entries import (
    AnswerCheck,
    CallCheck,
    Feedback,
    GivenResult,
    ResultsEntry,
    TurnEntry,
    UserEntry,
    WholeChat,
    WholeNode,
)
from app.chat.events import Failed
from app.chat.exchange import Exchange
from app.chat.files import TextFile
from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.notices import Notice, Problem
from app.chat.request import Options
from app.chat.setup import ToolSetup
from app.chat.turn import Timings, Turn
from app.export.case import Case, CaseEntry, CaseMedia, CaseTurn
from app.export.case_reading import CaseError, read_case
from app.tools.arguments import ArgumentChecker
from app.tools.toolset import ToolSet
from app.turns.case_files import CaseFiles
from app.turns.case_packing import CASE_FILE, load, pack, unpack
from app.turns.cases import attached, attachments_of, case_of, chat_of
from app.turns.ended import EDITED, edited_turn
from app.turns.file_names import plain_name, saved_name
from app.turns.prices import Prices
from app.turns.turn_views import turn_outcome, turn_parts

NOW = 1_800_000_000.0
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
CAT = Attachment("c" * 64, "image", 100, "cat.png", "image/png", 40, 30)


def message(entry_id: str, parent: str | None = None, **rest: Any) -> CaseEntry:
    return CaseEntry(UserEntry(entry_id, "Hello", **rest), parent)


def answer(entry_id: str, parent: str, turn: Turn | None = None, **rest: Any) -> CaseEntry:
    said = CaseTurn(entry_id, turn or Turn((Text("Hi"),), "stop"), **rest)
    return CaseEntry(said, parent)


def imported(*entries: CaseEntry, tools: tuple[dict[str, Any], ...] = (), **rest: Any) -> WholeChat:
    case = Case(entries=entries, leaf=entries[-1].said.id, tool_set=ToolSet(tools), **rest)
    return chat_of(case, ArgumentChecker, NOW)


def turn_of(whole: WholeChat, at: int = -1) -> TurnEntry:
    entry = whole.nodes[at].entry
    assert isinstance(entry, TurnEntry)
    return entry


def test_ids_of_a_file_are_nobody_s_and_its_tree_stays() -> None:
    whole = imported(message("u1"), answer("t1", "u1"), message("u2"), answer("t2", "u1"))
    ids = [node.entry.id for node in whole.nodes]
    assert len({*ids, "u1", "t1", "u2", "t2"}) == 8
    assert [node.parent for node in whole.nodes] == [None, ids[0], None, ids[0]]
    assert whole.leaf == ids[3]


def test_what_has_no_time_was_made_now() -> None:
    old = replace(message("u1"), created=5.0)
    assert [node.created for node in imported(old, answer("t1", "u1")).nodes] == [5.0, NOW]


def test_every_answer_of_a_file_is_a_recorded_one() -> None:
    entry = turn_of(imported(message("u1"), answer("t1", "u1", effort="low")))
    assert entry.recorded
    assert entry.effort == "low"
    assert turn_outcome(entry, Prices())["recorded"] is True


def test_what_the_playground_says_of_an_answer_is_found_out_anew() -> None:
    call = ToolCall("1", "weather", '{"city": 5}')
    cut = Turn((Text("It is"), call), "length", timings=Timings(total_s=2.0))
    entry = turn_of(imported(message("u1"), answer("t1", "u1", cut), tools=(TOOL,)))
    codes = [notice.code for notice in entry.notices]
    assert codes == ["token_limit", "invalid_arguments"]
    assert [problem.path for problem in entry.checks[0].problems] == ["$.city"]
    assert entry.stats["total_s"] == 2.0
    assert entry.stats["answer_tokens"] > 0
    assert entry.stats["estimated"]


def test_a_call_is_checked_by_the_tools_of_its_own_request() -> None:
    called = Turn((ToolCall("1", "weather", "{}"),), "tool_calls")
    asked = (Exchange(Options("glm", tools=(TOOL,)), "d"),)
    with_tools = replace(answer("t1", "u1", called), exchanges=asked)
    whole = imported(message("u1"), with_tools, answer("t2", "u1", called))
    assert turn_of(whole, 1).checks == (CallCheck(True),)
    assert turn_of(whole, 2).checks[0].declared is False


def test_counts_and_seconds_are_one_for_each_part_or_unknown() -> None:
    parts = (Reasoning("Hm"), Text("Hi"))
    counted = answer("t1", "u1", Turn(parts, "stop"), tokens=((7, False),))
    entry = turn_of(imported(message("u1"), counted))
    assert entry.turn.timings.part_seconds == (0.0, 0.0)
    assert entry.tokens == ((1, True), (1, True))
    assert turn_parts(entry, lambda text: [text])[0]["tokens"] == 1
    exact = answer("t1", "u1", Turn(parts, "stop"), tokens=((7, False), (None, True)))
    assert turn_of(imported(message("u1"), exact)).tokens == ((7, False), (None, True))


def test_an_answer_in_a_person_s_wording_is_that_of_no_server() -> None:
    entry = TurnEntry(
        "t", Turn((Reasoning("Hm"), Text("Hi")), "stop"), (), (), {}, ((1, True),) * 2
    )
    entry = replace(entry, turn=replace(entry.turn, timings=Timings(part_seconds=(1.0, 1.0))))
    worded = edited_turn("t2", entry, "Hello")
    said = CaseTurn("t1", worded.turn, worded.tokens, edited=True)
    back = turn_of(imported(message("u1"), CaseEntry(said, "u1")))
    assert back == replace(worded, id=back.id, recorded=True)
    assert back.notices == ()


def test_an_edited_answer_with_calls_is_shown_as_what_it_is() -> None:
    turn = Turn((Text("Hi"), ToolCall("1", "weather", "{")), EDITED)
    entry = turn_of(imported(message("u1"), answer("t1", "u1", turn, edited=True)))
    assert entry.edited
    assert len(entry.checks) == 1
    assert [part["kind"] for part in turn_parts(entry, lambda text: [text])] == ["answer", "call"]


def test_a_failure_that_was_recorded_is_told_again() -> None:
    turn = Turn(failure=Failed("server_error", 503, "Overloaded."))
    entry = turn_of(imported(message("u1"), answer("t1", "u1", turn)))
    assert [notice.code for notice in entry.notices] == ["server_error"]
    assert turn_outcome(entry, Prices())["error"]["message"] == "Overloaded."


def test_only_an_answer_that_is_there_is_gone_on_with() -> None:
    lying = Exchange(Options("glm", continue_last=True), "d")
    true = Exchange(Options("glm"), "d", base=(Text("Once"),))
    whole = imported(message("u1"), replace(answer("t1", "u1"), exchanges=(lying, true)))
    assert [each.options.continue_last for each in whole.nodes[1].exchanges] == [False, True]


def test_names_of_text_files_have_no_tricks_left() -> None:
    files = (TextFile("../../etc/pass\u202ewd", "x"), TextFile("\u202e", "y"))
    entry = imported(message("u1", files=files)).nodes[0].entry
    assert isinstance(entry, UserEntry)
    assert [file.name for file in entry.files] == ["passwd", "file"]


def test_pictures_that_are_kept_are_those_that_were_prepared() -> None:
    whole = imported(message("u1", attachments=(CAT,)))
    kept = replace(CAT, hash="d" * 64, size=90)
    assert list(attachments_of(attached(whole, {CAT.hash: kept})).values()) == [kept]


def test_a_picture_that_is_not_kept_has_a_hash_that_opens_nobody_s() -> None:
    whole = imported(message("u1", attachments=(CAT,)), message("u2", "u1", attachments=(CAT,)))
    (gone,) = attachments_of(attached(whole, {})).values()
    assert gone.hash != CAT.hash
    assert len(gone.hash) == 64
    assert replace(gone, hash=CAT.hash) == CAT


def whole_chat() -> WholeChat:
    turn = Turn(
        (Reasoning("Hm"), Text("Hi")),
        "stop",
        usage={"prompt_tokens": 3, "completion_tokens": 4},
        timings=Timings(total_s=1.0, part_seconds=(0.5, 0.5)),
    )
    said = TurnEntry("t", turn, (Notice("x", "y", "z"),), (), {"x": 1}, ((2, False),) * 2, "high")
    newer = Exchange(Options("glm", seed=2, tools=(TOOL,)), "d2")
    return WholeChat(
        "Title",
        "t",
        (
            WholeNode(UserEntry("u", "Hello", (CAT,)), None, 1.0),
            WholeNode(said, "u", 3.0, Feedback("like", "!"), (Exchange(Options("a"), "d"), newer)),
            WholeNode(replace(said, id="t2", effort=None), "u", 2.0, exchanges=(newer,)),
        ),
    )


def test_a_chat_s_case_has_all_but_what_can_be_found_out_anew() -> None:
    whole = whole_chat()
    media = {CAT.hash: CaseMedia(CAT, b"a cat")}
    case = case_of(whole, media)
    assert (case.title, case.leaf, case.media) == ("Title", "t", media)
    assert case.options == Options("glm", seed=2, tools=(TOOL,))
    assert case.tool_set == ToolSet((TOOL,))
    first, second, third = case.entries
    assert first == CaseEntry(UserEntry("u", "Hello", (CAT,)), None, 1.0)
    turn = whole.nodes[1].entry.turn  # type: ignore[union-attr]
    assert second.said == CaseTurn("t", turn, ((2, False),) * 2, "high")
    assert second.feedback == Feedback("like", "!")
    assert third.said == replace(second.said, id="t2", effort=None)


def test_a_case_of_a_chat_makes_the_same_chat() -> None:
    whole = whole_chat()
    back = chat_of(case_of(whole, {}), ArgumentChecker, NOW)
    names = dict(zip([node.entry.id for node in back.nodes], ("u", "t", "t2"), strict=True))
    for before, after in zip(whole.nodes, back.nodes, strict=True):
        assert names[after.entry.id] == before.entry.id
        assert (names.get(after.parent or ""), after.created) == (before.parent, before.created)
        assert (after.feedback, after.exchanges) == (before.feedback, before.exchanges)
        if isinstance(after.entry, TurnEntry) and isinstance(before.entry, TurnEntry):
            assert after.entry.turn == before.entry.turn
            assert after.entry.notices == ()
    assert (back.title, names[back.leaf or ""]) == ("Title", "t")


def test_results_of_calls_come_with_their_answers() -> None:
    called = Turn((ToolCall("1", "weather", "{}"),), "tool_calls")
    given = (GivenResult("1", "21", "rule 1"),)
    results = CaseEntry(ResultsEntry("r1", given), "t1")
    whole = imported(message("u1"), answer("t1", "u1", called), results, answer("t2", "r1"))
    entry = whole.nodes[2].entry
    assert isinstance(entry, ResultsEntry)
    assert entry.results == given
    assert entry.id != "r1"
    assert whole.nodes[3].parent == entry.id
    assert case_of(whole, {}).entries[2].said == entry


def test_an_answer_of_a_file_is_checked_by_the_schema_of_its_own_request() -> None:
    needs_city, any_object = {"required": ["city"]}, {"type": "object"}
    turn = Turn((Text("{}"),), "stop")
    asked = (Exchange(Options("glm", response_schema=any_object), "d"),)
    whole = imported(
        message("u1"),
        replace(answer("t1", "u1", turn), exchanges=asked),
        answer("t2", "u1", turn),
        answer("t3", "u1", replace(turn, finish_reason=EDITED), edited=True),
        options=Options("glm", response_schema=needs_city),
    )
    checks = [turn_of(whole, at).answer_check for at in (1, 2, 3)]
    assert checks[0] == AnswerCheck(True)
    assert checks[1] == AnswerCheck(True, (Problem("$.city", "'city' is missing"),))
    assert checks[2] is None


def test_a_chat_that_was_never_set_up_is_set_up_by_what_its_file_declares() -> None:
    setup = imported(message("u1"), tools=(TOOL,)).setup
    assert setup is not None
    assert json.loads(setup.tools) == [TOOL]
    assert imported(message("u1")).setup is None


def test_a_setup_comes_back_with_its_chat() -> None:
    setup = ToolSetup(tools="[{ half", off=("weather",), choice="none")
    case = case_of(replace(whole_chat(), setup=setup), {})
    assert case.tool_set == ToolSet((TOOL,))
    assert chat_of(case, ArgumentChecker, NOW).setup == setup


def test_a_chat_that_was_never_answered_has_no_options() -> None:
    case = case_of(WholeChat(None, None, (whole_chat().nodes[0],)), {})
    assert (case.options, case.tool_set) == (None, ToolSet())


# One upload: a file, or a zip of files.


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    data.seek(0)
    return data


def opened(data: io.BytesIO, most: int = 1_000_000, name: str = "chats.zip") -> CaseFiles:
    return CaseFiles(data, name, max_bytes=most)


def test_a_zip_s_files_come_out_under_plain_names(tmp_path: Path) -> None:
    files = opened(
        zipped(
            ("../../a.json", b"{1"), ("folder/", b""), ("C:\\b.json", b"{2"), ("__MACOSX/a", b"")
        )
    )
    assert files.names == ["a.json", "b.json"]
    files.extract(1, tmp_path / "source")
    assert (tmp_path / "source").read_bytes() == b"{2"
    assert list(tmp_path.iterdir()) == [tmp_path / "source"]


def test_a_single_file_is_taken_with_blanks_and_a_mark_before_it(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf\n {}"
    opened(io.BytesIO(data), name="a.json").extract(0, tmp_path / "source")
    assert (tmp_path / "source").read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"[1]", b"GIF89a", b"PK", b"\x1f\x8b"])
def test_what_is_neither_is_refused(data: bytes) -> None:
    with pytest.raises(CaseError, match=r"^“a\.bin” is neither a case file nor a zip"):
        opened(io.BytesIO(data), name="a.bin")


def test_an_empty_zip_is_refused() -> None:
    with pytest.raises(CaseError, match="holds no file"):
        opened(zipped(("folder/", b"")))


def test_a_zip_of_too_many_files_is_refused() -> None:
    many = zipped(*((f"{number}.json", b"") for number in range(10_001)))
    with pytest.raises(CaseError, match="10,001 files, and at most 10,000"):
        opened(many)


def test_a_zip_whose_list_would_fill_the_memory_is_not_read() -> None:
    huge = zipped(*((f"{number:0200}.json", b"") for number in range(20_000)))
    with pytest.raises(CaseError, match="damaged or holds far too many files"):
        opened(huge)


def test_sizes_count_as_they_are_unpacked_over_all_files(tmp_path: Path) -> None:
    files = opened(zipped(("a", b"a" * 600_000), ("b", b"b" * 600_000), ("c", b"c")))
    files.extract(0, tmp_path / "a")
    for number in (1, 2):
        with pytest.raises(CaseError, match="more than 1 MB unpacked"):
            files.extract(number, tmp_path / "b")
    assert (tmp_path / "b").stat().st_size < 600_000


def test_a_bomb_is_stopped_at_the_limit(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="more than 1 MB unpacked"):
        opened(zipped(("bomb", bytes(200_000_000)))).extract(0, tmp_path / "a")
    assert (tmp_path / "a").stat().st_size <= 1_000_000


def lying(size: int) -> io.BytesIO:
    """A zip of 500,000 bytes that says they were so many."""
    honest = zipped(("a", b"a" * 500_000)).getvalue()
    return io.BytesIO(honest.replace((500_000).to_bytes(4, "little"), size.to_bytes(4, "little")))


def test_a_file_that_says_it_is_smaller_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="cannot be read from the zip"):
        opened(lying(10)).extract(0, tmp_path / "a")
    assert (tmp_path / "a").stat().st_size <= 500_000


def test_a_file_that_says_it_is_huge_is_taken_by_its_real_size(tmp_path: Path) -> None:
    opened(lying(2_000_000_000)).extract(0, tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"a" * 500_000


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_to_compress_that_cannot_be_bounded_are_refused(tmp_path: Path, method: int) -> None:
    with pytest.raises(CaseError, match="compressed in a rare way"):
        opened(zipped(("a", b"a"), method=method)).extract(0, tmp_path / "a")


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.json", b"{}")).getvalue())
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + at] |= 1
    with pytest.raises(CaseError, match="encrypted"):
        opened(io.BytesIO(bytes(data))).extract(0, tmp_path / "a")


def test_a_zip_in_a_zip_is_not_looked_into(tmp_path: Path) -> None:
    inner = zipped(("a.json", b"{}")).getvalue()
    with pytest.raises(CaseError, match="a zip inside the zip"):
        opened(zipped(("inner.json", inner))).extract(0, tmp_path / "a")


@pytest.mark.parametrize("cut", [10, 60, -30, -1])
def test_a_cut_zip_is_refused_and_nothing_else(tmp_path: Path, cut: int) -> None:
    with pytest.raises(CaseError):
        opened(io.BytesIO(zipped(("a.json", b"{}" * 500)).getvalue()[:cut])).extract(0, tmp_path)


def test_a_damaged_file_of_a_zip_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.json", b"{}" * 500), method=zipfile.ZIP_STORED).getvalue())
    data[200] ^= 1
    with pytest.raises(CaseError, match="damaged"):
        opened(io.BytesIO(bytes(data))).extract(0, tmp_path / "a")


def test_what_was_unpacked_is_loaded_as_it_was(tmp_path: Path) -> None:
    (tmp_path / CASE_FILE).write_text(
        '{"format": "glm-playground-case", "version": 1, "title": "Sums", "entries": ['
        '{"kind": "user", "text": "1+1"}, {"kind": "turn", "text": "2"},'
        '{"kind": "turn", "after": "1", "text": "two"}], "leaf": "2"}'
    )
    unpack(tmp_path)
    chat = load(tmp_path).chat
    assert chat.title == "Sums"
    assert [node.parent for node in chat.nodes] == [None, *[chat.nodes[0].entry.id] * 2]
    assert chat.leaf == chat.nodes[1].entry.id
    (tmp_path / CASE_FILE).unlink()
    pack(tmp_path)
    case = read_case((tmp_path / CASE_FILE).read_bytes())
    assert [entry.said.id for entry in case.entries] == [node.entry.id for node in chat.nodes]


def test_a_message_longer_than_one_can_be_is_refused(tmp_path: Path) -> None:
    text = "x" * 8_000_001
    (tmp_path / CASE_FILE).write_text(
        '{"format": "glm-playground-case", "version": 1, "entries": [{"kind": "user", "text": '
        f'"{text}"}}]}}'
    )
    with pytest.raises(CaseError, match=r"^\$\.entries\[0\] has more than 8,000,000 characters"):
        unpack(tmp_path)


def test_names_are_plain_and_safe() -> None:
    assert plain_name("a/b\\c\n\u202e.json") == "c.json"
    assert plain_name(None) == ""
    assert saved_name('a/b: "c"\n<d>?') == "a b c d"
    assert saved_name(" .. ") == "chat"
    assert len(saved_name("x" * 500)) == 80
