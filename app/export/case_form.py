"""The form of a case file: each object in it with its fields, their types and their bounds.

What `case_writing` fills and `case_reading` checks. A field at its default is left out; a field
that is not named here (a newer version wrote it) is passed over.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from app.chat.events import FailureKind
from app.chat.messages import Effort, MediaKind

MAX_ENTRIES: Final = 10_000

_Integer: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**12)]
_Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=10**9)]
_Milliseconds: TypeAlias = Annotated[float, Meta(ge=0, le=86_400_000)]
_UnixTime: TypeAlias = Annotated[float, Meta(ge=0, le=253_402_300_799)]
"""Up to the year 9999, where dates of Python end."""

HASH_PATTERN: Final = r"^[0-9a-f]{64}\Z"
MIME_PATTERN: Final = r"^((image|video)/[a-z0-9.+-]{1,80})?\Z"
NAME_PATTERN: Final = r"^[^/\\`\x00-\x1f]{1,200}\Z"

ANSWERED_BY_PATTERN: Final = r"^(hand|generated|error|cancelled|rule [1-9][0-9]{0,3})\Z"

ContentHash: TypeAlias = Annotated[str, Meta(pattern=HASH_PATTERN)]
_Identifier: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
_Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1000)]
_MimeType: TypeAlias = Annotated[str, Meta(pattern=MIME_PATTERN)]
_FileName: TypeAlias = Annotated[str, Meta(pattern=NAME_PATTERN)]
_StopString: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]


class SettingsForm(Struct):
    """Options of a request: those that differ from what they stand on, which may be by null."""

    model: str | UnsetType = UNSET
    effort: Effort | UnsetType | None = UNSET
    system: str | UnsetType = UNSET
    temperature: Annotated[float, Meta(ge=0, le=2)] | UnsetType | None = UNSET
    top_p: Annotated[float, Meta(ge=0, le=1)] | UnsetType | None = UNSET
    max_tokens: Annotated[int, Meta(ge=1, le=2**63 - 1)] | UnsetType | None = UNSET
    seed: _Integer | UnsetType | None = UNSET
    stop: Annotated[tuple[_StopString, ...], Meta(max_length=16)] | UnsetType = UNSET
    tools: list[Any] | UnsetType = UNSET
    tool_choice: str | dict[str, Any] | UnsetType | None = UNSET
    parallel_tool_calls: bool | UnsetType | None = UNSET
    response_schema: dict[str, Any] | UnsetType | None = UNSET
    stream: bool | UnsetType = UNSET
    send_reasoning: bool | UnsetType = UNSET
    break_control_tokens: bool | UnsetType = UNSET
    continue_last: bool | UnsetType = UNSET


class NamedFunctionForm(Struct):
    """A declared tool, by its name."""

    name: _Name


class NamedToolForm(Struct):
    """The choice of one tool, as OpenAI words it."""

    function: NamedFunctionForm
    type: Literal["function"] = "function"


ChoiceForm: TypeAlias = Literal["auto", "none", "required"] | NamedToolForm | None


class SetupForm(Struct, omit_defaults=True):
    """What was set up for the tools of the chat, beside the tools, results and mocks of the file;
    those as texts where they cannot be read.
    """

    tools: str | UnsetType = UNSET
    off: Annotated[list[_Name], Meta(max_length=1000)] = []
    choice: ChoiceForm = None
    parallel: bool | None = None
    rules: str | UnsetType = UNSET
    auto: bool = False
    max_steps: Annotated[int, Meta(ge=1, le=64)] = 8
    answer_schema: str = ""


class ReasoningForm(Struct, tag_field="is", tag="reasoning"):
    """A thought."""

    text: str


class TextForm(Struct, tag_field="is", tag="text"):
    """A text of an answer."""

    text: str


class CallForm(Struct, tag_field="is", tag="call"):
    """A call of a tool; `arguments` is its text as received."""

    id: str
    name: str
    arguments: str


PartForm: TypeAlias = ReasoningForm | TextForm | CallForm


class ReadForm(Struct):
    """Bytes that came in one piece, as text where they are UTF-8.

    `wait_ms` is how long after the read before they came; for the first, after the request.
    """

    wait_ms: _Milliseconds
    text: str | UnsetType = UNSET
    base64: bytes | UnsetType = UNSET


class ExchangeForm(Struct, omit_defaults=True):
    """A request and the bytes of its answer; its settings stand on those of the file."""

    settings: SettingsForm | UnsetType = UNSET
    digest: Annotated[str, Meta(max_length=64)] = ""
    base: list[PartForm] = []
    is_cut: bool = False
    wire: list[ReadForm] = []


class FailureForm(Struct, omit_defaults=True):
    """The error in which a turn ended."""

    kind: FailureKind
    message: str = ""
    status: _Integer | None = None
    request_id: str | None = None


class TimingsForm(Struct, omit_defaults=True):
    """Seconds from the turn's beginning, and how long each of its parts took."""

    first_byte_s: _Seconds | None = None
    first_reasoning_s: _Seconds | None = None
    first_content_s: _Seconds | None = None
    first_call_s: _Seconds | None = None
    total_s: _Seconds = 0.0
    part_seconds: tuple[_Seconds, ...] = ()


class RatingForm(Struct, omit_defaults=True):
    """What a person thought of an answer."""

    value: Literal["like", "dislike"]
    comment: str = ""


class FileForm(Struct):
    """A text file of a message."""

    name: _FileName
    text: str


class FactsForm(Struct):
    """What is known of a picture or a clip."""

    kind: MediaKind | UnsetType = UNSET
    name: str | UnsetType = UNSET
    mime: _MimeType | UnsetType = UNSET
    size: _Count | UnsetType = UNSET
    width: _Count | UnsetType | None = UNSET
    height: _Count | UnsetType | None = UNSET
    seconds: _Seconds | UnsetType | None = UNSET


class AttachmentForm(FactsForm, kw_only=True):
    """A picture or a clip of a message, with the facts that differ from those in `media`."""

    hash: ContentHash


class MediaForm(FactsForm):
    """A picture or a clip; without its bytes it is gone."""

    base64: bytes | UnsetType = UNSET


class UserForm(Struct, tag_field="kind", tag="user", omit_defaults=True):
    """A message. Without `id` it gets its number, without `after` it follows the entry before."""

    id: _Identifier | UnsetType = UNSET
    after: str | UnsetType | None = UNSET
    created: _UnixTime | None = None
    text: str = ""
    media: list[ContentHash | AttachmentForm] = []
    files: list[FileForm] = []


class TurnForm(Struct, tag_field="kind", tag="turn", omit_defaults=True):
    """An answer: its `parts`, or its `text` alone. `id` and `after` as those of a message.

    Without `finish_reason` an answer is whole, unless it failed or was stopped.
    """

    id: _Identifier | UnsetType = UNSET
    after: str | UnsetType | None = UNSET
    created: _UnixTime | None = None
    effort: Effort | None = None
    edited: bool = False
    rating: RatingForm | None = None
    text: str | UnsetType = UNSET
    parts: list[PartForm] | UnsetType = UNSET
    tokens: list[tuple[_Count | None, bool]] = []
    finish_reason: str | UnsetType | None = UNSET
    stop_reason: str | _Integer | None = None
    usage: dict[str, Any] | None = None
    failure: FailureForm | None = None
    stopped: bool = False
    thought_split: bool = False
    dropped_calls: _Count = 0
    request_id: str | None = None
    timings: TimingsForm | UnsetType = UNSET
    exchanges: Annotated[list[ExchangeForm], Meta(max_length=1000)] = []


class ResultForm(Struct):
    """What one call got, and what answered it."""

    call_id: str
    content: str
    answered_by: Annotated[str, Meta(pattern=ANSWERED_BY_PATTERN)] = "hand"


class ResultsForm(Struct, tag_field="kind", tag="results", omit_defaults=True):
    """What the calls of an answer got. `id` and `after` as those of a message."""

    results: list[ResultForm]
    id: _Identifier | UnsetType = UNSET
    after: str | UnsetType | None = UNSET
    created: _UnixTime | None = None


EntryForm: TypeAlias = UserForm | TurnForm | ResultsForm


class HeadForm(Struct):
    """What tells a case file from other JSON."""

    format: Any = None
    version: Any = None


class CaseForm(Struct, omit_defaults=True):
    """The whole file; its settings, entries and media are read one by one."""

    format: str
    version: int
    title: str | None = None
    exported: str | UnsetType = UNSET
    settings: Raw | UnsetType = UNSET
    tools: list[Any] = []
    results: dict[str, Any] = {}
    mocks: list[Any] = []
    setup: SetupForm | UnsetType = UNSET
    entries: list[Raw] = []
    leaf: str | UnsetType | None = UNSET
    media: dict[str, Raw] = {}
