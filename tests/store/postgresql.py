"""A PostgreSQL server of the tests' own, in a temporary folder, on a socket in it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "60",
}


@dataclass
class PostgreSQL:
    """A server that runs; its superuser is "playground", without a password."""

    folder: Path
    made: int = 0

    def new_database(self) -> str:
        """The address of a database in which there is nothing, as a person would write it."""
        self.made += 1
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE made{self.made}")
        return self._address(f"made{self.made}")

    def _address(self, name: str) -> str:
        return f"postgresql://playground@/{name}?host={self.folder}"


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """A server that runs as long as the block."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="glm-pg-"))
    as_user = _other_user(folder)
    data = folder / "data"

    def run(program: str, *arguments: str | Path) -> None:
        with (folder / "errors").open("ab") as errors:
            done = subprocess.run(
                [programs / program, *arguments],
                stdout=subprocess.DEVNULL,
                stderr=errors,  # a file: the server that is started keeps it open
                cwd=folder,
                check=False,
                **as_user,
            )
        if done.returncode:
            said = "\n".join(path.read_text() for path in (folder / "errors", folder / "log"))
            raise RuntimeError(f"{program} failed: {said}")

    try:
        run(
            "initdb",
            "-D",
            data,
            "-U",
            "playground",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "-N",
        )
        options = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        started = ("-D", data, "-l", folder / "log", "-o", f"-k {folder} {options}")
        run("pg_ctl", "start", "-w", *started)
        try:
            yield PostgreSQL(folder)
        finally:
            run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    on_path = shutil.which("postgres")
    if on_path:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        raise RuntimeError(
            "The store's tests need PostgreSQL: run `sh tests/store/postgresql.sh`, which installs "
            "it, or put postgres on PATH."
        )
    return found[-1].parent


def _other_user(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: who it runs as then, to whom the folder is given."""
    if os.geteuid() != 0:
        return {}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
