"""Figures from the model's processor, as vLLM reports them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.media.budget import fit_within, image_tokens, sampled_frames, video_tokens

SIDES = st.integers(1, 20_000)


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((1, 1), 16), ((640, 480), 414), ((1080, 1920), 2691), ((3840, 2160), 7973)],
)
def test_a_picture_takes_what_the_model_s_processor_counts(size, tokens):
    assert image_tokens(*size) == tokens


@pytest.mark.parametrize(
    ("size", "seconds", "tokens"),
    [((640, 480), 10, 4140), ((1280, 720), 60, 29_580), ((1280, 720), 3600, 28_672)],
)
def test_a_clip_takes_what_the_model_s_processor_counts(size, seconds, tokens):
    assert video_tokens(*size, seconds, seconds * 30) == tokens


def test_frames_are_taken_twice_a_second_as_far_as_there_are_any():
    assert sampled_frames(10.4, 300) == 20
    assert sampled_frames(10, 7) == 7
    assert sampled_frames(3600, 100_000) == 2048
    assert sampled_frames(0.49, 14) == 0


@given(width=SIDES, height=SIDES, budget=st.integers(1, 8000))
def test_what_was_fitted_is_within_the_budget_and_in_proportion(width, height, budget):
    fit = fit_within(width, height, budget)
    assert fit.tokens <= budget
    assert 1 <= fit.width <= width
    assert 1 <= fit.height <= height
    scale = fit.width / width if width >= height else fit.height / height
    assert abs(fit.width - max(1, width * scale)) < 1
    assert abs(fit.height - max(1, height * scale)) < 1


@given(width=SIDES, height=SIDES)
def test_a_picture_takes_as_much_upright_as_lying(width, height):
    assert image_tokens(width, height) == image_tokens(height, width)
    assert 16 <= image_tokens(width, height) <= 8000
