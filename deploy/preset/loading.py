"""From a file to a preset, with the changes of the command line made on a copy of its values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from deploy.errors import InvalidConfigError, UsageError
from deploy.preset import yaml_text
from deploy.preset.changes import changed
from deploy.preset.values import Preset

DEFAULT_PRESET: Final = Path(__file__).parents[1] / "presets" / "glm-5.3-flash-latency"
_FILE: Final = "config.yaml"
_MOST_BYTES: Final = 256 * 1024
"""A preset is a few thousand; what is far longer is another file, or never ends."""


def load_preset(path: Path | None = None, changes: Sequence[str] = ()) -> Preset:
    """The preset in a file or a folder, by default glm-5.3-flash-latency, with changes made.

    `changes` are texts as `--set` takes them. Raises UsageError for a path that cannot be read or
    a change that cannot be made, InvalidConfigError for a file that holds no preset.
    """
    file = path or DEFAULT_PRESET
    if file.is_dir():
        file = file / _FILE
    text = _read(file)
    config = _mapping(text, file)
    name = file.resolve().parent.name
    duplicates = yaml_text.duplicate_keys(text)
    if changes:
        config = changed(config, changes)
        text = yaml_text.write(config)
    return Preset(name, file, text, config, tuple(changes), duplicates)


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise InvalidConfigError(
                f"{file} has more than {_MOST_BYTES:,} bytes, which no preset has: name another."
            )
        return data.decode()
    except FileNotFoundError:
        raise UsageError(
            f"There is no preset at {file}: name a folder with a {_FILE}, or the file itself."
        ) from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidConfigError(f"{file} is not UTF-8 text: save it as UTF-8.") from None


def _mapping(text: str, file: Path) -> dict[str, Any]:
    try:
        config = yaml_text.read(text)
    except yaml_text.NotYamlError as error:
        raise InvalidConfigError(f"{file} cannot be read as YAML: {error}.") from None
    if not isinstance(config, dict):
        what = {list: "a list", type(None): "empty"}.get(type(config), "a single value")
        raise InvalidConfigError(
            f"{file} is {what}: it must be a mapping of fields, such as model_name: and resources:."
        )
    return config
