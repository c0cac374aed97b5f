from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.media import data_url, from_data_url


@given(data=st.binary(min_size=1), mime=st.sampled_from(["image/jpeg", "image/png", "video/mp4"]))
def test_what_goes_in_comes_out(data, mime):
    assert from_data_url(data_url(data, mime)) == (data, mime)


def test_the_form_is_the_one_that_the_server_takes():
    assert data_url(b"\x00\xff", "image/png") == "data:image/png;base64,AP8="


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("https://example.org/cat.png", "addresses are not fetched"),
        ("file:///etc/passwd", "addresses are not fetched"),
        ("", "addresses are not fetched"),
        ("data:image/png,AP8=", "must begin with its type"),
        ("data:;base64,AP8=", "must begin with its type"),
        ("data:image/png;charset=utf-8;base64,AP8=", "must begin with its type"),
        ("data:image/png;base64", "must begin with its type"),
        ("data:image/png;base64,", "holds no bytes"),
        ("data:image/png;base64,AP8", "damaged or cut"),
        ("data:image/png;base64,AP 8=", "damaged or cut"),
        ("data:image/png;base64,AP-8", "damaged or cut"),
        ("data:image/png;base64,é", "damaged or cut"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(url, sentence):
    with pytest.raises(ValueError, match=sentence):
        from_data_url(url)
