"""The endpoint `chat`: one turn for programs that speak Gradio, such as gradio_client."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gradio as gr
from gradio.events import api
from pydantic import ValidationError
from starlette.requests import Request

from app.tools.toolset import ToolSetError, parse_toolset
from app.turns.errors import Refusal, sentences
from app.turns.options import NewTurn, TurnOptions
from app.turns.single import SingleTurns
from app.turns.visitors import visitor_of

logger = logging.getLogger(__name__)


class CannotAskError(ValueError):
    """A call that is not carried out; the text says why and what to do."""


def add_chat_api(turns: SingleTurns) -> None:
    """Puts the endpoint into the page that is being built; nothing of it is seen there."""

    async def chat(
        message: str,
        effort: Literal["default", "low", "high", "max"] = "default",
        tools: list[dict[str, Any]] | str = "",
        system: str = "",
        request: gr.Request | None = None,
    ) -> dict[str, Any]:
        """Asks the model one question, which it thinks about, and gives the answer when it is done.

        Nothing is kept. Calls of declared tools are reported, and not answered. The answer is an
        object: complete, reasoning, content, finish_reason, tool_calls with their problems,
        notices, error, usage, timings in seconds, the request as sent, steps.

        Parameters:
            message: The question, as text.
            effort: How long the model thinks; "default" leaves it to the server, which takes high.
            tools: Tools that the model may call: the OpenAI array, or its JSON; "" for none.
            system: The system prompt; "" for none.
        """
        if request is None or request.request is None:
            raise gr.Error("The call came without a request.", print_exception=False)
        try:
            return await answer(
                turns, request.request, message=message, effort=effort, tools=tools, system=system
            )
        except CannotAskError as error:
            raise gr.Error(str(error), print_exception=False) from None

    api(chat, api_name="chat", concurrency_limit=None)


async def answer(
    turns: SingleTurns,
    request: Request,
    *,
    message: Any,
    effort: Any = "default",
    tools: Any = "",
    system: Any = "",
) -> dict[str, Any]:
    """The answer to a call, whose values nobody has checked. Raises CannotAskError."""
    try:
        options = TurnOptions(
            effort=None if effort == "default" else effort,
            system=system,
            tools=_tools(tools),
        )
        return await turns.ask(NewTurn(text=message, options=options), visitor_of(request))
    except ToolSetError as error:
        raise CannotAskError(str(error)) from None
    except ValidationError as error:
        raise CannotAskError(sentences(error.errors())[0]) from None
    except Refusal as refusal:
        raise CannotAskError(f"{refusal.message} {refusal.remedy}".strip()) from None
    except Exception as error:  # its text may hold what nobody should see
        logger.exception("A call of the endpoint failed in the playground itself")
        raise CannotAskError(f"The playground itself failed: {type(error).__name__}.") from None


def _tools(tools: Any) -> Sequence[Mapping[str, Any]]:
    """The array that the tools are, or that their JSON holds. Raises ToolSetError."""
    if not isinstance(tools, str):
        checked: Sequence[Mapping[str, Any]] = tools or ()
        return checked
    return parse_toolset(tools).tools if tools.strip() else ()
