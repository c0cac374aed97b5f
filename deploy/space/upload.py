"""What an upload is: a Space as it is, what is to become of it, and what came of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from deploy.space.environment import PASSWORDS, SERVER, SIGN_IN, SpaceEnvironment
from deploy.space.folder import Staged, stale


@dataclass(frozen=True, slots=True)
class SpaceNow:
    """A Space as it is before an upload; all but `owners` is empty where it is not there.

    `owners` are those in whose name the token may act: its person, and the organisations.
    """

    exists: bool
    owners: tuple[str, ...] = ()
    private: bool = False
    files: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    volumes: tuple[Mapping[str, Any], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All settings that it has."""
        return self.secrets | self.variables


@dataclass(frozen=True, slots=True)
class Upload:
    """What is to become of a Space. `now` is what it is; `bucket` is mounted where it is named."""

    space: str
    now: SpaceNow
    staged: Staged
    environment: SpaceEnvironment
    private: bool
    bucket: str | None = None

    @property
    def deleted(self) -> list[str]:
        """Files of the Space that are no longer staged."""
        return stale(self.now.files, self.staged)

    @property
    def taken_out(self) -> list[tuple[str, str]]:
        """Settings that are removed, each as its kind and name: with those given, they would not
        hold, or would stand twice."""
        given = self.environment
        gone = set(SERVER if given.names & SERVER else ())
        gone |= {PASSWORDS} if given.sign_in else SIGN_IN if PASSWORDS in given.names else set()
        secrets = self.now.secrets & ((gone - given.names) | set(given.variables))
        variables = self.now.variables & ((gone - given.names) | set(given.secrets))
        return [
            *(("secret", name) for name in sorted(secrets)),
            *(("variable", name) for name in sorted(variables)),
        ]

    @property
    def untouched(self) -> list[str]:
        """Settings that the Space has, and that this leaves as they are."""
        gone = {name for _, name in self.taken_out}
        return sorted(self.now.names - self.environment.names - gone)

    @property
    def asks(self) -> str:
        """What will answer the chats, for a reader."""
        kept = sorted(SERVER & set(self.untouched))
        if kept:
            return f"the model server that its own settings name ({', '.join(kept)})"
        return self.environment.asks or "the built-in simulator"


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What came of an upload: the page, the commit, and at which stage the Space is then.

    `changed` is false where no file was another than before. `reason` is the Hub's word where the
    Space does not run.
    """

    url: str
    commit: str
    changed: bool
    stage: str
    reason: str | None


def stage_words(stage: str) -> str:
    """A stage of a Space, for a reader."""
    return _STAGES.get(stage, f"The Space is at stage {stage}")


_STAGES: Final[Mapping[str, str]] = {
    "BUILDING": "Building",
    "RUNNING_BUILDING": "Building; what was there before still runs",
    "APP_STARTING": "Starting",
    "RUNNING_APP_STARTING": "Starting; what was there before still runs",
    "RUNNING": "Running",
    "BUILD_ERROR": "The build failed",
    "RUNTIME_ERROR": "The app failed",
    "CONFIG_ERROR": "The Hub cannot read the front matter",
    "NO_APP_FILE": "The Space holds no app",
    "PAUSED": "Paused",
    "STOPPED": "Stopped",
    "LOST": "The Hub does not answer",
    "SLEEPING": "Asleep until somebody opens it",
}


def has_failed(stage: str) -> bool:
    """Whether a Space at this stage will not run by itself."""
    return stage in ("NO_APP_FILE", "DELETING") or stage.endswith("_ERROR")


def is_on_its_way(stage: str) -> bool:
    """Whether a Space at this stage is yet to run what was uploaded."""
    return stage == "LOST" or stage.endswith(("BUILDING", "APP_STARTING"))
