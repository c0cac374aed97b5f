"""Draws the example picture and the example clip. Run it by hand after changing it:

    .venv/bin/python assets/examples/make.py

It writes picture.png (a bay in the evening) and clip.mp4 (a ball bounces into a bucket while the
sun sets and the stars come out) beside itself. Only Pillow and imageio, with its numpy, are used.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import imageio.v3 as iio
import numpy as np
from PIL import Image, ImageChops, ImageDraw

Colour: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]

HERE = Path(__file__).parent
FINE = 3
"""Everything is drawn this many times larger and shrunk, which smooths the edges."""


class Canvas:
    """A picture in pixels of its final size, drawn finer."""

    def __init__(self, width: int, height: int) -> None:
        self.size = width, height
        self.image = Image.new("RGB", (width * FINE, height * FINE))
        self._draw = ImageDraw.Draw(self.image)

    def gradient(self, stops: Sequence[Colour], top: float, bottom: float) -> None:
        """A gradient from `top` down to `bottom`, through evenly spaced colours."""
        start, end = round(top * FINE), round(bottom * FINE)
        for y in range(start, end):
            colour = between(stops, (y - start) / (end - start))
            self._draw.line((0, y, self.image.width, y), colour)

    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """A filled circle."""
        x, y = centre
        box = [(x - radius) * FINE, (y - radius) * FINE, (x + radius) * FINE, (y + radius) * FINE]
        self._draw.ellipse(box, colour)

    def oval(self, box: tuple[float, float, float, float], colour: Colour) -> None:
        """A filled ellipse in a box of left, top, right, bottom."""
        self._draw.ellipse([side * FINE for side in box], colour)

    def shape(self, points: Sequence[Point], colour: Colour) -> None:
        """A filled polygon."""
        self._draw.polygon([(x * FINE, y * FINE) for x, y in points], colour)

    def line(self, points: Sequence[Point], colour: Colour, width: float) -> None:
        """A line with round joints."""
        scaled = [(x * FINE, y * FINE) for x, y in points]
        self._draw.line(scaled, colour, round(width * FINE), joint="curve")

    def block(
        self, box: tuple[float, float, float, float], colour: Colour, rounding: float = 0
    ) -> None:
        """A rectangle of left, top, right, bottom, its corners rounded."""
        self._draw.rounded_rectangle([side * FINE for side in box], rounding * FINE, colour)

    def hills(self, height: Callable[[float], float], colour: Colour) -> None:
        """Land below the height that the function gives for each x."""
        width, bottom = self.size
        ridge = [(float(x), height(x)) for x in range(0, width + 4, 4)]
        self.shape([*ridge, (width + 4, bottom), (0, bottom)], colour)

    def glow(self, centre: Point, radius: float, colour: Colour, strength: float) -> None:
        """Light around a point, in soft rings; `strength` is from 0 to 1."""
        light = Image.new("RGB", self.size)
        draw = ImageDraw.Draw(light)
        steps = 24
        for step in range(steps):
            part = (step + 1) / steps
            reach = radius * (1 - part) + 1
            share = strength * part * part
            x, y = centre
            draw.ellipse(
                [x - reach, y - reach, x + reach, y + reach],
                tuple(round(value * share) for value in colour),
            )
        fine = light.resize(self.image.size, Image.Resampling.BILINEAR)
        self.image.paste(ImageChops.screen(self.image, fine))

    def finished(self) -> Image.Image:
        """The picture at its final size."""
        return self.image.resize(self.size, Image.Resampling.BOX)


def between(stops: Sequence[Colour], at: float) -> Colour:
    """The colour at a place from 0 to 1 along evenly spaced stops."""
    place = min(max(at, 0.0), 1.0) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    share = place - low
    red, green, blue = (
        round(a + (b - a) * share) for a, b in zip(stops[low], stops[low + 1], strict=True)
    )
    return red, green, blue


def picture() -> Image.Image:
    """A bay in the evening: sun, mountains, a lighthouse, a red boat, three birds."""
    scene = Canvas(960, 640)
    horizon = 400.0
    sky = [(38, 50, 110), (122, 84, 150), (238, 132, 120), (255, 206, 142)]
    scene.gradient(sky, 0, horizon)
    scene.glow((610, 330), 260, (255, 200, 120), 0.55)
    scene.disc((610, 330), 58, (255, 236, 178))
    scene.hills(
        lambda x: 352 - 46 * math.sin(x / 105 + 0.6) - 22 * math.sin(x / 41), (120, 88, 148)
    )
    scene.hills(lambda x: 388 - 36 * math.sin(x / 128 + 3.4) - 12 * math.sin(x / 37), (88, 68, 132))
    _sea(scene, horizon)
    _lighthouse(scene, 176, 404)
    _boat(scene, 470, 520)
    for x, y, span in ((330, 132, 26), (392, 104, 20), (420, 158, 16)):
        for side in (-1, 1):
            wing = [
                (x + side * span * at / 8, y - span * 0.42 * math.sin(math.pi * 0.72 * at / 8))
                for at in range(9)
            ]
            scene.line(wing, (44, 40, 86), 3)
    return scene.finished()


def _sea(scene: Canvas, horizon: float) -> None:
    height = scene.size[1]
    scene.gradient([(226, 138, 128), (84, 92, 158), (32, 50, 104)], horizon, height)
    chance = random.Random(5)  # noqa: S311 - the same glitter each time, nothing secret
    for _ in range(70):
        y = horizon + 6 + 225 * chance.random() ** 1.4
        spread = 22 + (y - horizon) * 0.5
        x = 610 + chance.uniform(-spread, spread)
        half = 5 + (y - horizon) * 0.09 * chance.random() + 4
        scene.block((x - half, y, x + half, y + 2.4), (255, 216, 160), 1.2)


def _lighthouse(scene: Canvas, x: float, ground: float) -> None:
    cape = [
        (at, ground + 44 - 84 * math.cos(math.pi / 2 * (at - 90) / 270) ** 0.8)
        for at in range(0, 360, 4)
    ]
    scene.shape([*cape, (360, ground + 46), (210, ground + 68), (0, ground + 84)], (50, 46, 84))
    scene.glow((x, 196), 120, (255, 226, 140), 0.7)
    base, top = ground - 34, 214.0
    stripes = 5
    for stripe in range(stripes):
        low, high = (base + (top - base) * part / stripes for part in (stripe, stripe + 1))
        left, right = (27 - 10 * part / stripes for part in (stripe, stripe + 1))
        colour = (222, 72, 72) if stripe % 2 == 0 else (250, 240, 230)
        scene.shape(
            [(x - left, low), (x + left, low), (x + right, high), (x - right, high)], colour
        )
    scene.block((x - 24, top - 5, x + 24, top + 3), (46, 42, 78), 2)
    scene.block((x - 12, top - 32, x + 12, top - 5), (255, 234, 160), 2)
    scene.shape([(x - 18, top - 31), (x + 18, top - 31), (x, top - 52)], (222, 72, 72))
    scene.block((x - 5, base - 26, x + 5, base), (46, 42, 78), 4)


def _boat(scene: Canvas, x: float, y: float) -> None:
    scene.oval((x - 92, y + 18, x + 92, y + 38), (30, 44, 94))
    scene.line([(x, y), (x, y - 150)], (70, 50, 60), 5)
    scene.shape([(x + 8, y - 148), (x + 8, y - 14), (x + 84, y - 14)], (255, 246, 232))
    scene.shape([(x - 8, y - 132), (x - 8, y - 14), (x - 62, y - 14)], (255, 196, 92))
    scene.shape([(x, y - 150), (x, y - 166), (x + 26, y - 158)], (222, 72, 72))
    scene.shape([(x - 84, y), (x + 98, y), (x + 66, y + 32), (x - 60, y + 32)], (206, 58, 66))
    scene.shape([(x - 84, y), (x + 98, y), (x + 91, y + 8), (x - 77, y + 8)], (250, 240, 230))


SECONDS, RATE = 5, 30
GROUND = 292.0


def clip() -> Iterator[Image.Image]:
    """Frames of a ball that bounces three times and lands in a bucket, while night falls."""
    for number in range(SECONDS * RATE):
        yield _evening(number / RATE).finished()


def _evening(time: float) -> Canvas:
    scene = Canvas(640, 360)
    night = _eased(time / 4.2)
    above = between([(94, 178, 236), (96, 84, 160), (14, 20, 54)], night)
    below = between([(176, 220, 246), (246, 150, 120), (38, 44, 96)], night)
    scene.gradient([above, below], 0, GROUND)
    _stars(scene, _eased((time - 2.8) / 1.4))
    sun = 470 + 34 * night, 74 + 250 * night
    scene.glow(sun, 130, (255, 206, 120), 0.55 * (1 - night))
    scene.disc(sun, 34, between([(255, 232, 120), (255, 128, 84)], night))
    scene.hills(
        lambda x: 250 - 30 * math.sin(x / 92 + 1.1), between([(104, 168, 134), (26, 42, 70)], night)
    )
    scene.hills(
        lambda x: GROUND - 5 * math.sin(x / 130), between([(126, 196, 98), (30, 58, 60)], night)
    )
    _bucket_back(scene, night)
    _ball(scene, time, night)
    _bucket_front(scene, night)
    return scene


def _eased(part: float) -> float:
    part = min(max(part, 0.0), 1.0)
    return part * part * (3 - 2 * part)


def _stars(scene: Canvas, strength: float) -> None:
    if strength == 0:
        return
    chance = random.Random(11)  # noqa: S311 - the same stars in each frame, nothing secret
    moon = 118.0, 76.0
    for _ in range(30):
        star = chance.uniform(12, 628), chance.uniform(12, 176)
        radius = chance.uniform(0.9, 2.0)
        if math.dist(star, moon) > 40:
            scene.disc(star, radius * strength, (255, 250, 224))
    scene.disc(moon, 26 * strength, (250, 240, 206))


LANDINGS: tuple[tuple[float, float, float], ...] = (
    # second, x, and height of the bounce that ends there
    (0.0, -20, 0),
    (0.75, 112, 150),
    (1.60, 246, 130),
    (2.35, 366, 106),
    (3.15, 500, 112),
)
BALL = 17.0
IN_BUCKET = 40.0
"""How far above the ground the ball comes to rest, so that it looks out of the bucket."""


def _ball(scene: Canvas, time: float, night: float) -> None:
    colour = between([(232, 62, 62), (178, 44, 66)], night)
    floor = GROUND - BALL + 10
    for start, end in itertools.pairwise(LANDINGS):
        if time < end[0]:
            part = (time - start[0]) / (end[0] - start[0])
            x = start[1] + (end[1] - start[1]) * part
            into_bucket = IN_BUCKET * part if end is LANDINGS[-1] else 0
            y = floor - into_bucket - 4 * end[2] * part * (1 - part)
            shade = between([(96, 160, 82), (22, 44, 50)], night)
            if end is not LANDINGS[-1] or part < 0.6:
                scene.oval((x - 16, floor + BALL - 3, x + 16, floor + BALL + 4), shade)
            break
    else:
        x, y = LANDINGS[-1][1], floor - IN_BUCKET
    scene.disc((x, y), BALL, colour)
    scene.disc((x - 5, y - 6), 4.5, between([(250, 140, 130), (206, 96, 110)], night))


def _bucket_back(scene: Canvas, night: float) -> None:
    scene.oval((466, GROUND - 50, 534, GROUND - 34), between([(28, 62, 130), (16, 30, 76)], night))


def _bucket_front(scene: Canvas, night: float) -> None:
    blue = between([(52, 112, 214), (34, 64, 140)], night)
    rim = between([(92, 150, 240), (56, 92, 176)], night)
    bottom = GROUND + 16
    front = [
        (466 + 68 * at / 16, GROUND - 42 + 8 * math.sin(math.pi * at / 16)) for at in range(17)
    ]
    scene.shape([*front, (524, bottom), (476, bottom)], blue)
    scene.line(front, rim, 4)


if __name__ == "__main__":
    picture().save(HERE / "picture.png", optimize=True)
    frames = np.stack([np.asarray(frame) for frame in clip()])
    iio.imwrite(HERE / "clip.mp4", frames, plugin="pyav", codec="libx264", fps=RATE)
