"""The kinds of lines in a run's log, for those who read them: `publisher.py` and `run.py` write."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of line, the fields it holds beside `n` and `type`, and what it says."""

    type: str
    fields: tuple[str, ...]
    meaning: str


EVENT_KINDS = (
    EventKind(
        "turn",
        ("turn",),
        "A turn begins: the first line of a run, and again after each `results`. Its parts are "
        "numbered from 0 anew.",
    ),
    EventKind(
        "waiting",
        ("reason", "message"),
        "It waits: for a slot (`before`: how many come first), to try again, for the server to "
        "wake (`attempt`, `seconds`, `billed`), or as long as a `tool` takes by its rule "
        "(`seconds`).",
    ),
    EventKind("started", (), "The server has begun to answer; the wait is over."),
    EventKind(
        "part",
        ("part", "kind"),
        "A part begins: `kind` is `reasoning`, `answer`, or `call` (with `id` and `name`). "
        "Parts are numbered from 0.",
    ),
    EventKind("reasoning", ("part", "text"), "More of a thought: append the text."),
    EventKind(
        "thought",
        ("part", "text"),
        "What was shown as an answer was thought: the part becomes reasoning, with this text.",
    ),
    EventKind(
        "block",
        ("part", "block", "html"),
        "A block of an answer as safe HTML; it replaces the block of the same number.",
    ),
    EventKind("code", ("part", "block", "text"), "More of an open code block: append the text."),
    EventKind(
        "item",
        ("part", "block", "item", "html"),
        "A row or an item of an open block as HTML; it replaces the one of the same number.",
    ),
    EventKind("truncate", ("part", "blocks"), "The answer now has so many blocks: drop the rest."),
    EventKind(
        "call",
        ("part", "name", "arguments"),
        "More of a call: `name` so far; append `arguments` to what came.",
    ),
    EventKind(
        "call_checked",
        ("part", "name", "arguments", "problems", "declared"),
        "The call is whole, and was checked against the tool's schema.",
    ),
    EventKind("usage", ("tokens", "estimated"), "Tokens of the part that is open."),
    EventKind(
        "part_closed",
        ("part", "seconds", "tokens", "estimated"),
        "The part is over: how long it took and how many tokens it has.",
    ),
    EventKind(
        "turn_end",
        (
            "turn",
            "state",
            "notices",
            "stats",
            "error",
            "can_continue",
            "answer_check",
            "context",
            "chat_cost",
            "chat_calls",
        ),
        "The turn is over and kept: `state` is `complete` or `incomplete`, and each notice says "
        "what to do. `answer_check` says whether an answer with a schema is JSON (`parsed`), and "
        "what is wrong with it (`problems`); `chat_calls` counts the calls of the chat (`calls`, "
        "`valid`, `invalid`, `unknown`). The last turn of a run also has `pending`, its calls that "
        "wait for an answer (`id`, `name`, `suggestion`, `why`), and `limit`, the most steps where "
        "those were made.",
    ),
    EventKind(
        "results",
        ("turn", "id", "results", "delay_s"),
        "Rules have answered the turn's calls (`id`, `name`, `content`, `answered_by`), and the "
        "next turn follows after `delay_s`.",
    ),
    EventKind("end", (), "The last line."),
    EventKind("heartbeat", (), "Nothing new for 5 seconds. It has no `n`."),
)
"""All kinds, in about the order in which they come."""
