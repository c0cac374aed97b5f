"""What is said about an upload, in English: one table, by keys that translations share.

`{file}` is the file as `quoted` names it; the other values are sizes, lengths and kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Self

from app.chat.templates import fill

REFUSALS: Final[Mapping[str, str]] = {
    "empty": "{file} is empty: choose the file again.",
    "too_large": ("{file} has {size}, and at most {most} can be attached: shrink or trim it."),
    "wrong_kind": (
        "{file} is {kind}, which cannot be sent: use JPEG, PNG, WebP, GIF, HEIC, AVIF, TIFF or "
        "BMP, or for a clip mp4, mov, webm or mkv."
    ),
    "unknown_kind": (
        "{file} is neither a picture nor a clip that can be sent: use JPEG, PNG, WebP, GIF, HEIC, "
        "AVIF, TIFF or BMP, or for a clip mp4, mov, webm or mkv."
    ),
    "incomplete": "{file} is incomplete, its end is missing: save or download it again.",
    "damaged_picture": (
        "{file} is damaged and cannot be opened as a picture: save or export it again."
    ),
    "too_many_pixels": (
        "{file} has {millions} million pixels, and at most {most} million can be opened here: "
        "shrink it."
    ),
    "damaged_clip": (
        "{file} is damaged and cannot be opened as a clip: export it again as mp4 (H.264)."
    ),
    "frame_too_large": (
        "{file} has {width} x {height} pixels a frame, and at most {most} million can be opened "
        "here: shrink it."
    ),
    "too_heavy": (
        "{file} takes too much memory or time to be opened here: shrink it, or save it again as "
        "JPEG, or for a clip as mp4 (H.264)."
    ),
    "too_short": (
        "{file} is shorter than half a second, and the model would see no frame of it: "
        "attach a longer clip, or a picture."
    ),
    "one_frame": (
        "{file} holds a single frame and no movement: attach it as a picture, such as JPEG or PNG."
    ),
    "too_long": "{file} lasts {length}, and at most {most} can be sent: trim it.",
    "too_many_frames": (
        "{file} has {frames} frames, and at most {most} can be sent: "
        "trim it, or lower its frame rate."
    ),
    "too_many_bytes": "{file} has {size}, and at most {most} can be sent: trim it, or shrink it.",
    "outside": (
        "{file} lasts {length}, and the part chosen does not lie within it: "
        "choose another beginning or end."
    ),
    "unreadable_codec": (
        "{file} is compressed in a way that cannot be read here: convert it to mp4 (H.264)."
    ),
    "sound_alone": (
        "{file} holds sound and no picture, and the model does not hear: "
        "attach a clip with a picture."
    ),
    "no_picture": "{file} holds no picture: attach another clip.",
    "too_much_work": (
        "{file} must be converted to be sent, and of {width} x {height} pixels at most {most} can "
        "be converted here, not {length}: trim it, or convert it to a smaller mp4 (H.264)."
    ),
    "too_large_shrunk": (
        "{file} has {size} even when shrunk, and at most {most} can be sent: trim it."
    ),
}

NOTES: Final[Mapping[str, str]] = {
    "first_frame": "It moves, and only its first frame is sent: send movement as an mp4.",
    "first_page": "It has several pages, and only the first is sent.",
    "main_picture": "It holds several pictures, and only the main one is sent.",
    "transparent": "Its transparent parts are sent as white.",
    "shrunk": "It was shrunk from {before} to {after} pixels.",
    "trimmed": "Only a part of it is sent: {length}, from {start} on.",
    "from_key_frame": (
        "It begins {earlier} earlier than asked for, since it is too large to be cut exactly."
    ),
    "soundless": "Its sound is left out: the model does not hear.",
}


class MediaSentence(str):
    """A sentence in English, which knows the key and the values that it was made from."""

    key: str
    values: Mapping[str, str]

    @classmethod
    def _of(cls, table: Mapping[str, str], key: str, values: Mapping[str, str]) -> Self:
        sentence = cls(fill(table[key], values))
        sentence.key = key
        sentence.values = values
        return sentence

    @classmethod
    def refusal(cls, key: str, **values: str) -> Self:
        """Why a file cannot be sent, and what to do. Raises KeyError for another key."""
        return cls._of(REFUSALS, key, values)

    @classmethod
    def note(cls, key: str, **values: str) -> Self:
        """What was done to a file. Raises KeyError for another key."""
        return cls._of(NOTES, key, values)
