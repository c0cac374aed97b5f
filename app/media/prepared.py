"""What comes of an upload: media ready to be sent, or a refusal in one sentence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Self

from app.chat.messages import Attachment, MediaKind
from app.media.sentences import MediaSentence
from app.media.wish import ClipFacts

_LONGEST_NAME = 60


class MediaRefused(ValueError):  # noqa: N818 - it names what happened
    """The file cannot be sent; the text says what is wrong and what to do, in one sentence.

    `key` and `values` are those of `MediaSentence.refusal`; `name` is the file's; `facts` are those
    of a clip that could be sent in another way.
    """

    def __init__(
        self, key: str, name: str, *, facts: ClipFacts | None = None, **values: str
    ) -> None:
        self.sentence = MediaSentence.refusal(key, file=quoted(name), **values)
        self.facts = facts
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it travels between processes: as the sentence that it is."""
        state = {"sentence": self.sentence, "facts": self.facts}
        return type(self).__new__, (type(self), self.sentence), state


@dataclass(frozen=True, slots=True)
class PreparedMedia:
    """A picture or a clip as it is sent.

    `tokens` is what it takes of the prompt, estimated by the model's rule; `notes` tell what a
    person should know of what was done to the file, a sentence each.
    """

    attachment: Attachment
    data: bytes
    tokens: int
    notes: tuple[MediaSentence, ...] = ()

    @classmethod
    def of(
        cls,
        data: bytes,
        *,
        kind: MediaKind,
        mime: str,
        name: str,
        size: tuple[int, int],
        tokens: int,
        seconds: float | None = None,
        notes: tuple[MediaSentence, ...] = (),
    ) -> Self:
        """The media with its content hash; `size` is width and height in pixels."""
        attachment = Attachment(
            hash=hashlib.sha256(data).hexdigest(),
            kind=kind,
            size=len(data),
            name=name,
            mime=mime,
            width=size[0],
            height=size[1],
            seconds=seconds,
        )
        return cls(attachment, data, tokens, notes)


def quoted(name: str) -> str:
    """The file as sentences speak of it: its name in quotes, shortened, or "The file"."""
    plain = "".join(character for character in name if character.isprintable()).strip()
    if not plain:
        return "The file"
    if len(plain) > _LONGEST_NAME:
        plain = f"{plain[: _LONGEST_NAME // 2]}…{plain[-_LONGEST_NAME // 2 :]}"
    return f"“{plain}”"


def megabytes(size: int) -> str:
    """A size in bytes as people read it, in megabytes: "12.3 MB"."""
    return f"{size / 1_000_000:.3g} MB" if size < 100_000_000 else f"{size / 1_000_000:.0f} MB"


def spoken_length(seconds: float) -> str:
    """A length in seconds as people read it: "1 min 15 s"."""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds:.3g} s"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"
