"""Pictures and clips of a request: opened within limits, measured, and counted in tokens.

Sources: vLLM 0.32's recorded answers for what cannot be opened; its processor's rules for tokens
(a token for 28 x 28 pixels, 16 to 8000 for a picture; two frames a second of a clip).
"""

from __future__ import annotations

import base64
import binascii
import io
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
from PIL import Image, UnidentifiedImageError

from app.simulator.errors import ApiError, parameter_error

MAX_PIXELS = 50_000_000
MAX_CLIP_SECONDS = 3600.0
FRAMES_A_SECOND = 2
_PATCH = 28
_PICTURE_TOKENS = (16, 8000)
_CLIP_TOKENS = 30_000

_STILLS = frozenset({"image2", "png_pipe", "jpeg_pipe", "webp_pipe", "bmp_pipe", "tiff_pipe"})

_COLOURS = {
    "black": (16, 16, 16),
    "dark grey": (80, 80, 80),
    "grey": (150, 150, 150),
    "white": (248, 248, 248),
    "red": (210, 40, 40),
    "dark red": (110, 20, 25),
    "orange": (240, 140, 40),
    "brown": (125, 80, 45),
    "yellow": (245, 220, 60),
    "beige": (225, 205, 170),
    "green": (60, 160, 70),
    "dark green": (25, 85, 40),
    "light green": (160, 220, 140),
    "turquoise": (60, 190, 190),
    "light blue": (150, 200, 240),
    "blue": (50, 100, 210),
    "dark blue": (25, 40, 100),
    "purple": (130, 70, 170),
    "pink": (240, 150, 180),
}


@dataclass(frozen=True, slots=True)
class Picture:
    """What was seen of a picture: its size in pixels, its main colours, the largest first."""

    width: int
    height: int
    colours: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """What it takes of the prompt."""
        low, high = _PICTURE_TOKENS
        return max(low, min(high, _patches(self.width, self.height)))


@dataclass(frozen=True, slots=True)
class Clip:
    """What was seen of a clip: its length in seconds, its size in pixels, its frames a second."""

    seconds: float
    width: int
    height: int
    rate: float

    @property
    def tokens(self) -> int:
        """What it takes of the prompt: two frames a second, two frames to a patch in time."""
        frames = max(2, round(self.seconds * FRAMES_A_SECOND))
        return min(_CLIP_TOKENS, (frames // 2) * _patches(self.width, self.height))


def _patches(width: int, height: int) -> int:
    return math.ceil(width / _PATCH) * math.ceil(height / _PATCH)


def read_data_url(url: str, kind: str) -> bytes:
    """The bytes in a data URL. `kind` is "image" or "video"; raises ApiError in vLLM's words."""
    if not url:
        message = (
            f"multi_modal_data['{kind}'][0] is empty but multi_modal_uuids['{kind}'][0] is missing."
        )
        raise ApiError(message)
    scheme, _, rest = url.partition(":")
    if scheme in ("http", "https"):
        message = "Failed to fetch media from URL: the simulator fetches nothing"
        problem = parameter_error(message, f"{kind}_url", url)
        raise ApiError(problem.message, status=422, param=problem.param)
    if scheme == "file":
        message = "Cannot load local files without `--allowed-local-media-path`."
        raise ApiError(message, status=500)
    if scheme != "data":
        raise ApiError("The URL must be either a HTTP, data or file URL.")
    head, _, data = rest.partition(",")
    if not head.endswith(";base64"):
        raise ApiError("Only base64 data URLs are supported for now.", status=501)
    return _decode_base64(data)


def _decode_base64(data: str) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", data):
        raise ApiError("Non-base64 digit found")
    try:
        return base64.b64decode(data)
    except binascii.Error as problem:
        raise ApiError(str(problem)) from None


def look_at_picture(data: bytes) -> Picture:
    """Opens a picture; blocks. Raises ApiError for what is no picture, or too large a one."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                message = f"{width} x {height} pixels are more than the simulator's {MAX_PIXELS}"
                raise ApiError(f"Failed to load image: {message}")
            image.thumbnail((64, 64), resample=Image.Resampling.BOX, reducing_gap=None)
            small = image.convert("RGBA")
    except UnidentifiedImageError:
        message = "Failed to load image: cannot identify image file <_io.BytesIO object>"
        raise ApiError(message) from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as problem:
        reason = str(problem).partition(" (")[0]
        raise ApiError(f"Failed to load image: {reason}") from None
    flat = Image.new("RGBA", small.size, "white")
    flat.alpha_composite(small)
    return Picture(width, height, _main_colours(flat.convert("RGB")))


def _main_colours(image: Image.Image) -> tuple[str, ...]:
    """Names of the colours that cover a sixth of the picture or more; the largest in any case."""
    counts: Counter[str] = Counter()
    for count, pixel in image.getcolors(maxcolors=64 * 64) or []:
        counts[_nearest_colour(pixel)] += count
    total = counts.total()
    ranked = counts.most_common(3)
    return tuple(
        name for rank, (name, count) in enumerate(ranked) if not rank or count * 6 >= total
    )


def _nearest_colour(pixel: Any) -> str:
    red, green, blue = pixel
    return min(
        _COLOURS,
        key=lambda name: (
            (_COLOURS[name][0] - red) ** 2
            + (_COLOURS[name][1] - green) ** 2
            + (_COLOURS[name][2] - blue) ** 2
        ),
    )


def look_at_clip(data: bytes) -> Clip:
    """Opens a clip and decodes its first frame; blocks. Raises ApiError in vLLM's words."""
    try:
        with av.open(io.BytesIO(data)) as container:
            if set(container.format.name.split(",")) & _STILLS:
                message = (
                    "Cannot cast ufunc 'subtract' input 0 from dtype('O') to dtype('float64') "
                    "with casting rule 'same_kind'"
                )
                raise ApiError(message)
            clip, frames = _measure(container)
    except (av.FFmpegError, IndexError, StopIteration, ValueError):
        raise ApiError("Could not open video stream") from None
    if clip.seconds > MAX_CLIP_SECONDS or clip.width * clip.height > MAX_PIXELS:
        message = f"The clip is longer than {MAX_CLIP_SECONDS:.0f} s or has too many pixels"
        raise ApiError(f"{message} for the simulator.")
    if round(clip.seconds * FRAMES_A_SECOND) < 1:
        raise ApiError(_no_frames_sampled(clip, frames))
    return clip


def _measure(container: Any) -> tuple[Clip, int]:
    stream = container.streams.video[0]
    frame = next(container.decode(stream))
    rate = float(stream.average_rate or stream.base_rate or Fraction(1))
    if stream.duration is not None and stream.time_base is not None:
        seconds = float(stream.duration * stream.time_base)
    elif container.duration is not None:
        seconds = container.duration / 1_000_000
    else:
        seconds = 1 / rate
    frames = stream.frames or max(1, round(seconds * rate))
    return Clip(seconds, frame.width, frame.height, rate), frames


def _no_frames_sampled(clip: Clip, frames: int) -> str:
    """vLLM samples nothing from less than half a second, and its processor then fails."""
    shape = f"(0, {clip.height}, {clip.width}, 3)"
    return (
        "Failed to apply Glm5NextProcessor on data={'text': "
        "'<|begin_of_video|><|video|><|end_of_video|>', "
        f"'videos': [array([], shape={shape}, dtype=uint8)], 'video_metadata': "
        f"[VideoMetadata(total_num_frames={frames}, fps={clip.rate}, width=None, height=None, "
        f"duration={frames / clip.rate}, video_backend='opencv', frames_indices=[])]}} with "
        "kwargs={'truncation': False, 'do_sample_frames': False, 'return_metadata': True, "
        "'do_normalize': False, 'do_rescale': False, 'return_tensors': 'pt'}"
    )


def url_of(part: Mapping[str, Any], key: str) -> str:
    """The address in a media part whose shape was checked."""
    inner = part.get(key)
    url = inner.get("url") if isinstance(inner, Mapping) else None
    return url if isinstance(url, str) else ""
