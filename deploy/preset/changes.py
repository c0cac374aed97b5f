"""The changes of `--set`, made on a copy of a preset's values.

NAME=VALUE  a flag with a value, or a field; true and false turn a flag without a value on and off
NAME        a flag without a value, put in
NAME-       a flag or a field, taken out
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any, Final

from deploy.errors import UsageError
from deploy.preset import yaml_text
from deploy.preset.fields import KNOWN, at, is_field, paths, put, stands, take_out
from deploy.preset.flags import FLAGS, is_switch, meaning_of
from deploy.preset.start_command import StartCommand, flag_name, parse_start_command

_COMMAND: Final = "docker_server.start_command"


def changed(config: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """A copy with the changes made, one after the other.

    Raises UsageError for one that cannot be made; its text holds no value, which might be secret.
    """
    copy = deepcopy(config)
    for change in changes:
        _make(copy, change)
    return copy


def _make(config: dict[str, Any], change: str) -> None:
    name, equals, value = change.partition("=")
    name = name.strip()
    if any("\ud800" <= letter <= "\udfff" for letter in change):
        raise UsageError(f"--set {name!a} cannot be read: give it as UTF-8 text.")
    removes = not equals and name.endswith("-")
    if removes:
        name = name.removesuffix("-")
    if not name.strip("-"):
        raise UsageError(
            "--set wants NAME=VALUE, such as --set max-model-len=262144 or "
            "--set runtime.predict_concurrency=8."
        )
    if is_field(config, name):
        _change_field(config, name, value if equals else None, removes)
        return
    flag = flag_name(f"--{name.lstrip('-')}")
    start = _start(config, name, flag)
    if removes:
        start = _without(start, flag)
    elif equals:
        start = _with(start, flag, value.strip())
    else:
        start = _turned_on(start, flag)
    put(config, _COMMAND, start.text)


def _change_field(config: dict[str, Any], path: str, text: str | None, removes: bool) -> None:
    if removes:
        if not stands(config, path):
            raise UsageError(f"{path} cannot be taken out: the preset does not have it.")
        take_out(config, path)
    elif text is None:
        raise UsageError(f"{path} needs a value: --set {path}=VALUE, or {path}- to take it out.")
    else:
        try:
            put(config, path, _field_value(at(config, path), path, text))
        except ValueError as error:
            raise UsageError(f"{path} cannot be set: {error}.") from None


def _field_value(old: Any, path: str, text: str) -> Any:
    """The value that the text stands for, as YAML reads it; where a text stood it stays one."""
    if path.startswith("environment_variables."):
        return text
    try:
        value = yaml_text.read(text)
    except yaml_text.NotYamlError:
        return text
    return text if isinstance(old, str) and value is not None else value


def _start(config: dict[str, Any], name: str, flag: str) -> StartCommand:
    text = at(config, _COMMAND)
    start = parse_start_command(text if isinstance(text, str) else "")
    if start.flag(flag) is None and meaning_of(flag) is None:
        raise UsageError(_unknown(config, start, name))
    if not start.program or start.problem or start.in_shell:
        raise UsageError(
            f"--{flag} cannot be changed by --set: the start command is no plain command that "
            f"could be changed word by word. Set {_COMMAND} whole, or change the file."
        )
    return start


def _with(start: StartCommand, flag: str, value: str) -> StartCommand:
    if _takes_no_value(start, flag):
        if value.lower() in ("true", "on", "yes"):
            return start.with_flag(flag, ())
        if value.lower() in ("false", "off", "no"):
            return start.with_flag(_negative(flag), ())
        raise UsageError(
            f"--{flag} takes no value: --set {flag} puts it in, --set {flag}=false turns it off, "
            f"--set {flag}- takes it out."
        )
    if not value:
        raise UsageError(f"--{flag} needs a value: --set {flag}=VALUE; {flag}- takes it out.")
    return start.with_flag(flag, (value,))


def _turned_on(start: StartCommand, flag: str) -> StartCommand:
    if not _takes_no_value(start, flag):
        raise UsageError(f"--{flag} needs a value: --set {flag}=VALUE; {flag}- takes it out.")
    return start.with_flag(flag, ())


def _without(start: StartCommand, flag: str) -> StartCommand:
    if start.flag(flag) is None:
        raise UsageError(f"--{flag} cannot be taken out: the start command does not have it.")
    return start.without_flag(flag)


def _takes_no_value(start: StartCommand, flag: str) -> bool:
    meaning = meaning_of(flag)
    if meaning is not None:
        return meaning.kind == "switch"
    found = start.flag(flag)
    return found is not None and not found.values


def _negative(flag: str) -> str:
    return flag.removeprefix("no-") if flag.startswith("no-") else f"no-{flag}"


def _unknown(config: dict[str, Any], start: StartCommand, name: str) -> str:
    flags = {flag.name for flag in start.flags} | set(FLAGS)
    flags |= {f"{head}.{key}" for head, meaning in FLAGS.items() for key in meaning.keys}
    if name.lstrip("-").startswith("no-"):
        flags |= {f"no-{flag}" for flag in FLAGS if is_switch(flag)}
    names = sorted(flags | set(paths(config)) | set(KNOWN))
    wanted = name.lstrip("-").lower()
    near = get_close_matches(wanted, names, n=3, cutoff=0.6)
    # A field is often named by its last key alone, or with the wrong one above it.
    last = wanted.rpartition(".")[2].replace("-", "_")
    near += [path for path in names if path.rpartition(".")[2] == last and path not in near]
    hint = f" Did you mean {' or '.join(near[:3])}?" if near else ""
    return (
        f"{name} is neither an engine flag nor a field of the preset.{hint} "
        "A flag that is not known here goes into a copy of the file, named by --preset."
    )
