"""A picture made ready to be sent: opened within limits, upright, in sRGB, shrunk, encoded."""

from __future__ import annotations

import io
from typing import Final

from PIL import ExifTags, Image, ImageCms
from PIL.Image import Resampling, Transpose

from app.media.budget import fit_within, image_tokens
from app.media.limits import ImageLimits
from app.media.prepared import MediaRefused, PreparedMedia
from app.media.sentences import MediaSentence

_FORMATS: Final = ("JPEG", "PNG", "WEBP", "GIF")

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

_LYING: Final = frozenset({5, 6, 7, 8})


def prepare_image(data: bytes, name: str, limits: ImageLimits) -> PreparedMedia:
    """The picture as it is sent; blocks. Raises MediaRefused.

    The first frame, turned upright, its colours taken to sRGB, on white where it is transparent
    (as vLLM would put it), shrunk to the budget; nothing else of the file is kept. PNG and GIF,
    which hold drawings and screens, become PNG unless that is over 4 MB; all else becomes JPEG of
    quality 90 with whole chroma. The same bytes in give the same bytes out.
    """
    image = _open(data, name, limits)
    drawn = image.format in ("PNG", "GIF")
    moving = _moves(image)
    orientation = _orientation(image)
    original = image.size
    size = _size_to_send(original, limits)
    transparent, image = _opaque(_load(image, name, size, limits))
    if image.size != size:
        image = image.resize(size, Resampling.LANCZOS, reducing_gap=3.0)
    image = _in_srgb(image)
    if orientation in _UPRIGHT:
        image = image.transpose(_UPRIGHT[orientation])
    notes = []
    if moving:
        notes.append(MediaSentence.note("first_frame"))
    if transparent:
        notes.append(MediaSentence.note("transparent"))
    if size != original:
        width, height = original[::-1] if orientation in _LYING else original
        before, after = f"{width} x {height}", f"{image.width} x {image.height}"
        notes.append(MediaSentence.note("shrunk", before=before, after=after))
    encoded, mime = _encode(image, drawn)
    return PreparedMedia.of(
        encoded,
        kind="image",
        mime=mime,
        name=name,
        size=image.size,
        tokens=image_tokens(*image.size),
        notes=tuple(notes),
    )


def _open(data: bytes, name: str, limits: ImageLimits) -> Image.Image:
    """Reads the header alone."""
    try:
        return Image.open(io.BytesIO(data), formats=_FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels(name, limits) from None
    except Exception as problem:  # Pillow raises whatever a broken header leads it to
        raise _unreadable(name, problem) from None


def _too_many_pixels(name: str, limits: ImageLimits) -> MediaRefused:
    return MediaRefused("too_many_pixels", name, millions=f"{limits.max_pixels / 1_000_000:g}")


def _unreadable(name: str, problem: Exception) -> MediaRefused:
    if "truncated" in str(problem).lower():
        return MediaRefused("incomplete", name)
    return MediaRefused("damaged_picture", name)


def _moves(image: Image.Image) -> bool:
    """Whether it has a second frame; what cameras put beside a JPEG (MPO) is none."""
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
    if image.width * image.height > limits.max_pixels:
        raise _too_many_pixels(name, limits)
    try:
        image.load()
    except Exception as problem:  # Pillow raises whatever broken bytes lead it to
        raise _unreadable(name, problem) from None
    return image


def _opaque(image: Image.Image) -> tuple[bool, Image.Image]:
    """Whether any of it is transparent, and the picture on white, as L, RGB or CMYK."""
    if image.mode == "I;16":
        return False, image.point(lambda level: level / 256).convert("L")
    if not image.has_transparency_data:
        return False, _converted(image, _OPAQUE_MODES.get(image.mode, "RGB"))
    layered = _converted(image, "RGBA")
    lowest_alpha = layered.getchannel("A").getextrema()[0]
    flat = Image.new("RGB", image.size, "white")
    flat.paste(layered, mask=layered)
    flat.info = image.info
    return lowest_alpha != 255, flat


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
