from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.chat.entries import UserEntry
from app.chat.exchange import Exchange
from app.chat.messages import Text
from app.chat.request import Options
from app.chat.turn import Turn
from app.chat.wire_record import Read
from app.export.case import Case, CaseEntry, CaseTurn
from app.export.case_reading import CaseError, read_case
from app.export.case_writing import write_case
from tests.export.case_values import PICTURE, cases, json_values, packed

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def written(*entries: CaseEntry) -> bytes:
    return write_case(Case(entries=entries, leaf=entries[-1].said.id), exported=NOW)


def answered(*exchanges: Exchange, turn: Turn | None = None) -> bytes:
    return written(
        CaseEntry(UserEntry("u", "Hi"), None),
        CaseEntry(CaseTurn("t", turn or Turn((Text("Ho"),), "stop")), "u", exchanges=exchanges),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_what_is_written_is_read_back(case: Case) -> None:
    assert read_case(write_case(case, exported=NOW)) == case


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file in which some value, at whatever depth, was replaced by another."""
    holder: Any = [json.loads(write_case(draw(cases()), exported=NOW))]
    root, key = holder, cast("Any", 0)
    while isinstance(holder[key], dict | list) and holder[key] and draw(st.integers(0, 9)):
        holder = holder[key]
        key = draw(
            st.sampled_from(list(holder))
            if isinstance(holder, dict)
            else st.integers(0, len(holder) - 1)
        )
    holder[key] = draw(json_values)
    return json.dumps(root[0]).encode()


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(damaged())
def test_a_damaged_file_is_refused_as_such_or_read_as_written(data: bytes) -> None:
    try:
        case = read_case(data)
    except CaseError:
        return
    assert read_case(write_case(case, exported=NOW)) == case


def test_a_file_says_what_it_is_and_when_it_was_exported() -> None:
    file = json.loads(answered())
    assert list(file)[:3] == ["format", "version", "exported"]
    assert file["exported"] == "2026-05-04T03:02:01+00:00"


def test_the_wire_is_text_with_the_wait_before_each_read() -> None:
    wire = packed((Read(0.4125, b"data: \xc3"), Read(0.5, "\u00e4".encode())))
    exchange = Exchange(Options("m"), "", wire=wire)
    (entry,) = json.loads(answered(exchange))["entries"][1]["exchanges"]
    assert entry["wire"] == [
        {"wait_ms": 412.5, "base64": "ZGF0YTogww=="},
        {"wait_ms": 87.5, "text": "\u00e4"},
    ]


def test_settings_and_tools_of_a_request_stand_once() -> None:
    first = Options("m", effort="low", system="Be brief.")
    case = Case(
        entries=read_case(
            answered(Exchange(first, ""), Exchange(replace(first, effort=None, seed=3), ""))
        ).entries,
        leaf="t",
        options=first,
    )
    file = json.loads(write_case(case, exported=NOW))
    assert file["settings"] == {"model": "m", "effort": "low", "system": "Be brief."}
    sent = file["entries"][1]["exchanges"]
    assert [exchange.get("settings") for exchange in sent] == [None, {"effort": None, "seed": 3}]


def test_a_picture_under_two_names_keeps_both() -> None:
    other = replace(PICTURE, name="again.png")
    entries = (
        CaseEntry(UserEntry("1", "", (PICTURE,)), None),
        CaseEntry(UserEntry("2", "", (other,)), "1"),
    )
    case = read_case(written(*entries))
    assert case.entries == entries
    assert case.media == {}, "without its bytes a picture is gone, and still known"


def test_what_json_has_not_is_replaced() -> None:
    turn = Turn((Text("\ud83d half"),), "stop", usage={"odd": float("nan")})
    said = read_case(answered(turn=turn)).entries[1].said
    assert isinstance(said, CaseTurn)
    assert said.turn.content == "\ufffd half"
    assert said.turn.usage == {"odd": None}


def test_figures_that_fit_no_part_are_left_out() -> None:
    entry = CaseEntry(CaseTurn("t", Turn((Text("Ho"),), "stop"), ((1, True), (2, True))), "u")
    said = read_case(written(CaseEntry(UserEntry("u", "Hi"), None), entry)).entries[1].said
    assert isinstance(said, CaseTurn)
    assert said.tokens == ()
    assert said.turn.timings.part_seconds == (0.0,)
