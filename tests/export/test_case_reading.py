from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from app.chat.messages import Reasoning, Text, ToolCall
from app.export.case import FORMAT, CaseTurn
from app.export.case_reading import MAX_CASE_BYTES, MAX_VALUES, CaseError, is_case, read_case
from tests.export.case_values import MEDIA, PICTURE, PIXEL, WEATHER

HEAD = {"format": FORMAT, "version": 1}
USER: dict[str, Any] = {"kind": "user", "text": "Hi"}
TURN: dict[str, Any] = {"kind": "turn", "text": "Ho"}
RESULTS: dict[str, Any] = {"kind": "results", "results": [{"call_id": "c", "content": "21"}]}


def file(*entries: Mapping[str, Any], **fields: Any) -> bytes:
    return json.dumps({**HEAD, "entries": entries, **fields}).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(CaseError) as refused:
        read_case(data)
    said = str(refused.value)
    assert said.endswith((".", "…"))
    assert "\n" not in said
    assert "msgspec" not in said
    return said


def turn_of(data: bytes, at: int = 1) -> CaseTurn:
    said = read_case(data).entries[at].said
    assert isinstance(said, CaseTurn)
    return said


def test_a_person_may_write_the_least() -> None:
    case = read_case(file(USER, TURN, USER))
    assert [entry.said.id for entry in case.path()] == ["1", "2", "3"]
    turn = turn_of(file(USER, TURN)).turn
    assert (turn.parts, turn.finish_reason) == ((Text("Ho"),), "stop")
    assert turn.complete


def test_parts_of_every_kind_are_read() -> None:
    parts = [
        {"is": "reasoning", "text": "Hm"},
        {"is": "text", "text": "Ho"},
        {"is": "call", "id": "c", "name": "f", "arguments": "{"},
    ]
    turn = turn_of(file(USER, {"kind": "turn", "parts": parts})).turn
    assert turn.parts == (Reasoning("Hm"), Text("Ho"), ToolCall("c", "f", "{"))


def test_an_answer_that_failed_or_was_stopped_is_not_whole() -> None:
    for how in ({"stopped": True}, {"failure": {"kind": "cut_short"}}, {"finish_reason": None}):
        assert not turn_of(file(USER, {**TURN, **how})).turn.complete


def test_what_a_newer_version_adds_is_passed_over() -> None:
    case = read_case(file({**USER, "mood": ["good"]}, colour="red", media={}))
    assert case.path()[0].said.id == "1"


def test_versions_of_a_message_hang_on_the_same_entry() -> None:
    case = read_case(
        file(
            {**USER, "id": "a"},
            {**TURN, "id": "b", "after": "a"},
            {**TURN, "id": "c", "after": "a"},
            leaf="b",
        )
    )
    assert [entry.said.id for entry in case.path()] == ["a", "b"]
    assert [entry.parent for entry in case.entries] == [None, "a", "a"]


def test_a_key_that_stands_twice_does_no_harm() -> None:
    for bad in (b'[{"wire": [{"wait_ms": "x"}]}]', b'[{"wire": 3}]', b"[[]]"):
        for good in (b"3", b"[]", b"{}", b"[{}]"):
            turn = b'{"kind": "turn", "exchanges": %s, "exchanges": %s}' % (bad, good)
            assert "$.entries[1].exchanges" in refusal(
                file(USER, {"x": 0}).replace(b'{"x": 0}', turn)
            )


def test_a_byte_order_mark_and_nul_do_no_harm() -> None:
    case = read_case(b"\xef\xbb\xbf" + file({**USER, "text": "a\0b"}))
    assert case.entries[0].said.text == "a\0b"  # type: ignore[union-attr]


def test_media_come_with_their_bytes_or_are_gone() -> None:
    message = {**USER, "media": [PICTURE.hash]}
    case = read_case(file(message, media={PICTURE.hash: {**MEDIA, "size": 3}}))
    assert case.media[PICTURE.hash].data == PIXEL
    assert case.media[PICTURE.hash].attachment.size == len(PIXEL), "counted, not believed"
    assert read_case(file(message, media={PICTURE.hash: {"kind": "image"}})).media == {}


def test_an_exchange_goes_on_with_an_answer_if_it_has_its_parts() -> None:
    def options(base: list[Any]) -> Any:
        sent = {"settings": {"model": "m", "continue_last": True}, "base": base}
        case = read_case(file(USER, {**TURN, "exchanges": [sent]}))
        return case.entries[1].exchanges[0].options

    assert options([{"is": "text", "text": "H"}]).continue_last
    assert not options([{"is": "text", "text": ""}]).continue_last


def test_whether_it_is_a_case_shows_in_its_head() -> None:
    assert is_case(file())
    assert is_case(b"\xef\xbb\xbf" + file(version=7))
    for other in (b"", b"[]", b'{"messages": []}', b"\xff", b"[" * 10_000):
        assert not is_case(other)


EXCHANGE = {"wire": [{"wait_ms": 1, "text": "data: x"}]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b'{"format": ', "not JSON (input data was truncated)"),
        (b"\xff\xfe", "not JSON"),
        (b'{"new": ' + b"[" * 100_000, "nested too deep"),
        (b"[]", "$ must be an object, not an array"),
        (b'{"messages": []}', "is no case file"),
        (file(version=2), "version 2, and 1 is"),
        (file(version=True), "version true"),
        (file(version=None), "version null"),
        (file(title=3), "$.title must be a text or null, not a whole number"),
        (b'{"format": "%s", "version": 1, "title": NaN}' % FORMAT.encode(), "not JSON"),
        (file({"kind": "system", "text": "x"}), "$.entries[0].kind is 'system', which is none of"),
        (file({"text": "x"}), "$.entries[0].kind is missing"),
        (file(USER, [TURN]), "$.entries[1] must be an object, not an array"),
        (file({**USER, "text": None}), "$.entries[0].text must be a text, not null"),
        (file({"kind": "user"}), "$.entries[0] is a message that says nothing"),
        (file({**USER, "files": [{"name": "a.txt", "text": ""}, {"name": "../a", "text": ""}]}),
         "$.entries[0].files[1].name must be the name of a file, without folders"),
        (file({**USER, "created": -1}), "$.entries[0].created must be a number >= 0"),
        (file({**USER, "id": "a"}, {**USER, "id": "a"}), '$.entries[1] has the id "a"'),
        (file({**USER, "id": "2"}, USER), '$.entries[1] has the id "2"'),
        (file({**USER, "id": ""}), "$.entries[0].id must be a text of length >= 1"),
        (file({**USER, "id": "a", "after": "a"}), '$.entries[0].after is "a", which is no entry'),
        (file({**USER, "after": "2"}, {**USER, "after": "1"}), '$.entries[0].after is "2"'),
        (file(USER, leaf="9"), '$.leaf is "9", which is the id of no entry'),
        (file(TURN), "$.entries[0] is an answer, and follows no message"),
        (file(USER, TURN, TURN), "$.entries[2] is an answer, and follows no message"),
        (file(*[USER] * 10_001), "$.entries has 10,001 entries, of at most 10,000"),
        (file(USER, {**TURN, "parts": []}), "$.entries[1] has both text and parts"),
        (file(USER, {"kind": "turn", "parts": [{"is": "text", "text": ""}, {"is": "picture"}]}),
         "$.entries[1].parts[1].is is 'picture', which is none of reasoning, text, call"),
        (file(RESULTS), "$.entries[0] is what calls got, and follows no answer"),
        (file(USER, RESULTS), "$.entries[1] is what calls got, and follows no answer"),
        (file(USER, TURN, {"kind": "results"}), "$.entries[2].results is missing"),
        (file(USER, TURN, {**RESULTS, "results": [{"call_id": "c"}]}),
         "$.entries[2].results[0].content is missing"),
        (file(USER, TURN, {**RESULTS, "results": [{**RESULTS["results"][0], "answered_by": "me"}]}),
         "$.entries[2].results[0].answered_by must be hand, generated, error, cancelled, or"),
        (file(setup={"max_steps": 0}), "$.setup.max_steps must be a whole number >= 1"),
        (file(setup={"choice": "always"}), "$.setup.choice is 'always', which is none of auto"),
        (file(setup={"off": [""]}), "$.setup.off[0] must be"),
        (file(setup={"tools": []}), "$.setup.tools must be a text"),
        (file(USER, {**TURN, "effort": "none"}), "which is none of low, high, max"),
        (file(USER, {**TURN, "rating": {"value": "meh"}}), "none of like, dislike"),
        (file(USER, {**TURN, "failure": {"kind": "bad"}}), "none of server_error, unreachable"),
        (file(USER, {**TURN, "tokens": [[1, True], [2, True]]}),
         "$.entries[1].tokens must have 1 items, one a part"),
        (file(USER, {**TURN, "tokens": [[-1, True]]}), "$.entries[1].tokens[0][0] must be"),
        (file(USER, {**TURN, "timings": {"part_seconds": [1, 2]}}), "timings.part_seconds must"),
        (file(USER, {**TURN, "timings": {"total_s": -1}}), "timings.total_s must be a number >= 0"),
        (file(USER, {**TURN, "exchanges": [EXCHANGE, {"wire": [{"text": "x"}]}]}),
         "$.entries[1].exchanges[1].wire[0].wait_ms is missing"),
        (file(USER, {**TURN, "exchanges": [{"wire": [*EXCHANGE["wire"], {"wait_ms": 1}]}]}),
         "$.entries[1].exchanges[0].wire[1] must have either text or base64"),
        (file(USER, {**TURN, "exchanges": [{"wire": [{"wait_ms": -1, "text": ""}]}]}),
         "wire[0].wait_ms must be a number >= 0"),
        (file(USER, {**TURN, "exchanges": [{"wire": [{"wait_ms": 1, "base64": "a"}]}]}),
         "wire[0].base64 does not fit (invalid base64"),
        (file(USER, {**TURN, "exchanges": [{"settings": {"tools": [{}]}}]}),
         "$.entries[1].exchanges[0].settings.tools[0].function must be an object"),
        (file(settings={"effort": "none"}), "$.settings.effort is 'none'"),
        (file(settings={"temperature": 3}), "$.settings.temperature must be a number <= 2.0"),
        (file(settings={"stop": ["a", 3]}), "$.settings.stop[1] must be a text"),
        (file(tools=[WEATHER, WEATHER]), "$.tools[1].function.name"),
        (file(tools=[WEATHER], results={"get_weather": 3}), "$.results.get_weather must be"),
        (file(mocks=[{"tool": "*"}]), "$.mocks[0] must have exactly one of"),
        (file(media={"abc": MEDIA}), '$.media has "abc", which is no SHA-256'),
        (file(media={"0" * 64: MEDIA}), "base64 holds other bytes than those of that SHA-256"),
        (file(media={PICTURE.hash: {"mime": "image/png"}}), ".kind is missing"),
        (file(media={PICTURE.hash: {**MEDIA, "kind": "sound"}}), "none of image, video"),
        (file(media={PICTURE.hash: {**MEDIA, "mime": "video/mp4"}}), "media type of an image"),
        (file(media={PICTURE.hash: {**MEDIA, "mime": "image/png;x"}}), "a media type such as"),
        (file(media={PICTURE.hash: {**MEDIA, "base64": "QQ =="}}), "invalid base64"),
        (file({**USER, "media": ["xyz"]}), "$.entries[0].media[0] must be a SHA-256"),
        (file({**USER, "media": ["0" * 64]}), "$.entries[0].media[0] is the hash of nothing"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(data: bytes, said: str) -> None:
    assert said in refusal(data)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1" + "0" * 400, "1e400", "1" * 9000])
def test_numbers_that_no_float_holds_are_refused(number: str) -> None:
    for place in (b'"usage": {"n": %s}', b'"created": %s', b'"stop_reason": %s'):
        turn = json.dumps(TURN).encode().replace(b"{", b"{" + place % number.encode() + b", ")
        assert "$.entries[1]" in refusal(file(USER, {"x": 0}).replace(b'{"x": 0}', turn))


def test_half_a_surrogate_pair_is_refused() -> None:
    assert "is not JSON" in refusal(file({**USER, "text": "\ud83d!"}))


def test_json_of_any_form_has_a_depth() -> None:
    deep: Any = {}
    for _ in range(100):
        deep = {"in": deep}
    assert "deeper than 64" in refusal(file(USER, {**TURN, "usage": deep}))
    assert "deeper than 64" in refusal(file(mocks=[{"tool": "*", "result": deep}]))
    nested = b'{"usage": ' * 5000 + b"1" + b"}" * 5000
    data = file(USER, {"x": 0}).replace(b'{"x": 0}', nested)
    assert "nested too deep" in refusal(data)


def test_the_one_bad_read_of_many_is_found() -> None:
    wire: list[dict[str, Any]] = [{"wait_ms": 1, "text": "data: x\n\n"}] * 5000
    wire[3210] = {"wait_ms": "soon", "text": ""}
    said = refusal(file(USER, {**TURN, "exchanges": [{"wire": wire}]}))
    assert "$.entries[1].exchanges[0].wire[3210].wait_ms must be a number, not a text" in said


def test_many_values_in_few_bytes_are_refused_before_they_are_made() -> None:
    data = file(USER, {**TURN, "exchanges": ["x"]})
    many = data.replace(b'"x"', b"{}," * (MAX_VALUES // 2) + b"{}")
    assert "more than 4,000,000 values" in refusal(many)
    text = "{},[" * (MAX_VALUES // 3)
    assert read_case(file({**USER, "text": text})).entries[0].said.text == text  # type: ignore[union-attr]


def test_what_a_file_says_cannot_fill_or_move_a_terminal() -> None:
    said = refusal(file(USER, {**TURN, "effort": "\x1b[2J\nlow" * 10_000}))
    assert len(said) < 600
    assert said.isprintable()
    said = refusal(file(tools=[WEATHER], results={"a\x9b" * 10_000: 3})[:-1] + b"}")
    assert len(said) < 600
    assert said.isprintable()


def test_a_file_beyond_the_limit_is_not_looked_into() -> None:
    assert "at most 500,000,000" in refusal(bytes(MAX_CASE_BYTES + 1))
