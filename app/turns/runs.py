"""Which runs there are: one at a time in each chat, found by its id or by its chat."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.turns.run import Run


class ChatBusy(Exception):  # noqa: N818 - it names a state
    """Something goes on in the chat that nothing else may come between."""


class Runs:
    """The runs of all owners, those that have ended for as long as their log is kept."""

    def __init__(self) -> None:
        self._of_chat: dict[tuple[str, str], Run] = {}
        self._reserved: set[tuple[str, str]] = set()

    @contextmanager
    def reserve(self, owner: str, chat: str) -> Generator[None]:
        """The chat is changed by this block alone. Raises ChatBusy while a run or another does."""
        key = (owner, chat)
        if key in self._reserved or self.running(owner, chat) is not None:
            raise ChatBusy
        self._reserved.add(key)
        try:
            yield
        finally:
            self._reserved.discard(key)

    def add(self, owner: str, chat: str, run: Run) -> None:
        """A run has begun in the chat; it takes the place of the chat's last one."""
        self._of_chat[owner, chat] = run

    def forget(self, owner: str, chat: str, run: Run) -> None:
        """The log of an ended run is kept no longer."""
        if self._of_chat.get((owner, chat)) is run:
            del self._of_chat[owner, chat]

    def running(self, owner: str, chat: str) -> Run | None:
        """The run that goes on in the chat."""
        run = self._of_chat.get((owner, chat))
        return None if run is None or run.ended else run

    def find(self, owner: str, run_id: str) -> Run | None:
        """The owner's run of this id, going on or ended not long ago."""
        mine = (run for (who, _), run in self._of_chat.items() if who == owner)
        return next((run for run in mine if run.id == run_id), None)

    def any_running(self, owner: str) -> bool:
        """Whether a run of the owner goes on, in whichever chat."""
        return any(who == owner and not run.ended for (who, _), run in self._of_chat.items())

    def all_running(self) -> list[Run]:
        """The runs that go on, of all owners."""
        return [run for run in self._of_chat.values() if not run.ended]
