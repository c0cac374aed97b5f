"""Presets and changes that are made to be hard to read: each is refused in a sentence, soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.errors import InvalidConfigError, UsageError
from deploy.preset import load_preset
from deploy.preset.yaml_text import NotYamlError, read


def doubled(first: str, again: str, levels: int) -> str:
    """Levels of a mapping, each of which names the one before it several times."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} {again.replace('BEFORE', f'*a{n - 1}')}" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (doubled("[x, x, x, x]", f"[{', '.join(['BEFORE'] * 10)}]", 12), "too many values"),
        (doubled("{x: 1, y: 2}", "{<<: [BEFORE, BEFORE]}", 40), "too many values"),
        (doubled("[x]", "[BEFORE]", 60), "nested too deep"),
        ("a: &x [*x]", "a value that holds itself"),
        (f"a: {'[' * 60}{']' * 60}", "nested too deep"),
        (f"a: {'[' * 5000}{']' * 5000}", "nested too deep"),
        ('model_name: "\\ud800"', "half of a character"),
        (f"a: 0x{'f' * 5000}", "more than 100 digits"),
        (f"a: {'9' * 5000}", "more than 100 digits"),
        ("a: !!bool x", "not what its tag"),
        ("a: !!int ''", "not what its tag"),
        ("a: !!timestamp x", "not what its tag"),
    ],
)
def test_what_no_preset_holds_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    for changes in ((), ("zzz=1",)):
        with pytest.raises(InvalidConfigError, match=reason):
            load_preset(path, changes)


def test_aliases_that_stand_for_little_are_read() -> None:
    assert read("a: &x {one: 1}\nb: *x\nc: {<<: *x, two: 2}") == {
        "a": {"one": 1},
        "b": {"one": 1},
        "c": {"one": 1, "two": 2},
    }
    assert read("") is None
    with pytest.raises(NotYamlError, match=r"line 1, column 4: "):
        read("a: ]")


def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(InvalidConfigError, match="more than"):
        load_preset(Path("/dev/zero"))


@pytest.mark.parametrize("change", ["model_name=!!bool x", "description=!!int ''"])
def test_a_text_stays_a_text_whatever_yaml_would_make_of_it(change: str) -> None:
    name, _, value = change.partition("=")
    assert load_preset(None, (change,)).config[name] == value


@pytest.mark.parametrize("change", ["weights.².source=x", f"weights.{'9' * 5000}.source=x"])
def test_a_place_that_no_list_has_is_no_field(change: str) -> None:
    with pytest.raises(UsageError, match="neither an engine flag nor a field"):
        load_preset(None, (change,))


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UsageError, match="give it as UTF-8 text"):
        load_preset(None, ("model_name=a\udcff",))
