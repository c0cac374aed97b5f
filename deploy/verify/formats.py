"""Checks of answers in a format that the request states."""

from __future__ import annotations

from typing import Any, Final

from app.chat.messages import Message, Text
from app.tools.errors import JsonTextError
from app.tools.json_text import read_json
from app.tools.problems import problems_of
from app.tools.schema_check import SchemaCheck
from deploy.verify.check import Topic
from deploy.verify.outcomes import DifferenceError, hold
from deploy.verify.subject import Subject
from deploy.verify.wire import quoted

topic = Topic()

_MAX_TOKENS: Final = 1500
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}


@topic.check("json_schema", "an answer follows the schema that is asked for", tokens=_MAX_TOKENS)
async def json_schema(subject: Subject) -> str | None:
    """`response_format` of the type json_schema: a grammar constrains what follows the thought."""
    message = Message("user", (Text("Give any a and b that you like."),))
    turn = await subject.turn([message], max_tokens=_MAX_TOKENS, response_schema=_SCHEMA)
    hold(turn.finish_reason == "stop", f"finish_reason {turn.finish_reason}")
    try:
        value = read_json(turn.content, max_characters=len(turn.content))
    except JsonTextError:
        raise DifferenceError(f"the answer is no JSON: {quoted(turn.content)}") from None
    problems = problems_of(SchemaCheck(_SCHEMA).errors(value))
    told = "; ".join(f"{problem.path} {problem.message}" for problem in problems)
    hold(not problems, f"{quoted(turn.content)}: {told}")
    return quoted(turn.content)
