"""The start command as values: the program's words, and each flag with its own.

Baseten hands it to supervisord, which splits it as shlex does and starts it with no shell, so
that is how it is read here. Inside `sh -c '…'` the engine's words are those after `serve`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_SHELLS: Final = ("sh", "bash", "/bin/sh", "/bin/bash")
_ENDS_A_COMMAND: Final = frozenset({"&&", "||", "|", "&", ";"})
_FLAG: Final = re.compile(r"--?[A-Za-z]")
_RUNS_TEXT: Final = re.compile(r"-[a-z]*c$")
# The short spellings that vLLM takes for flags which matter here.
_SHORT: Final = {
    "tp": "tensor-parallel-size",
    "pp": "pipeline-parallel-size",
    "dp": "data-parallel-size",
    "q": "quantization",
    "sc": "speculative-config",
}


def flag_name(word: str) -> str:
    """A flag's one name: no dashes in front, none of vLLM's other spellings of it.

    vLLM takes `--max_model_len` for `--max-model-len`; after the first dot, in the keys of a flag
    that holds a mapping, an underscore stays one.
    """
    head, dot, keys = word.lstrip("-").partition(".")
    if not word.startswith("--"):
        head = _SHORT.get(head, head)
    return f"{head.replace('_', '-')}{dot}{keys}"


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: its name, its values (none for a flag without one), the words it is written as."""

    name: str
    values: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def value(self) -> str:
        """Its values as one text; empty for a flag without one."""
        return " ".join(self.values)


@dataclass(frozen=True, slots=True)
class StartCommand:
    """What starts the engine. `problem` says why the text could not be split, if so."""

    text: str
    program: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    in_shell: bool = False
    problem: str | None = None

    def flag(self, name: str) -> Flag | None:
        """The flag of that name; of several the last, which is the one that counts in vLLM."""
        return next((flag for flag in reversed(self.flags) if flag.name == name), None)

    def value(self, name: str) -> str | None:
        """The flag's value as text, or None without the flag."""
        flag = self.flag(name)
        return None if flag is None else flag.value

    def integer(self, name: str) -> int | None:
        """The flag's value as a number, or None without the flag or where it is none.

        vLLM also takes 256k (thousands) and 256K (times 1024) for lengths.
        """
        return as_integer(self.value(name) or "")

    @property
    def model(self) -> str | None:
        """What is served: a path or a repository."""
        if self.program[:2] == ("vllm", "serve") and len(self.program) > 2:
            return self.program[2]
        return self.value("model")

    def with_flag(self, name: str, values: Sequence[str]) -> StartCommand:
        """The command with that flag, where it stood or at the end; its `--no-` twin goes."""
        new = Flag(name, tuple(values), (f"--{name}", *values))
        kept = [flag for flag in self.flags if flag.name != _twin(name)]
        places = [place for place, flag in enumerate(kept) if flag.name == name]
        if not places:
            return self._with_flags([*kept, new])
        kept[places[-1]] = new
        gone = set(places[:-1])
        return self._with_flags(flag for place, flag in enumerate(kept) if place not in gone)

    def without_flag(self, name: str) -> StartCommand:
        """The command without that flag."""
        return self._with_flags(flag for flag in self.flags if flag.name != name)

    def _with_flags(self, flags: Iterable[Flag]) -> StartCommand:
        kept = tuple(flags)
        words = [*self.program, *(word for flag in kept for word in flag.words)]
        return StartCommand(shlex.join(words), self.program, kept)


def parse_start_command(text: str) -> StartCommand:
    """The command that the text holds; where it cannot be split, its `problem` says why."""
    try:
        words = shlex.split(text)
        in_shell = (
            len(words) == 3 and words[0] in _SHELLS and _RUNS_TEXT.match(words[1]) is not None
        )
        if in_shell:
            words = list(_engine_words(shlex.split(words[2])))
    except ValueError as error:
        return StartCommand(text, problem=str(error))
    first = next((place for place, word in enumerate(words) if _FLAG.match(word)), len(words))
    return StartCommand(text, tuple(words[:first]), tuple(_flags(words[first:])), in_shell)


def as_integer(text: str) -> int | None:
    """A number as vLLM reads it in a flag, or None."""
    found = re.fullmatch(r"(-?[0-9]{1,18})([kKmM]?)", text.strip())
    if found is None:
        return None
    unit = {"": 1, "k": 1000, "K": 1024, "m": 10**6, "M": 2**20}[found[2]]
    return int(found[1]) * unit


def _twin(name: str) -> str:
    return name.removeprefix("no-") if name.startswith("no-") else f"no-{name}"


def _flags(words: Sequence[str]) -> Iterator[Flag]:
    place = 0
    while place < len(words):
        end = place + 1
        while end < len(words) and not _FLAG.match(words[end]):
            end += 1
        spelled, equals, value = words[place].partition("=")
        values = ((value,) if equals else ()) + tuple(words[place + 1 : end])
        yield Flag(flag_name(spelled), values, tuple(words[place:end]))
        place = end


def _engine_words(words: Sequence[str]) -> Iterator[str]:
    """Of a shell's line, the words of the command that has `serve`; else all of them."""
    start = words.index("vllm") if "vllm" in words else 0
    for word in words[start:]:
        if word in _ENDS_A_COMMAND:
            return
        yield word
