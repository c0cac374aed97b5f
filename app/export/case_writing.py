"""Writing a case file: a chat as one JSON document, which `case_reading` takes back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Final

import msgspec
from msgspec import UNSET, Raw

from app.chat.entries import Feedback, ResultsEntry, UserEntry
from app.chat.exchange import Exchange
from app.chat.messages import Attachment, Reasoning, Text
from app.chat.request import Options
from app.chat.turn import Turn, TurnPart
from app.endpoint.wire_json import decode_json
from app.export.case import FORMAT, VERSION, Case, CaseEntry, CaseMedia, CaseTurn
from app.export.case_form import (
    AttachmentForm,
    CallForm,
    CaseForm,
    EntryForm,
    ExchangeForm,
    FactsForm,
    FailureForm,
    FileForm,
    MediaForm,
    PartForm,
    RatingForm,
    ReadForm,
    ReasoningForm,
    ResultForm,
    ResultsForm,
    SettingsForm,
    TextForm,
    TimingsForm,
    TurnForm,
    UserForm,
)
from app.export.case_setup import setup_form
from app.tools.mocks import written_rule

CASE_ENDING: Final = ".case.json"
"""How the name of a case file ends."""

_FACTS: Final = FactsForm.__struct_fields__


def write_case(case: Case, *, exported: datetime) -> bytes:
    """The file of a case: UTF-8 JSON, indented, at about the size of its wires and media.

    Times of the wire are kept to the microsecond. Half a surrogate pair becomes U+FFFD, and a
    number that JSON has not (a server's NaN) null.
    """
    tools = case.tool_set.tools or (case.options.tools if case.options else ())
    base = Options(model="", tools=tools)
    settings = replace(case.options or base, stream=True, continue_last=False)
    differing = _settings(settings, base)
    facts = dict(_facts(case))
    form = CaseForm(
        format=FORMAT,
        version=VERSION,
        title=case.title,
        exported=exported.isoformat(timespec="seconds"),
        settings=_encoded(differing) if differing else UNSET,
        tools=list(tools),
        results=dict(case.tool_set.results),
        mocks=[written_rule(mock) for mock in case.tool_set.mocks],
        setup=setup_form(case.setup, case.tool_set) if case.setup else UNSET,
        entries=[_encoded(_entry(entry, settings, facts)) for entry in case.entries],
        leaf=case.leaf,
        media={key: _encoded(_media(facts[key], case.media.get(key))) for key in facts},
    )
    return msgspec.json.format(bytes(_encoded(form)), indent=1)


def _encoded(form: msgspec.Struct) -> Raw:
    try:
        return Raw(msgspec.json.encode(form))
    except UnicodeEncodeError:
        escaped = json.dumps(msgspec.to_builtins(form)).encode()
        return Raw(msgspec.json.encode(decode_json(escaped)))


def _settings(options: Options, base: Options) -> SettingsForm | None:
    """What differs; None where nothing does."""
    differing = {
        field.name: value
        for field in fields(Options)
        if (value := getattr(options, field.name)) != getattr(base, field.name)
    }
    return SettingsForm(**differing) if differing else None


def _facts(case: Case) -> Iterator[tuple[str, Attachment]]:
    """Each picture and clip by its hash: of the messages, then as its bytes came with."""
    for entry in case.entries:
        if isinstance(entry.said, UserEntry):
            yield from ((attachment.hash, attachment) for attachment in entry.said.attachments)
    yield from ((key, media.attachment) for key, media in case.media.items())


def _entry(entry: CaseEntry, settings: Options, facts: Mapping[str, Attachment]) -> EntryForm:
    said = entry.said
    if isinstance(said, ResultsEntry):
        return ResultsForm(
            results=[ResultForm(r.call_id, r.content, r.answered_by) for r in said.results],
            id=said.id,
            after=entry.parent,
            created=entry.created,
        )
    if isinstance(said, CaseTurn):
        return _turn(entry, said, settings)
    return UserForm(
        id=said.id,
        after=entry.parent,
        created=entry.created,
        text=said.text,
        media=[_attachment(each, facts[each.hash]) for each in said.attachments],
        files=[FileForm(file.name, file.text) for file in said.files],
    )


def _turn(entry: CaseEntry, said: CaseTurn, settings: Options) -> TurnForm:
    turn = said.turn
    failure = turn.failure
    is_counted = len(said.tokens) == len(turn.parts)
    return TurnForm(
        id=said.id,
        after=entry.parent,
        created=entry.created,
        effort=said.effort,
        edited=said.edited,
        rating=_rating(entry.feedback) if entry.feedback else None,
        parts=_parts(turn.parts),
        tokens=list(said.tokens) if is_counted else [],
        finish_reason=turn.finish_reason,
        stop_reason=turn.stop_reason,
        usage=dict(turn.usage) if turn.usage is not None else None,
        failure=FailureForm(failure.kind, failure.message, failure.status, failure.request_id)
        if failure
        else None,
        stopped=turn.stopped,
        thought_split=turn.thought_split,
        dropped_calls=turn.dropped_calls,
        request_id=turn.request_id,
        timings=_timings(turn),
        exchanges=[_exchange(exchange, settings) for exchange in entry.exchanges],
    )


def _rating(feedback: Feedback) -> RatingForm:
    return RatingForm(feedback.value, feedback.comment)


def _timings(turn: Turn) -> TimingsForm:
    timings = turn.timings
    is_timed = len(timings.part_seconds) == len(turn.parts)
    return TimingsForm(
        first_byte_s=timings.first_byte_s,
        first_reasoning_s=timings.first_reasoning_s,
        first_content_s=timings.first_content_s,
        first_call_s=timings.first_call_s,
        total_s=timings.total_s,
        part_seconds=timings.part_seconds if is_timed else (),
    )


def _parts(parts: Iterable[TurnPart]) -> list[PartForm]:
    return list(map(_part, parts))


def _part(part: TurnPart) -> PartForm:
    if isinstance(part, Reasoning):
        return ReasoningForm(part.text)
    if isinstance(part, Text):
        return TextForm(part.text)
    return CallForm(part.id, part.name, part.arguments)


def _exchange(exchange: Exchange, settings: Options) -> ExchangeForm:
    return ExchangeForm(
        settings=_settings(exchange.options, settings) or UNSET,
        digest=exchange.digest,
        base=_parts(exchange.base),
        is_cut=exchange.is_cut,
        wire=list(_reads(exchange)),
    )


def _reads(exchange: Exchange) -> Iterator[ReadForm]:
    before = 0
    for read in exchange.reads:
        at = max(before, round(read.at_s * 1_000_000))
        wait_ms = (at - before) / 1000
        before = at
        try:
            yield ReadForm(wait_ms, text=read.data.decode())
        except UnicodeDecodeError:
            yield ReadForm(wait_ms, base64=read.data)


def _attachment(attachment: Attachment, facts: Attachment) -> str | AttachmentForm:
    differing = {
        name: value
        for name in _FACTS
        if (value := getattr(attachment, name)) != getattr(facts, name)
    }
    return AttachmentForm(hash=attachment.hash, **differing) if differing else attachment.hash


def _media(facts: Attachment, media: CaseMedia | None) -> MediaForm:
    known = {name: value for name in _FACTS if (value := getattr(facts, name)) not in (None, "")}
    return MediaForm(**known, base64=media.data if media else UNSET)
