"""One turn without a chat, for programs: asked, answered, reported, and not kept."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from app.chat import request
from app.chat.messages import Conversation, Message, Text
from app.tools.arguments import ArgumentChecker
from app.tools.mocks import Mocks
from app.tools.report import report_json, run_report
from app.tools.run import ToolRun
from app.turns.limits import VisitorLimits
from app.turns.options import NewTurn
from app.turns.routes import TurnPolicy
from app.turns.services import EventStream
from app.turns.slots import Slots


@dataclass(frozen=True, slots=True)
class SingleTurns:
    """Asks the model server within what limits every visitor: slots, turns a minute, the policy.

    `limits` are those that count the turns of chats too.
    """

    stream: EventStream
    slots: Slots
    policy: TurnPolicy
    limits: VisitorLimits

    async def ask(self, asked: NewTurn, visitor: str) -> dict[str, Any]:
        """The answer as `ask --json` words it; calls stay unanswered. Cancelling it hangs up.

        `asked` holds a text and options; `visitor` is whom limits count. Raises Refusal 429 where
        a limit is reached.
        """
        await self.limits.turn(visitor)
        options = self.policy.options(asked.options)
        checker = ArgumentChecker(options.tools)
        run = ToolRun(
            Conversation().with_message(Message("user", (Text(asked.text),))),
            build=lambda conversation: request.build(conversation, options, _no_media),
            stream=lambda built: self.limits.metered(
                visitor, built, self.stream(built, {}, lambda _: None)
            ),
            checker=checker,
            mocks=Mocks(()),
            max_steps=1,
        )
        async with self.slots.hold(visitor, _wait), aclosing(run.events()) as events:
            async for _ in events:
                pass
        report: dict[str, Any] = json.loads(report_json(run_report(run, checker)))
        return report


def _no_media(_: object) -> str:
    raise LookupError("A turn without a chat has no pictures or clips.")


def _wait(_before: int) -> None:
    """Nobody is told of the line: there is one answer, at the end."""
