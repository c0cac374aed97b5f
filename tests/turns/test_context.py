from __future__ import annotations

from typing import Any

from app.chat.entries import Node, TurnEntry, UserEntry, conversation_of
from app.chat.messages import Attachment, Text
from app.chat.turn import Turn
from app.turns.context import after_turn, estimate, of_path
from app.turns.tokens import estimate_tokens


def turn(text: str, **stats: Any) -> TurnEntry:
    return TurnEntry("t", Turn(parts=(Text(text),)), (), (), stats)


def nodes(*entries: UserEntry | TurnEntry) -> list[Node]:
    return [Node(entry, None, (entry.id,), 0.0) for entry in entries]


def test_the_servers_count_of_the_last_turn_is_what_the_chat_takes() -> None:
    path = nodes(UserEntry("m", "x" * 400), turn("y", context_tokens=123))
    assert of_path(path, 1000) == {
        "tokens": 123,
        "estimated": False,
        "limit": 1000,
        "source": "usage",
    }


def test_what_was_said_since_the_last_count_is_estimated_on_top() -> None:
    path = nodes(turn("y", context_tokens=100), UserEntry("m", "x" * 400))
    view = of_path(path, 1000)
    assert (view["tokens"], view["estimated"]) == (204, True)


def test_an_empty_chat_takes_nothing() -> None:
    assert of_path([], 1000)["tokens"] == 0


def test_a_turn_without_usage_is_estimated_with_all_before_it() -> None:
    before = conversation_of([UserEntry("m", "x" * 400)])
    view = after_turn(turn("y" * 40), before, 1000)
    assert (view["tokens"], view["source"]) == (118, "estimate")


def test_pictures_and_clips_count_by_their_size() -> None:
    picture = Attachment("a" * 64, "image", 1, width=640, height=480)
    clip = Attachment("b" * 64, "video", 1, width=640, height=480, seconds=10.0)
    assert estimate(conversation_of([UserEntry("m", "", (picture,))])) == 4 + 414
    assert estimate(conversation_of([UserEntry("m", "", (clip,))])) == 4 + 4140


def test_an_estimate_takes_a_chinese_letter_for_more_than_an_english_one() -> None:
    assert estimate_tokens("word word") == 3
    assert estimate_tokens("机器学习") == 3
    assert estimate_tokens("\ud800") == 1
