from __future__ import annotations

import contextlib
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, PngImagePlugin

from app.media import ImageLimits, MediaRefused
from tests.media.samples import QUARTERS, colours, encoded, picture, png, prepare_image, quarters

LIMITS = ImageLimits()


def exif(orientation: int) -> bytes:
    tags = Image.Exif()
    tags[0x0112] = orientation
    tags[0x010F] = "A camera's maker"
    return tags.tobytes()


KINDS = ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "HEIF"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_picture_is_sent_with_its_colours(kind):
    media = prepare_image(encoded(quarters(), kind), "quarters", LIMITS)
    assert colours(picture(media)) == QUARTERS
    assert (media.attachment.width, media.attachment.height) == (64, 48)
    assert media.attachment.size == len(media.data)
    assert media.attachment.kind == "image"
    assert media.notes == ()


def test_what_loses_nothing_becomes_png_and_photographs_jpeg():
    for kind in KINDS:
        media = prepare_image(encoded(quarters(), kind), "", LIMITS)
        drawn = kind in ("PNG", "GIF", "BMP", "TIFF")
        assert media.attachment.mime == ("image/png" if drawn else "image/jpeg"), kind


def test_a_drawing_of_too_many_bytes_becomes_jpeg():
    noise = Image.effect_noise((1600, 1200), 90).convert("RGB")
    noise.putpixel((0, 0), (255, 0, 0))
    coloured = Image.merge("RGB", [noise.getchannel(0), *noise.transpose(1).split()[:2]])
    media = prepare_image(encoded(coloured, "PNG", compress_level=1), "", LIMITS)
    assert media.attachment.mime == "image/jpeg"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
@pytest.mark.parametrize(
    ("orientation", "expected"),
    [
        (1, ("red", "green", "blue", "white")),
        (2, ("green", "red", "white", "blue")),
        (3, ("white", "blue", "green", "red")),
        (4, ("blue", "white", "red", "green")),
        (5, ("red", "blue", "green", "white")),
        (6, ("blue", "red", "white", "green")),
        (7, ("white", "green", "blue", "red")),
        (8, ("green", "white", "red", "blue")),
    ],
)
def test_every_exif_orientation_is_turned_upright(kind, orientation, expected):
    media = prepare_image(encoded(quarters(), kind, exif=exif(orientation)), "", LIMITS)
    assert colours(picture(media)) == expected
    upright = (64, 48) if orientation < 5 else (48, 64)
    assert picture(media).size == upright
    assert (media.attachment.width, media.attachment.height) == upright


def test_a_broken_exif_block_does_not_cost_the_picture():
    data = encoded(quarters(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert colours(picture(prepare_image(data, "", LIMITS))) == QUARTERS


def test_metadata_is_dropped():
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "where I live")
    text.add_itxt("XML:com.adobe.xmp", "<x:xmpmeta>where I live</x:xmpmeta>")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    files = {
        "PNG": encoded(quarters(), "PNG", pnginfo=text, exif=exif(1), icc_profile=profile),
        "JPEG": encoded(
            quarters(),
            "JPEG",
            exif=exif(1),
            comment=b"where I live",
            xmp=b"<x:xmpmeta>where I live</x:xmpmeta>",
            icc_profile=profile,
        ),
        "GIF": encoded(quarters(), "GIF", comment=b"where I live"),
        "TIFF": encoded(quarters(), "TIFF", description="where I live", exif=exif(1)),
        "HEIF": encoded(quarters(), "HEIF", exif=exif(1), xmp=b"<x:xmpmeta>where I live"),
        "AVIF": encoded(quarters(), "AVIF", exif=exif(1), xmp=b"<x:xmpmeta>where I live"),
    }
    for kind, data in files.items():
        assert b"where I live" in data, kind
        media = prepare_image(data, "", LIMITS)
        assert b"where I live" not in media.data, kind
        sent = picture(media)
        sent.load()
        assert len(sent.getexif()) == 0, kind
        assert sent.info.keys() <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}, kind


def test_colours_of_another_profile_are_taken_to_srgb():
    """In this profile the first channel is what sRGB calls green, and the second red."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    swapped = (
        srgb.replace(b"rXYZ", b"-XYZ", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"-XYZ", b"gXYZ", 1)
    )
    for kind in ("PNG", "JPEG", "TIFF", "AVIF", "HEIF"):
        media = prepare_image(encoded(quarters(), kind, icc_profile=swapped), "", LIMITS)
        assert colours(picture(media)) == ("green", "red", "blue", "white"), kind


def test_a_broken_profile_is_ignored():
    data = encoded(quarters(), "JPEG", icc_profile=b"no profile at all")
    assert colours(picture(prepare_image(data, "", LIMITS))) == QUARTERS


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
def test_transparent_parts_are_sent_as_white_and_said(kind):
    image = quarters().convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, 32, 24))
    options = {"lossless": True} if kind == "WEBP" else {}
    media = prepare_image(encoded(image, kind, **options), "", LIMITS)
    assert colours(picture(media)) == ("white", "green", "blue", "white")
    assert media.notes == ("Its transparent parts are sent as white.",)


def test_an_alpha_channel_that_hides_nothing_is_dropped_unsaid():
    media = prepare_image(encoded(quarters().convert("RGBA"), "PNG"), "", LIMITS)
    assert picture(media).mode == "RGB"
    assert media.notes == ()


def test_a_palette_with_a_transparent_colour_is_understood():
    image = quarters().quantize(4)
    clear = image.getpixel((0, 0))
    media = prepare_image(encoded(image, "GIF", transparency=clear), "", LIMITS)
    assert colours(picture(media)) == ("white", "green", "blue", "white")


def test_cmyk_becomes_rgb():
    media = prepare_image(encoded(quarters().convert("CMYK"), "JPEG"), "", LIMITS)
    assert picture(media).mode == "RGB"
    assert colours(picture(media)) == QUARTERS


def test_sixteen_bits_of_grey_keep_their_levels():
    grey = Image.new("I;16", (40, 40), 0x4000)
    sent = picture(prepare_image(encoded(grey, "PNG"), "", LIMITS))
    assert sent.mode == "L"
    assert sent.getpixel((20, 20)) == 0x40


@pytest.mark.parametrize("kind", ["TIFF", "JPEG"])
def test_cmyk_of_each_kind_keeps_its_colours(kind):
    media = prepare_image(encoded(quarters().convert("CMYK"), kind), "", LIMITS)
    assert colours(picture(media)) == QUARTERS


def test_lab_becomes_rgb():
    lab = ImageCms.profileToProfile(
        quarters(),
        ImageCms.createProfile("sRGB"),
        ImageCms.createProfile("LAB"),
        outputMode="LAB",
    )
    media = prepare_image(encoded(lab, "TIFF"), "", LIMITS)
    assert colours(picture(media)) == QUARTERS


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I", "F"])
def test_deep_greys_keep_their_lights_and_darks(mode):
    levels = np.linspace(0, 65_535, 256).reshape(1, 256).repeat(8, axis=0)
    kind = {"I": np.int32, "F": np.float32, "I;16B": np.dtype(">u2")}.get(mode, np.uint16)
    image = Image.frombytes(mode, (256, 8), levels.astype(kind).tobytes())
    sent = picture(prepare_image(encoded(image, "TIFF"), "", LIMITS))
    assert [sent.getpixel((at, 4)) for at in (0, 64, 128, 255)] == pytest.approx(
        [0, 64, 128, 255], abs=1
    )


def test_colours_of_16_bits_are_scaled():
    """Pillow writes none, so its bytes are put together here."""
    pixel = struct.pack(">3H", 0xFFFF, 0x8000, 0x0000)
    media = prepare_image(png(4, 3, 16, (b"\0" + pixel * 4) * 3), "", LIMITS)
    assert picture(media).getpixel((2, 1)) == (255, 128, 0)


def test_grey_and_black_and_white_stay_grey():
    for mode in ("L", "1"):
        sent = picture(prepare_image(encoded(quarters().convert(mode), "PNG"), "", LIMITS))
        assert sent.mode == "L"
        assert sent.getpixel((60, 44)) == 255


def test_a_large_picture_is_shrunk_to_the_model_s_budget_and_this_is_said():
    media = prepare_image(encoded(quarters(3840, 2160), "JPEG"), "", LIMITS)
    assert media.tokens == 7973
    assert picture(media).size == (media.attachment.width, media.attachment.height)
    width, height = picture(media).size
    assert abs(width / height - 16 / 9) < 0.002
    assert media.notes == (f"It was shrunk from 3840 x 2160 to {width} x {height} pixels.",)


def test_a_smaller_budget_shrinks_more_and_a_turned_picture_tells_its_upright_size():
    data = encoded(quarters(1600, 800), "JPEG", exif=exif(6))
    media = prepare_image(data, "", ImageLimits(max_tokens=200))
    assert media.tokens <= 200
    width, height = picture(media).size
    assert media.notes == (f"It was shrunk from 800 x 1600 to {width} x {height} pixels.",)


def test_a_strip_is_shrunk_along_its_length():
    media = prepare_image(encoded(Image.new("L", (60_000, 3), 128), "PNG"), "", LIMITS)
    assert picture(media).size == (16_383, 1)


def test_one_pixel_is_enough():
    media = prepare_image(encoded(Image.new("RGB", (1, 1)), "PNG"), "", LIMITS)
    assert media.tokens == 16


def test_the_same_file_gives_the_same_bytes():
    data = encoded(quarters(3000, 3000), "JPEG", exif=exif(3))
    first, second = (prepare_image(data, name, LIMITS) for name in ("a.jpg", "b.jpg"))
    assert first.data == second.data
    assert first.attachment.hash == second.attachment.hash
    assert (first.attachment.name, second.attachment.name) == ("a.jpg", "b.jpg")


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "AVIF"])
def test_of_a_moving_picture_the_first_frame_is_sent_and_this_is_said(kind):
    frames = [quarters(), quarters().transpose(Image.Transpose.ROTATE_180)]
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
    media = prepare_image(data, "", LIMITS)
    assert colours(picture(media)) == QUARTERS
    assert media.notes == ("It moves, and only its first frame is sent: send movement as an mp4.",)


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("TIFF", "It has several pages, and only the first is sent."),
        ("HEIF", "It holds several pictures, and only the main one is sent."),
    ],
)
def test_of_several_pictures_one_is_sent_and_this_is_said(kind, note):
    pages = [quarters(), quarters().transpose(Image.Transpose.ROTATE_180)]
    data = encoded(pages[0], kind, save_all=True, append_images=pages[1:])
    media = prepare_image(data, "", LIMITS)
    assert colours(picture(media)) == QUARTERS
    assert media.notes == (note,)


def test_a_second_picture_in_a_photograph_is_no_movement():
    frames = [quarters(), quarters(32, 24)]
    data = encoded(frames[0], "MPO", save_all=True, append_images=frames[1:])
    media = prepare_image(data, "", LIMITS)
    assert (media.notes, media.attachment.mime) == ((), "image/jpeg")


@pytest.mark.parametrize("size", [(7000, 7000), (11_000, 11_000), (60_000, 60_000)])
def test_a_bomb_is_refused_by_its_header(size):
    """Were it decoded, it would be refused as incomplete."""
    with pytest.raises(MediaRefused) as refused:
        prepare_image(png(*size, 8, bytes(1000)), "bomb.png", LIMITS)
    assert str(refused.value) == (
        f"“bomb.png” has {size[0] * size[1] / 1e6:.4g} million pixels, and at most 36 million can "
        "be opened here: shrink it."
    )


def test_a_webp_is_refused_by_its_header_before_it_takes_memory():
    for options in ({"lossless": True}, {"exif": exif(1)}, {}):
        data = encoded(quarters(640, 480), "WEBP", **options)
        with pytest.raises(MediaRefused, match=r"0\.3072 million pixels, and at most 0\.3 m"):
            prepare_image(data, "", ImageLimits(max_pixels=300_000))


def test_a_tiff_whose_directory_is_past_its_end_is_incomplete():
    with pytest.raises(MediaRefused, match="is incomplete"):
        prepare_image(b"II*\0\xff\xff\xff\x7f" + bytes(100), "", LIMITS)


def test_a_large_jpeg_is_decoded_at_a_fraction_unless_it_is_progressive():
    limits = ImageLimits(max_tokens=100, max_pixels=250_000)
    assert prepare_image(encoded(quarters(1000, 800), "JPEG"), "", limits).tokens <= 100
    with pytest.raises(MediaRefused, match=r"0\.8 million pixels, and at most 0\.25 m"):
        prepare_image(encoded(quarters(1000, 800), "JPEG", progressive=True), "", limits)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "BMP", "TIFF", "AVIF", "HEIF"])
def test_a_cut_picture_is_said_to_be_incomplete(kind):
    data = encoded(Image.effect_noise((300, 300), 90), kind)
    with pytest.raises(MediaRefused) as refused:
        prepare_image(data[: len(data) // 2], "holiday", LIMITS)
    assert str(refused.value) == (
        "“holiday” is incomplete, its end is missing: save or download it again."
    )


def test_what_only_begins_as_a_picture_is_said_to_be_damaged():
    with pytest.raises(MediaRefused) as refused:
        prepare_image(b"\xff\xd8\xff" + b"nothing of the kind" * 20, "x.jpg", LIMITS)
    assert str(refused.value) == (
        "“x.jpg” is damaged and cannot be opened as a picture: save or export it again."
    )


@settings(deadline=None, max_examples=150)
@given(
    kind=st.sampled_from(KINDS),
    at=st.integers(0, 3000),
    noise=st.binary(min_size=1, max_size=12),
    cut=st.integers(0, 600),
)
def test_no_broken_picture_does_worse_than_a_refusal(kind, at, noise, cut):
    pages = {"save_all": True, "append_images": [quarters().transpose(1)]}
    moving = {} if kind in ("JPEG", "BMP", "AVIF") else pages
    whole = encoded(quarters(), kind, exif=exif(6), **moving)
    start = at % len(whole)
    broken = whole[:start] + noise + whole[start + len(noise) :]
    with contextlib.suppress(MediaRefused):
        media = prepare_image(broken[: len(broken) - cut], "x", ImageLimits(max_pixels=10**6))
        picture(media).load()
