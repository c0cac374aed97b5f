"""Reading a case file, whoever made it: each part is held against what it may be."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import asdict

from app.chat.entries import Feedback, GivenResult, ResultsEntry, UserEntry
from app.chat.events import Failed
from app.chat.exchange import Exchange
from app.chat.files import TextFile
from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.request import Options
from app.chat.turn import Timings, Turn, TurnPart
from app.chat.wire_record import WireRecorder
from app.export.case import FORMAT, VERSION, Case, CaseEntry, CaseMedia, CaseTurn
from app.export.case_decoding import CaseError, checked, decoded
from app.export.case_form import (
    HASH_PATTERN,
    MAX_ENTRIES,
    AttachmentForm,
    CallForm,
    CaseForm,
    EntryForm,
    ExchangeForm,
    FactsForm,
    FailureForm,
    HeadForm,
    MediaForm,
    PartForm,
    ReadForm,
    ReasoningForm,
    ResultsForm,
    SettingsForm,
    TextForm,
    TimingsForm,
    TurnForm,
    UserForm,
)
from app.export.case_setup import setup_from
from app.tools.errors import ToolSetError
from app.tools.json_text import json_path, shown
from app.tools.mocks import read_mocks
from app.tools.toolset import ToolSet, read_toolset

__all__ = ["MAX_CASE_BYTES", "CaseError", "is_case", "read_case"]

MAX_CASE_BYTES: Final = 500_000_000
"""Of one file; all of it, and what is made of it, lies in memory."""

_EMPTY: Final = (Text(""), Reasoning(""))
_ARTICLED: Final = {"image": "an image", "video": "a video"}
MAX_VALUES: Final = 4_000_000
"""Of one file: a recording of a million tokens, one a read, has about three quarters of it."""

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{,]')
"""A string, or what begins a value; of a text that is known to be JSON."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def is_case(data: bytes) -> bool:
    """Whether these bytes say that they are a case file, of whatever version."""
    try:
        head: HeadForm = decoded(HeadForm, data.removeprefix(_BYTE_ORDER_MARK), "$")
    except CaseError:
        return False
    return bool(head.format == FORMAT)


def read_case(data: bytes) -> Case:
    """The case that a file holds. Raises CaseError.

    What a file says is taken as said: notices and checks are made anew by whoever keeps it, and
    its media are bytes that nobody has opened. Fields that are not known are passed over.
    """
    if len(data) > MAX_CASE_BYTES:
        raise CaseError(
            f"The file has {len(data):,} bytes, and a case at most {MAX_CASE_BYTES:,}: "
            "leave some of its pictures and clips out."
        )
    data = data.removeprefix(_BYTE_ORDER_MARK)
    _check_head(data)
    _check_values(data)
    form: CaseForm = decoded(CaseForm, data, "$")
    tool_set = _tool_set(form)
    base = Options(model="", tools=tool_set.tools)
    options = None
    if form.settings is not UNSET:
        options = _options(decoded(SettingsForm, form.settings, "$.settings"), base, "$.settings")
    media = {key: _media(key, raw) for key, raw in form.media.items()}
    entries = _entries(form.entries, options or base, {k: facts for k, (facts, _) in media.items()})
    return Case(
        title=form.title or None,
        entries=entries,
        leaf=_leaf(form.leaf, entries),
        options=options,
        tool_set=tool_set,
        setup=None if form.setup is UNSET else setup_from(form.setup, tool_set),
        media={k: CaseMedia(facts, held) for k, (facts, held) in media.items() if held is not None},
    )


def _check_head(data: bytes) -> None:
    head: HeadForm = decoded(HeadForm, data, "$")
    if head.format != FORMAT:
        raise CaseError(
            "The file is no case file, which is what a chat is exported as here: choose one whose "
            f'name ends in .case.json, and in which "format" is "{FORMAT}".'
        )
    if head.version is True or head.version != VERSION:
        raise CaseError(
            f"The file is of version {shown(head.version)}, and {VERSION} is what can be read here:"
            " use the playground that wrote it, or a newer one."
        )


def _check_values(data: bytes) -> None:
    """Holds the number of values of a JSON text against the limit: three bytes can be an object.

    Strings are told apart from what stands between them only where that may matter.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) <= MAX_VALUES:
        return
    between = (found for found in _TOKEN.finditer(data) if not found[0].startswith(b'"'))
    if next(islice(between, MAX_VALUES, None), None) is not None:
        raise CaseError(
            f"The file holds more than {MAX_VALUES:,} values, of which a case has fewer: "
            "export fewer versions of its answers."
        )


def _tool_set(form: CaseForm) -> ToolSet:
    """As a tool-set file states it; without tools to call, schemas of results say nothing."""
    checked(form.tools, "$.tools")
    checked(form.results, "$.results")
    checked(form.mocks, "$.mocks")
    try:
        if form.tools:
            return read_toolset({"tools": form.tools, "results": form.results, "mocks": form.mocks})
        return ToolSet(mocks=read_mocks(form.mocks, "$.mocks"))
    except ToolSetError as error:
        raise CaseError(str(error)) from None


def _options(form: SettingsForm, base: Options, path: str) -> Options:
    """The options that the settings make of others."""
    given = _given(form, SettingsForm)
    for name in ("tool_choice", "response_schema"):
        if name in given:
            checked(given[name], f"{path}.{name}")
    if "tools" in given:
        given["tools"] = _tools(given["tools"], f"{path}.tools")
    return replace(base, **given)


def _tools(tools: list[Any], path: str) -> tuple[dict[str, Any], ...]:
    checked(tools, path)
    try:
        return read_toolset(tools).tools if tools else ()
    except ToolSetError as error:
        raise CaseError(f"{path}{str(error).removeprefix('$')}") from None


def _media(key: str, raw: Raw) -> tuple[Attachment, bytes | None]:
    """What is known of a picture or a clip, and its bytes unless it is gone."""
    if not re.fullmatch(HASH_PATTERN, key):
        raise CaseError.at("$.media", f"has {shown(key)}, which is no SHA-256 in hexadecimal")
    path = json_path(("media", key))
    form: MediaForm = decoded(MediaForm, raw, path)
    if form.kind is UNSET:
        raise CaseError.at(f"{path}.kind", "is missing")
    data = None if form.base64 is UNSET else form.base64
    facts = _with_facts(Attachment(key, form.kind, 0), form)
    if data is None:
        return facts, None
    if hashlib.sha256(data).hexdigest() != key:
        raise CaseError.at(f"{path}.base64", "holds other bytes than those of that SHA-256")
    if not facts.mime.startswith(f"{facts.kind}/"):
        raise CaseError.at(f"{path}.mime", f"must be the media type of {_ARTICLED[facts.kind]}")
    return replace(facts, size=len(data)), data


def _with_facts(attachment: Attachment, form: FactsForm) -> Attachment:
    return replace(attachment, **_given(form, FactsForm))


def _given(form: Struct, kind: type[Struct]) -> dict[str, Any]:
    """The fields of a form that were not left out, of those that this kind of form has."""
    return {
        name: value
        for name in kind.__struct_fields__
        if (value := getattr(form, name)) is not UNSET
    }


def _entries(
    raws: list[Raw], settings: Options, facts: Mapping[str, Attachment]
) -> tuple[CaseEntry, ...]:
    if len(raws) > MAX_ENTRIES:
        raise CaseError.at("$.entries", f"has {len(raws):,} entries, of at most {MAX_ENTRIES:,}")
    entries: dict[str, CaseEntry] = {}
    for at, raw in enumerate(raws):
        path = f"$.entries[{at}]"
        form: EntryForm = decoded(EntryForm, raw, path)
        own_id = str(at + 1) if form.id is UNSET else form.id
        if own_id in entries:
            raise CaseError.at(path, f"has the id {shown(own_id)} of an entry before it")
        if form.after is UNSET:
            before = next(reversed(entries.values()), None)
        else:
            before = entries.get(form.after) if form.after is not None else None
            if before is None and form.after is not None:
                what = f"is {shown(form.after)}, which is no entry before this one"
                raise CaseError.at(f"{path}.after", what)
        if isinstance(form, UserForm):
            entry = CaseEntry(_message(own_id, form, facts, path), None, form.created)
        elif isinstance(form, ResultsForm):
            if before is None or not isinstance(before.said, CaseTurn):
                raise CaseError.at(path, "is what calls got, and follows no answer")
            entry = CaseEntry(_results(own_id, form), None, form.created)
        elif before is None or isinstance(before.said, CaseTurn):
            raise CaseError.at(path, "is an answer, and follows no message and no results")
        else:
            entry = _turn_entry(own_id, form, settings, path)
        entries[own_id] = replace(entry, parent=before.said.id if before else None)
    return tuple(entries.values())


def _leaf(leaf: str | UnsetType | None, entries: Sequence[CaseEntry]) -> str | None:
    if leaf is UNSET or leaf is None:
        return entries[-1].said.id if entries else None
    if all(entry.said.id != leaf for entry in entries):
        raise CaseError.at("$.leaf", f"is {shown(leaf)}, which is the id of no entry")
    return leaf


def _message(own_id: str, form: UserForm, facts: Mapping[str, Attachment], path: str) -> UserEntry:
    if not (form.text.strip() or form.media or form.files):
        raise CaseError.at(path, "is a message that says nothing", "give it a text, media or files")
    return UserEntry(
        id=own_id,
        text=form.text,
        attachments=tuple(
            _attachment(each, facts, f"{path}.media[{at}]") for at, each in enumerate(form.media)
        ),
        files=tuple(TextFile(file.name, file.text) for file in form.files),
    )


def _results(own_id: str, form: ResultsForm) -> ResultsEntry:
    results = (GivenResult(each.call_id, each.content, each.answered_by) for each in form.results)
    return ResultsEntry(own_id, tuple(results))


def _attachment(
    form: str | AttachmentForm, facts: Mapping[str, Attachment], path: str
) -> Attachment:
    key = form if isinstance(form, str) else form.hash
    if key not in facts:
        raise CaseError.at(path, "is the hash of nothing in $.media")
    return facts[key] if isinstance(form, str) else _with_facts(facts[key], form)


def _turn_entry(own_id: str, form: TurnForm, settings: Options, path: str) -> CaseEntry:
    turn = _turn(form, path)
    if form.tokens and len(form.tokens) != len(turn.parts):
        raise CaseError.at(f"{path}.tokens", f"must have {len(turn.parts)} items, one a part")
    return CaseEntry(
        CaseTurn(own_id, turn, tuple(form.tokens), form.effort, form.edited),
        None,
        form.created,
        Feedback(form.rating.value, form.rating.comment) if form.rating else None,
        tuple(
            _exchange(each, settings, f"{path}.exchanges[{at}]")
            for at, each in enumerate(form.exchanges)
        ),
    )


def _turn(form: TurnForm, path: str) -> Turn:
    if form.text is not UNSET and form.parts is not UNSET:
        raise CaseError.at(path, "has both text and parts", "leave one of them out")
    parts = () if form.parts is UNSET else _parts(form.parts)
    if form.text is not UNSET:
        parts = (Text(form.text),)
    finish_reason = form.finish_reason
    if finish_reason is UNSET:
        finish_reason = None if form.failure or form.stopped else "stop"
    timings = TimingsForm() if form.timings is UNSET else form.timings
    seconds = timings.part_seconds or (0.0,) * len(parts)
    if len(seconds) != len(parts):
        what = f"must have {len(parts)} items, one a part"
        raise CaseError.at(f"{path}.timings.part_seconds", what)
    return Turn(
        parts=parts,
        finish_reason=finish_reason,
        stop_reason=form.stop_reason,
        usage=checked(form.usage, f"{path}.usage"),
        failure=_failure(form.failure) if form.failure else None,
        stopped=form.stopped,
        thought_split=form.thought_split,
        dropped_calls=form.dropped_calls,
        request_id=form.request_id,
        timings=replace(Timings(**asdict(timings)), part_seconds=seconds),
    )


def _failure(form: FailureForm) -> Failed:
    return Failed(form.kind, form.status, form.message, form.request_id)


def _parts(forms: Iterable[PartForm]) -> tuple[TurnPart, ...]:
    return tuple(map(_part, forms))


def _part(form: PartForm) -> TurnPart:
    match form:
        case ReasoningForm(text):
            return Reasoning(text)
        case CallForm(call_id, name, arguments):
            return ToolCall(call_id, name, arguments)
        case TextForm(text):
            return Text(text)


def _exchange(form: ExchangeForm, settings: Options, path: str) -> Exchange:
    recorder = WireRecorder()
    at_us = 0
    for at, read in enumerate(form.wire):
        at_us += round(read.wait_ms * 1000)
        recorder.take(at_us / 1_000_000, _bytes(read, f"{path}.wire[{at}]"))
    options = settings
    if form.settings is not UNSET:
        options = _options(form.settings, settings, f"{path}.settings")
    # What goes on with an answer has its parts, and build() goes by them.
    base = tuple(part for part in _parts(form.base) if part not in _EMPTY)
    return Exchange(
        options=replace(options, continue_last=bool(base)),
        digest=form.digest,
        base=base,
        wire=recorder.packed() if form.wire else b"",
        is_cut=form.is_cut or recorder.is_cut,
    )


def _bytes(read: ReadForm, path: str) -> bytes:
    if read.text is not UNSET and read.base64 is UNSET:
        return read.text.encode()
    if read.base64 is not UNSET and read.text is UNSET:
        return read.base64
    raise CaseError.at(path, "must have either text or base64")
