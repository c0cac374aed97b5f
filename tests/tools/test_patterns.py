from __future__ import annotations

import pytest

from app.tools.patterns import MAX_SIZE, read_pattern, sample_text

_READ = [
    "",
    "^[A-Z]{3}-\\d{4}$",
    "^\\S+@\\S+\\.[a-z]{2,}$",
    "^(cat|dog)s?$",
    "^#(?:[0-9a-fA-F]{3}){1,2}$",
    "^\\d{4}-(0[1-9]|1[0-2])-([0-2]\\d|3[01])$",
    "^[^@]+$",
    "^[\\w.-]+\\/v\\d$",
    "\\u0041\\x42",
    "^\\p{L}+$",
    "^(?<year>\\d{4})$",
    "a+?b*?",
    "^[]a]$",
]


@pytest.mark.parametrize("source", _READ)
@pytest.mark.parametrize("least", [0, 12])
@pytest.mark.parametrize("variant", [0, 1, 5])
def test_a_pattern_is_found_in_its_samples(source: str, least: int, variant: int) -> None:
    pattern = read_pattern(source)
    text = sample_text(source, least, variant)
    assert pattern is not None
    assert text is not None
    assert pattern.found_in(text)


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("^a$", "a\n", False),
        ("^\\d$", "٣", False),
        ("^\\w+$", "é", False),
        ("^\\W$", "é", True),
        ("^\\\\d$", "\\d", True),
        ("^[\\d-]+$", "1-2", True),
        ("^\\bab\\b$", "ab", True),
    ],
)
def test_patterns_mean_what_ecmascript_means(source: str, text: str, found: bool) -> None:
    pattern = read_pattern(source)
    assert pattern is not None
    assert pattern.found_in(text) is found


@pytest.mark.parametrize(
    "source",
    [
        "([",
        "(",
        "a)",
        "[z-a]",
        "*a",
        "\\",
        "\\8",
        "(a)\\1",
        "(?=a)b",
        "(?!a)b",
        "(?i)a",
        "x{3,1}",
        "\\xZZ",
        "(" * 50 + ")" * 50,
        "a" * (MAX_SIZE + 1),
        f"a{{{MAX_SIZE + 1}}}",
        "(?:(?:a{30}){30}){30}",
        "(?:\\p{L}{9}){9}",
    ],
)
def test_what_cannot_be_matched_in_bounded_time_is_not_read(source: str) -> None:
    assert read_pattern(source) is None


def test_a_sample_is_as_long_as_an_open_repeat_allows() -> None:
    assert len(sample_text("^[a-z]+$", 40) or "") == 40
    assert len(sample_text("^[a-z]{1,8}$", 40) or "") == 8


def test_nothing_is_sampled_of_what_is_not_read() -> None:
    assert sample_text("(?=a)b") is None
    assert sample_text("(?:a{9999}){9999}") is None
