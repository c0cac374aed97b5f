"""One turn without a chat, for programs: asked, answered, reported, and not kept."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from app.chat import request
from app.chat.events import Event
from app.chat.messages import Conversation, Message, Text
from app.chat.request import Request
from app.tools.arguments import ArgumentChecker
from app.tools.mocks import Mocks
from app.tools.report import report_json, run_report
from app.tools.run import ToolRun
from app.turns.options import NewTurn
from app.turns.routes import TurnPolicy
from app.turns.services import EventStream
from app.turns.slots import Slots
from app.turns.visitors import RateLimit


@dataclass(frozen=True, slots=True)
class SingleTurns:
    """Asks the model server within what limits every visitor: slots, turns a minute, the policy.

    `limit` is the one that counts the turns of chats too.
    """

    stream: EventStream
    slots: Slots
    policy: TurnPolicy
    limit: RateLimit | None

    async def ask(self, asked: NewTurn, visitor: str) -> dict[str, Any]:
        """The answer as `ask --json` words it; calls stay unanswered. Cancelling it hangs up.

        `asked` holds a text and options; `visitor` is an address. Raises Refusal 429 where the
        visitor has had the minute's share.
        """
        if self.limit is not None:
            self.limit.take(visitor)
        options = self.policy.options(asked.options)
        checker = ArgumentChecker(options.tools)
        run = ToolRun(
            Conversation().with_message(Message("user", (Text(asked.text),))),
            build=lambda conversation: request.build(conversation, options, _no_media),
            stream=self._stream,
            checker=checker,
            mocks=Mocks(()),
            max_steps=1,
        )
        async with self.slots.hold(visitor, _wait), aclosing(run.events()) as events:
            async for _ in events:
                pass
        report: dict[str, Any] = json.loads(report_json(run_report(run, checker)))
        return report

    def _stream(self, built: Request) -> AsyncGenerator[Event, None]:
        return self.stream(built, {}, lambda _: None)


def _no_media(_: object) -> str:
    raise LookupError("A turn without a chat has no pictures or clips.")


def _wait(_before: int) -> None:
    """Nobody is told of the line: there is one answer, at the end."""
