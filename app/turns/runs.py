"""Which runs there are: one at a time in each chat, found by its id or by its chat; and replays."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from app.turns.replay import Replay
    from app.turns.run import Run

_MOST_REPLAYS: Final = 8
"""Of one owner; one more ends the oldest."""


class ChatBusy(Exception):  # noqa: N818 - it names a state
    """Something goes on in the chat that nothing else may come between."""


class Runs:
    """The runs of all owners, those that have ended for as long as their log is kept.

    Replays change no chat, and are none of its runs: only by their id are they found.
    """

    def __init__(self) -> None:
        self._of_chat: dict[tuple[str, str], Run] = {}
        self._reserved: set[tuple[str, str]] = set()
        self._replays: dict[str, list[Replay]] = {}

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

    def add_replay(self, owner: str, replay: Replay) -> None:
        """A replay has begun; where the owner has too many, the oldest ends and is forgotten."""
        mine = self._replays.setdefault(owner, [])
        mine.append(replay)
        if len(mine) > _MOST_REPLAYS:
            mine.pop(0).end()

    def forget_replay(self, owner: str, replay: Replay) -> None:
        """The log of an ended replay is kept no longer."""
        mine = self._replays.get(owner, [])
        if replay in mine:
            mine.remove(replay)
        if not mine:
            self._replays.pop(owner, None)

    def running(self, owner: str, chat: str) -> Run | None:
        """The run that goes on in the chat."""
        run = self._of_chat.get((owner, chat))
        return None if run is None or run.ended else run

    def find(self, owner: str, run_id: str) -> Run | Replay | None:
        """The owner's run or replay of this id, going on or ended not long ago."""
        runs = (run for (who, _), run in self._of_chat.items() if who == owner)
        mine = (*runs, *self._replays.get(owner, ()))
        return next((each for each in mine if each.id == run_id), None)

    def any_running(self, owner: str) -> bool:
        """Whether a run of the owner goes on, in whichever chat."""
        return any(who == owner and not run.ended for (who, _), run in self._of_chat.items())

    def all_running(self) -> list[Run | Replay]:
        """The runs and replays that go on, of all owners."""
        everything: list[Run | Replay] = [*self._of_chat.values()]
        for mine in self._replays.values():
            everything += mine
        return [each for each in everything if not each.ended]
