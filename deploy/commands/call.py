"""`python -m deploy call`: the calls of the preset's page, made or printed as code."""

from __future__ import annotations

import argparse
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from app.chat.events import Failed
from app.chat.request import Request
from app.chat.turn import Turn, TurnBuilder
from app.connections import Connection
from app.endpoint import Endpoint
from app.export import curl_code, python_code
from deploy import exit_status
from deploy.calls import CALLS, Printing, request_of
from deploy.errors import CredentialsError, DeployError, NotFoundError
from deploy.model_server import (
    add_server_arguments,
    endpoint_settings,
    find_server,
    key_variable,
)
from deploy.output import Output
from deploy.watching import told_when_interrupted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which call, its prompt, the server, and in which form."""
    parser.description = (
        "Calls the model as the preset's page shows, and prints its thought, its answer and its "
        "calls of tools; or prints the call as code, with the key's variable in place of the key."
    )
    parser.add_argument("call", choices=tuple(CALLS), help="which of the page's calls")
    parser.add_argument("prompt", nargs="?", help="another message than the page's")
    add_server_arguments(parser)
    parser.add_argument("--stream", action="store_true", help="print the answer as it comes")
    code = parser.add_mutually_exclusive_group()
    code.add_argument("--curl", action="store_true", help="print the call as cURL; make none")
    code.add_argument("--python", action="store_true", help="print it as Python; make none")


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Makes the call, or prints it."""
    as_code = arguments.curl or arguments.python
    connection, settings = await find_server(arguments.base_url, needs_key=not as_code)
    model = arguments.model or connection.model or settings.model
    request = request_of(
        CALLS[arguments.call], arguments.prompt, model=model, stream=arguments.stream
    )
    if as_code:
        write = curl_code if arguments.curl else python_code
        variable = key_variable(connection, settings)
        code = write(request.body, base_url=connection.base_url, key_variable=variable)
        output.result({"code": code, "request": request.body}, code.removesuffix("\n"))
        return exit_status.OK
    async with Endpoint(endpoint_settings(connection, settings, model)) as endpoint:
        with told_when_interrupted(output, lambda: _left(connection)):
            turn = await _made(endpoint, request, output)
    if turn.failure is not None:
        raise _error(turn.failure)
    if not turn.complete:
        raise DeployError("The answer broke off before its end: call again.")
    output.result(_report(turn, request), "")
    return exit_status.OK


async def _made(endpoint: Endpoint, request: Request, output: Output) -> Turn:
    builder = TurnBuilder()
    printing = Printing(output.piece, output.note)
    async with aclosing(endpoint.stream(request)) as events:
        async for event in events:
            builder.add(event)
            printing.show(event)
    turn = builder.turn()
    printing.end(turn)
    return turn


def _left(connection: Connection) -> str:
    """What is to be said where the call was interrupted."""
    if connection.kind != "baseten":
        return "The answer is not whole."
    return (
        "The answer is not whole. A model that serves or wakes is billed: python -m deploy status "
        "tells, and python -m deploy stop ends that."
    )


def _error(failure: Failed) -> DeployError:
    status = f"HTTP {failure.status}: " if failure.status else ""
    told = f"{status}{failure.message.rstrip('.')}."
    if failure.status in (401, 403):
        return CredentialsError(
            f"{told} The key was refused: see where it is from, and replace it."
        )
    if failure.status == 404:
        return NotFoundError(
            f"{told} See how the deployment is with python -m deploy status; one that is stopped "
            "starts with python -m deploy start."
        )
    return DeployError(told)


def _report(turn: Turn, request: Request) -> dict[str, Any]:
    return {
        "reasoning": turn.reasoning,
        "content": turn.content,
        "tool_calls": [asdict(call) for call in turn.tool_calls],
        "finish_reason": turn.finish_reason,
        "usage": turn.usage,
        "seconds": round(turn.timings.total_s, 3),
        "request": request.body,
    }
