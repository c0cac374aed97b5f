"""A picture made ready to be sent: opened within limits, upright, in sRGB, shrunk, encoded."""

from __future__ import annotations

import io
import math
import re
from typing import BinaryIO, Final

from PIL import ExifTags, Image, ImageCms
from PIL.Image import Resampling, Transpose
from pillow_heif import register_heif_opener

from app.media.budget import fit_within, image_tokens
from app.media.limits import ImageLimits
from app.media.prepared import MediaRefused, PreparedMedia
from app.media.sentences import MediaSentence
from app.media.wholeness import iso_wholeness, tiff_wholeness

register_heif_opener()

_FORMATS: Final = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "HEIF")

_DRAWN: Final = frozenset({"PNG", "GIF", "BMP", "TIFF"})
"""Kinds that lose nothing, and so hold drawings and screens."""

_MORE_THAN_ONE: Final = {"TIFF": "first_page", "HEIF": "main_picture"}
"""What is said of a file of several pictures, by its kind; any other moves."""

_LONGEST_SIDE: Final = 16_383
"""Pixels. WebP, JPEG and the browsers' canvases all go as far."""

_LARGEST_PNG: Final = 4_000_000
"""Bytes of a PNG above which it must be a photograph, which JPEG holds better."""

_JPEG_QUALITY: Final = 90

_UPRIGHT: Final = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}
"""What turns a picture upright, by its EXIF orientation."""

_OPAQUE_MODES: Final = {"1": "L", "L": "L", "CMYK": "CMYK"}
"""What a picture without transparency is brought to; any other mode to RGB."""

_DEEP_GREYS: Final = frozenset({"I;16", "I;16L", "I;16B", "I;16N", "I", "F"})
"""Pillow's modes of grey in more than 8 bits, which it would cut off rather than scale."""

_HUNGRIEST: Final = 12
"""Bytes a pixel that the decoders of a progressive JPEG or of a WebP hold at once."""

_LYING: Final = frozenset({5, 6, 7, 8})


def prepare_image(source: BinaryIO, name: str, limits: ImageLimits) -> PreparedMedia:
    """The picture as it is sent; blocks. Raises MediaRefused, and MemoryError where it must.

    The first frame or page, turned upright, its colours taken to sRGB, on white where it is
    transparent (as vLLM would put it), shrunk to the budget; nothing else of the file is kept. PNG,
    GIF, BMP and TIFF, which hold drawings and screens, become PNG unless that is over 4 MB; all
    else becomes JPEG of quality 90 with whole chroma. The same bytes in give the same bytes out.
    """
    image = _open(source, name, limits)
    kind = image.format or ""
    moving = _moves(image)
    original = image.size
    size = _size_to_send(original, limits)
    image = _load(image, name, size, limits)
    orientation = _orientation(image)  # now that Pillow has turned a TIFF, and it alone
    transparent, image = _opaque(image, name)
    if image.size != size:
        image = image.resize(size, Resampling.LANCZOS, reducing_gap=3.0)
    image = _in_srgb(image)
    if orientation in _UPRIGHT:
        image = image.transpose(_UPRIGHT[orientation])
    notes = []
    if moving:
        notes.append(MediaSentence.note(_MORE_THAN_ONE.get(kind, "first_frame")))
    if transparent:
        notes.append(MediaSentence.note("transparent"))
    if size != original:
        width, height = original[::-1] if orientation in _LYING else original
        before, after = f"{width} x {height}", f"{image.width} x {image.height}"
        notes.append(MediaSentence.note("shrunk", before=before, after=after))
    encoded, mime = _encode(image, kind in _DRAWN)
    return PreparedMedia.of(
        encoded,
        kind="image",
        mime=mime,
        name=name,
        size=image.size,
        tokens=image_tokens(*image.size),
        notes=tuple(notes),
    )


def _open(source: BinaryIO, name: str, limits: ImageLimits) -> Image.Image:
    """Reads the header alone."""
    pixels = _check_header(source, name, limits)
    source.seek(0)
    try:
        return Image.open(source, formats=_FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        told = re.search(r"\d+", str(bomb))
        pixels = int(told[0]) if told else limits.max_pixels
        raise _too_many_pixels(pixels, name, limits) from None
    except MemoryError:
        raise
    except Exception as problem:  # Pillow raises whatever a broken header leads it to
        raise _unreadable(name, problem, pixels) from None


def _check_header(source: BinaryIO, name: str, limits: ImageLimits) -> int:
    """Refuses what is cut but whose decoder would not say so; the pixels that a WebP declares.

    A WebP is not only read on opening, it takes memory for all of them; elsewhere they are 0.
    """
    source.seek(0)
    head = source.read(32)
    if head[4:8] == b"ftyp" and iso_wholeness(source, b"meta") == "cut":
        raise MediaRefused("incomplete", name)
    if head.startswith((b"II", b"MM")) and tiff_wholeness(source) == "cut":
        raise MediaRefused("incomplete", name)
    pixels = _webp_pixels(head)
    _check_pixels(pixels, name, limits)
    return pixels


def _webp_pixels(head: bytes) -> int:
    """The pixels that the head of a WebP declares (RFC 9649, 2.5 to 2.7); 0 for any other."""
    match head[8:16]:
        case b"WEBPVP8X":  # 24 bits for each side, less one
            width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        case b"WEBPVP8L":  # 14 bits for each side, less one
            bits = int.from_bytes(head[21:25], "little")
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"WEBPVP8 ":  # 14 bits for each side
            sides = (int.from_bytes(head[at : at + 2], "little") & 0x3FFF for at in (26, 28))
            width, height = sides
        case _:
            return 0
    return width * height


def _check_pixels(pixels: int, name: str, limits: ImageLimits) -> None:
    if pixels > limits.max_pixels:
        raise _too_many_pixels(pixels, name, limits)


def _too_many_pixels(pixels: int, name: str, limits: ImageLimits) -> MediaRefused:
    millions, most = (f"{count / 1_000_000:.4g}" for count in (pixels, limits.max_pixels))
    return MediaRefused("too_many_pixels", name, millions=millions, most=most)


def _unreadable(name: str, problem: Exception, pixels: int) -> MediaRefused:
    said = str(problem).lower()
    if "truncated" in said or "end of file" in said:
        return MediaRefused("incomplete", name)
    if "memory" in said or not _has_room(pixels):
        return MediaRefused("too_heavy", name)
    return MediaRefused("damaged_picture", name)


def _has_room(pixels: int) -> bool:
    """Whether decoders had the memory to work; those of JPEG and WebP do not say what they lack."""
    try:
        bytearray(pixels * _HUNGRIEST)
    except MemoryError:
        return False
    return True


def _moves(image: Image.Image) -> bool:
    """Whether it has a second frame or page; what cameras put beside a JPEG (MPO) is none."""
    try:
        return image.format != "MPO" and getattr(image, "is_animated", False)
    except Exception:  # a broken second frame leaves the first whole
        return True


def _orientation(image: Image.Image) -> int:
    """The EXIF orientation, 1 to 8; 1 where there is none that can be read."""
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # as with any broken metadata, the picture itself may well be whole
        return 1
    return orientation if isinstance(orientation, int) else 1


def _size_to_send(size: tuple[int, int], limits: ImageLimits) -> tuple[int, int]:
    fit = fit_within(*size, limits.max_tokens)
    longest = max(fit.width, fit.height)
    if longest <= _LONGEST_SIDE:
        return fit.width, fit.height
    return (
        max(1, fit.width * _LONGEST_SIDE // longest),
        max(1, fit.height * _LONGEST_SIDE // longest),
    )


def _load(image: Image.Image, name: str, size: tuple[int, int], limits: ImageLimits) -> Image.Image:
    """Decodes the picture, a JPEG at the smallest fraction of its size that still holds `size`."""
    if not image.info.get("progressive"):  # a progressive one is held whole in any case
        image.draft(None, size)
    _check_pixels(image.width * image.height, name, limits)
    try:
        image.load()
    except MemoryError:
        raise
    except Exception as problem:  # Pillow raises whatever broken bytes lead it to
        raise _unreadable(name, problem, image.width * image.height) from None
    return image


def _opaque(image: Image.Image, name: str) -> tuple[bool, Image.Image]:
    """Whether any of it is transparent, and the picture on white, as L, RGB or CMYK."""
    if image.mode in _DEEP_GREYS:
        return False, _shallow(image, name)
    if image.mode == "LAB":
        lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(image, lab, srgb, outputMode="RGB")
        return False, converted or image.convert("L")
    if not image.has_transparency_data:
        return False, _converted(image, _OPAQUE_MODES.get(image.mode, "RGB"))
    layered = _converted(image, "RGBA")
    lowest_alpha = layered.getchannel("A").getextrema()[0]
    flat = Image.new("RGB", image.size, "white")
    flat.paste(layered, mask=layered)
    flat.info = image.info
    return lowest_alpha != 255, flat


def _shallow(image: Image.Image, name: str) -> Image.Image:
    """A deep grey in 8 bits: 16 bits by their worth, 32 from the darkest to the lightest."""
    if image.mode.startswith("I;16"):
        image = image if image.mode == "I;16" else image.convert("I")
        return image.point(lambda level: level / 256).convert("L")
    darkest, lightest = image.getextrema()
    if not (isinstance(darkest, int | float) and isinstance(lightest, int | float)):
        raise MediaRefused("damaged_picture", name)
    spread = float(lightest) - float(darkest)
    if not math.isfinite(spread):
        raise MediaRefused("damaged_picture", name)
    scale = 255 / spread if spread else 0.0
    return image.point(lambda level: level * scale - darkest * scale).convert("L")


def _converted(image: Image.Image, mode: str) -> Image.Image:
    return image if image.mode == mode else image.convert(mode)  # converting always copies


def _in_srgb(image: Image.Image) -> Image.Image:
    """The picture in sRGB or in grey, without its colour profile."""
    profile = image.info.get("icc_profile")
    if profile and image.mode != "L":
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(
                image, source, ImageCms.createProfile("sRGB"), outputMode="RGB"
            )
        except (ImageCms.PyCMSError, OSError):
            converted = None  # a profile that is broken, or of other colours, tells nothing
        if converted is not None:
            return converted
    return image if image.mode == "L" else _converted(image, "RGB")


def _encode(image: Image.Image, drawn: bool) -> tuple[bytes, str]:
    """The bytes and their type. A PNG or JPEG, with nothing of the file's metadata."""
    image.info = {}  # Pillow writes comments and profiles that it finds there
    if drawn:
        png = io.BytesIO()
        image.save(png, "PNG")
        if png.tell() <= _LARGEST_PNG:
            return png.getvalue(), "image/png"
    jpeg = io.BytesIO()
    image.save(jpeg, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return jpeg.getvalue(), "image/jpeg"
