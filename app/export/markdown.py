"""A chat as a Markdown document: what was said, thought, called and noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt

from app.chat.entries import GivenResult, Node, ResultsEntry, TurnEntry, UserEntry
from app.chat.files import fenced
from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.notices import Notice
from app.chat.turn import TurnPart

_COMMONMARK: Final = MarkdownIt("commonmark").disable("inline")
"""Finds blocks, not what stands in them."""

_HTML_ENDS: Final = (
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile(r"<!"), ">"),
    (re.compile(r"<(pre|script|style|textarea)", re.IGNORECASE), "</pre>"),
)
"""What begins the HTML blocks that a blank line does not end, and what ends them. Of the tags any
ends all. Source: CommonMark 0.31, HTML blocks."""

_PUNCTUATION: Final = re.compile(r"([\\`*_\[\]<>#&~|$])")
_MEDIA: Final = {"image": "Picture", "video": "Clip"}


def chat_markdown(title: str, nodes: Sequence[Node], *, model: str) -> str:
    """The document of a chat: its title, then each entry under the name of who speaks.

    `nodes` are one path through the chat, oldest first; `model` is the name that its answers go
    under. Messages and answers stand as they were written, Markdown that they are; where one leaves
    a block of code or HTML open, it is closed, since it would take in all that follows.
    """
    blocks = [f"# {_plain(title)}"]
    for node in nodes:
        if isinstance(node.entry, UserEntry):
            blocks += ["## You", *_message(node.entry)]
        elif isinstance(node.entry, ResultsEntry):
            blocks += ["## Results of the calls", *map(_result, node.entry.results)]
        else:
            blocks += [f"## {_plain(model)}", *_turn(node.entry)]
    return "\n\n".join(blocks) + "\n"


def _message(entry: UserEntry) -> Iterator[str]:
    yield from map(_attachment, entry.attachments)
    yield from map(fenced, entry.files)
    if entry.text.strip():
        yield _closed(entry.text)


def _attachment(attachment: Attachment) -> str:
    facts = [f"{attachment.size:,} bytes"]
    if attachment.width is not None and attachment.height is not None:
        facts.append(f"{attachment.width} x {attachment.height} pixels")
    if attachment.seconds is not None:
        facts.append(f"{attachment.seconds:.1f} s")
    name = f" {_plain(attachment.name)}" if attachment.name else ""
    return f"**{_MEDIA[attachment.kind]}**{name} ({', '.join(facts)})"


def _turn(entry: TurnEntry) -> Iterator[str]:
    yield from map(_part, entry.turn.parts)
    yield from map(_notice, entry.notices)
    yield f"<sub>{' · '.join(_figures(entry))}</sub>"


def _part(part: TurnPart) -> str:
    match part:
        case Reasoning(text):
            # Plain text: in a fence nothing in it is read as Markdown or ends the block.
            return (
                f"<details>\n<summary>Reasoning</summary>\n\n{_fence(text, 'text')}\n\n</details>"
            )
        case ToolCall(call_id, name, arguments):
            named = f" ({_plain(call_id)})" if call_id else ""
            return f"Call of **{_plain(name)}**{named}:\n\n{_fence(arguments, 'json')}"
        case Text(text):
            return _closed(text)


def _result(result: GivenResult) -> str:
    named = f"Result of {_plain(result.call_id)}" if result.call_id else "Result"
    # What a call got may be of any kind: in a fence nothing in it is read as Markdown.
    return f"{named} ({_plain(result.answered_by)}):\n\n{_fence(result.content, 'text')}"


def _notice(notice: Notice) -> str:
    return f"> **{_plain(notice.message)}** {_plain(notice.remedy)}"


def _figures(entry: TurnEntry) -> Iterator[str]:
    """The effort, and what is known of tokens and seconds."""
    yield f"effort {_plain(entry.effort)}" if entry.effort else "default effort"
    stats: Mapping[str, Any] = entry.stats
    about = "about " if stats.get("estimated") else ""
    for kind, begun in (("prompt", ""), ("reasoning", about), ("answer", about)):
        count = stats.get(f"{kind}_tokens")
        if count is not None:
            yield f"{begun}{count:,} {kind} tokens"
    if (first := stats.get("first_token_s")) is not None:
        yield f"first token after {first:.2f} s"
    if (total := stats.get("total_s")) is not None:
        yield f"{total:.2f} s in all"
    if entry.edited:
        yield "edited by hand"


def _plain(text: str) -> str:
    """A text on one line, with nothing in it that Markdown or HTML reads as its own."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def _fence(text: str, language: str) -> str:
    """A fenced block that nothing in the text closes. Source: CommonMark 0.31, fenced blocks."""
    longest = max(map(len, re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"


def _closed(text: str) -> str:
    """The text with its last block closed, so that what follows it is no part of it."""
    text = text.strip("\n")
    last = _COMMONMARK.parse(f"{text}\n\n# What follows")[-1]
    if last.type == "fence":
        return f"{text}\n{last.markup}"
    if last.type == "html_block":
        begun = last.content.lstrip()
        return f"{text}\n{next(end for start, end in _HTML_ENDS if start.match(begun))}"
    return text
