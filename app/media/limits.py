"""How large a picture or a clip may be: what is opened, and what is sent."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Limits of a picture.

    `max_tokens` is the pixel budget of what is sent, in the model's tokens of 28 x 28 pixels (its
    own cap is 8000: more would be shrunk by the server). `max_pixels` is what is decoded at most;
    a JPEG may have more, as far as it can be decoded at a fraction of its size. A worker's 300 MB
    hold that many of PNG, JPEG and TIFF, but of HEIC and AVIF, whose decoders keep a second
    picture, some 24 million; more of those is refused as too heavy.
    """

    max_tokens: int = 8000
    max_pixels: int = 36_000_000


@dataclass(frozen=True, slots=True)
class VideoLimits:
    """Limits of a clip, or of the part of it that is sent.

    `max_seconds` and `max_frames` bound its length, `max_decoded_pixels` the frame that is
    decoded, `max_bytes` what is sent: 70 MB are 93 MB of base64, inside a request of 100 MB. A clip
    above `max_pixels` a frame is encoded again to fit. `max_encoding_pixels`, the pixels of all
    frames together, bounds that work: at 30 frames a second, a minute and a half of 1920 x 1080,
    or 24 seconds of 3840 x 2160; `writing_seconds` ends it in any case.
    """

    max_seconds: float = 600.0
    max_frames: int = 72_000
    max_decoded_pixels: int = 36_000_000
    max_pixels: int = 1920 * 1080
    max_bytes: int = 70_000_000
    max_encoding_pixels: int = 6_000_000_000
    writing_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """Limits of an upload: of any file, then those of its kind.

    `max_bytes` is what comes in, far more than what is sent: a minute in 4K from a telephone has
    400 MB, of which a part may be wanted. `opening_seconds` is how long a picture may take to be
    made ready, and a clip to be measured.
    """

    max_bytes: int = 500_000_000
    opening_seconds: float = 5.0
    image: ImageLimits = field(default_factory=ImageLimits)
    video: VideoLimits = field(default_factory=VideoLimits)
