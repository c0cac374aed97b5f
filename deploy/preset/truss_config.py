"""What truss itself says of a preset: the one place that imports its configuration.

truss is an extra, slow to import, and prints where it likes; so it is imported when it is asked,
and what it prints is dropped.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import tempfile
import warnings
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from deploy.errors import DeployError
from deploy.preset.fields import KNOWN, at
from deploy.preset.finding import MISSING, Finding, error
from deploy.preset.values import Preset

_EXTRA: Final = re.compile(r"Extra fields not allowed: \[(.*?)\]")


def is_installed() -> bool:
    """Whether truss can be asked."""
    return importlib.util.find_spec("truss") is not None


def require_truss() -> None:
    """Raises DeployError with the way to install truss, where it is missing."""
    if not is_installed():
        raise DeployError(
            "truss is not installed, which this needs: "
            "pip install -c constraints.txt -e '.[deploy]'"
        )


def truss_findings(preset: Preset) -> tuple[Finding, ...]:
    """What TrussConfig and validate_forbid_extra() refuse, by field. Raises DeployError."""
    require_truss()
    try:
        with tempfile.TemporaryDirectory(prefix="preset-") as folder, _silence():
            file = Path(folder) / "config.yaml"
            file.write_text(preset.text, encoding="utf-8")
            return tuple(_refusals(preset, file))
    except OSError as error:
        raise DeployError(
            f"The preset cannot be put where truss reads it ({error.strerror}): see whether there "
            "is room in the folder of temporary files, which TMPDIR names."
        ) from None


def _refusals(preset: Preset, file: Path) -> Iterator[Finding]:
    from truss.base.truss_config import TrussConfig

    try:
        TrussConfig.from_yaml(file).validate_forbid_extra()
    except ValidationError as refused:
        for problem in refused.errors(include_url=False, include_input=False):
            path = ".".join(str(key) for key in problem["loc"])
            yield from _finding(preset, path, problem["type"], problem["msg"])
    except (ValueError, TypeError, AttributeError) as refused:
        # Shapes that truss does not expect end in an error of Python's; the file is named, since
        # the text could quote a value.
        yield error(preset.path.name, type(refused).__name__, "truss cannot read it.")


def _finding(preset: Preset, path: str, kind: str, message: str) -> Iterator[Finding]:
    extra = _EXTRA.search(message)
    if extra:
        for key in extra[1].split(", "):
            field = f"{path}.{key}" if path else key
            near = get_close_matches(field, KNOWN, n=1, cutoff=0.7)
            hint = f" Is {near[0]} meant?" if near else ""
            yield error(
                field, at(preset.config, field), f"No field of truss's configuration.{hint}"
            )
        return
    value: Any = MISSING if kind == "missing" else at(preset.config, path) if path else MISSING
    said = message.removeprefix("Value error, ").rstrip(".")
    yield error(path or preset.path.name, value, f"truss refuses it: {said}.")


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
