"""Writing the record that the page reads: which deployment is asked, and under which address."""

from __future__ import annotations

import os
import tempfile
from errno import EISDIR
from pathlib import Path

from app.connections import Connection, SettingsError, baseten
from app.deployment import DeploymentRecord, read_record
from deploy.credentials import Credentials, read_settings
from deploy.errors import DeployError, UsageError


def recorded() -> DeploymentRecord | None:
    """The record there is; None where there is none. Raises UsageError where it is malformed."""
    try:
        return read_record(read_settings().deployment_path())
    except SettingsError as error:
        raise UsageError(str(error)) from None


def connection_of(
    credentials: Credentials, model_id: str, deployment_id: str, environment: str | None
) -> Connection:
    """Where a deployment is asked: under its environment's address, else under its own."""
    return baseten(
        model_id,
        credentials.key,
        environment=environment or "production",
        deployment_id=deployment_id if environment is None else None,
        api_url=credentials.api_url,
    )


def require_writable_record() -> None:
    """Returns where the record can be written, and leaves nothing behind. Raises DeployError."""
    path = read_settings().deployment_path()
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, "it is a folder")
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f"{path.name}."):
            pass
    except OSError as error:
        raise _unwritable(path, error) from None


def write_record(record: DeploymentRecord) -> Path:
    """Writes the record in one step, so that no reader meets half of it; gives its file.

    Raises DeployError where the file cannot be written.
    """
    path = read_settings().deployment_path()
    text = record.model_dump_json(indent=2) + "\n"
    written: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f"{path.name}.", delete=False
        ) as file:
            written = Path(file.name)
            file.write(text)
        os.replace(written, path)
    except OSError as error:
        if written is not None:
            written.unlink(missing_ok=True)
        raise _unwritable(path, error) from None
    return path


def _unwritable(path: Path, error: OSError) -> DeployError:
    return DeployError(
        f"The record cannot be written to {path} ({error.strerror}): set GLM_DEPLOYMENT_FILE to a "
        "file that can."
    )
