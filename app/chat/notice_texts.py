"""The sentences of notices and repairs, in English: one table, by keys that translations share.

A key is the notice's code, or the code and what sets this case apart. A message is made of its
sentence and values: the names of files and tools, and what the server said, which is no text of
ours and is never translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.chat.templates import fill

MESSAGES: Final[Mapping[str, str]] = {
    "server_error": "The server answered {status}: {message}",
    "server_error.no_status": "The server reported an error: {message}",
    "server_error.access": "The server answered {status}: {message}",
    "server_error.not_found": "The server answered {status}: {message}",
    "server_error.too_large": "The server answered {status}: {message}",
    "server_error.request": "The server answered {status}: {message}",
    "unreachable": "{message}",
    "timed_out": "{message}",
    "too_large": "{message}",
    "used_up": "{message}",
    "kept": "What came before is kept.",
    "stopped": "Stopped; what came before is kept.",
    "stopped.nothing": "Stopped before anything came.",
    "cut_short": "The stream broke off before the server finished; what came is kept.",
    "cut_short.why": (
        "The stream broke off before the server finished ({detail}); what came is kept."
    ),
    "cut_short.ended": "The playground was ended in the middle of the answer; what came is kept.",
    "empty_reply.ended": "The playground was ended before anything came of the answer.",
    "empty_reply": "The server sent nothing: no reasoning, no answer, no call.",
    "empty_reply.why": "The server sent nothing: no reasoning, no answer, no call ({detail}).",
    "ended_by_server": "The server ended the answer for a reason of its own: “{reason}”.",
    "ended_by_server.abort": "The server gave the request up.",
    "ended_by_server.repetition": "The server ended the answer because it repeated itself.",
    "ended_by_server.content_filter": "The server's content filter ended the answer.",
    "token_limit": "The token limit was reached before the answer was complete.",
    "only_reasoning": "The model thought, but gave no answer.",
    "only_reasoning.length": "Thinking used up all the tokens: no answer was begun.",
    "only_reasoning.stop_string": (
        "The stop string “{stop}” ended the turn while the model was thinking."
    ),
    "missing_tool_call": "The server said that the model calls a tool, but sent no call.",
    "thought_in_answer": "The server sent the thought inside the answer; it was split off.",
    "tool_text_in_reasoning": (
        "The model wrote a tool call into its reasoning, where no parser takes it."
    ),
    "tool_text_in_answer": (
        "The answer holds a tool call as text: no parser took it, and it was not run."
    ),
    "too_many_calls": "The model made {made} calls; the first {kept} are kept.",
    "unknown_tool": "The model called “{name}”, which was not declared; the call was not run.",
    "unknown_tool.unnamed": "The model called a tool without a name; the call was not run.",
    "invalid_arguments": "The arguments of “{name}” are not valid: {problems}.",
    "invalid_arguments.cut": "The arguments of “{name}” are not valid: {problems}.",
    "invalid_arguments.unnamed": "The arguments of “the call” are not valid: {problems}.",
    "invalid_arguments.unnamed_cut": "The arguments of “the call” are not valid: {problems}.",
    "not_kept": (
        "This turn could not be stored: after a reload it is missing until the playground is "
        "restarted."
    ),
    "media_replaced.image": (
        "An older image was replaced by a note: the server takes one image a prompt."
    ),
    "media_replaced.video": (
        "An older video was replaced by a note: the server takes one video a prompt."
    ),
    "media_replaced.named_image": (
        "An older image “{name}” was replaced by a note: the server takes one image a prompt."
    ),
    "media_replaced.named_video": (
        "An older video “{name}” was replaced by a note: the server takes one video a prompt."
    ),
    "history_repaired.answer_media": "A picture or clip in an answer of the model was left out.",
    "history_repaired.gone_media": (
        "A picture or clip that is no longer kept was replaced by a note: attach it again."
    ),
    "history_repaired.empty_message": "An empty {role} message was left out.",
    "history_repaired.empty_part": "An empty part of a user message was left out.",
    "history_repaired.call_ids": "Calls without an id of their own were given one.",
    "history_repaired.no_call": "A result was left out: its call {call} is gone.",
    "history_repaired.second_result": "A second result of call {call} was left out.",
    "history_repaired.moved_result": "The result of {call} was put behind its call.",
    "history_repaired.result_order": "Results were put in the order of their calls.",
    "history_repaired.cut_arguments": (
        "The cut arguments of the call to “{name}” were replaced by {}."
    ),
    "history_repaired.no_result": ("The call to “{name}” had no result: it says “{not_executed}”."),
    "control_tokens.message": (
        "A message holds control tokens of the model, which the server reads as such, not as text."
    ),
    "control_tokens.system": (
        "The system prompt holds control tokens of the model, which the server reads as such, "
        "not as text."
    ),
    "control_tokens.tool": (
        "A tool result holds control tokens of the model, which the server reads as such, "
        "not as text."
    ),
    "control_tokens.broken_message": (
        "A message holds control tokens of the model: they were broken up into text."
    ),
    "control_tokens.broken_system": (
        "The system prompt holds control tokens of the model: they were broken up into text."
    ),
    "control_tokens.broken_tool": (
        "A tool result holds control tokens of the model: they were broken up into text."
    ),
}

REMEDIES: Final[Mapping[str, str]] = {
    "server_error": "Wait a little, then retry.",
    "server_error.access": "Check the API key and that it may use this model.",
    "server_error.not_found": "Check the model's name, its id and that it is deployed.",
    "server_error.too_large": "Send less: a smaller picture or clip, or a shorter text.",
    "server_error.request": "Change what the message names, then send again.",
    "unreachable": "Check the address and that the server runs, then retry.",
    "timed_out": "Retry; a long queue or a very long prompt may need a longer timeout.",
    "too_large": "Send less: a smaller picture or clip, or a shorter text.",
    "used_up": "Then retry the message.",
    "stopped": "Continue it, or retry for a whole answer.",
    "stopped.nothing": "Retry for a whole answer.",
    "cut_short": "Continue it, or retry for a whole answer.",
    "empty_reply.ended": "Retry for an answer.",
    "empty_reply": "Retry; if it happens again, look at the server's log.",
    "ended_by_server": "Retry, or change the prompt.",
    "token_limit": "Continue it, or allow more tokens and retry.",
    "only_reasoning": "Retry.",
    "only_reasoning.length": "Allow more tokens, or choose a lower effort, then retry.",
    "only_reasoning.stop_string": "Remove that stop string, then retry.",
    "missing_tool_call": "Retry; if it happens again, the server's tool parser lost the call.",
    "thought_in_answer": "Nothing to do here; the server's reasoning parser may be off.",
    "tool_text_in_reasoning": (
        "Retry, or ask the model to call the tool after it has finished thinking."
    ),
    "tool_text_in_answer": (
        "Declare the tool, or check the server's tool-call parser; then retry."
    ),
    "too_many_calls": "Retry, ask for fewer calls at once, or switch parallel calls off.",
    "unknown_tool": "Declare the tool, or tell the model which tools there are; then retry.",
    "invalid_arguments": "Retry, or make the tool's description and schema clearer.",
    "invalid_arguments.cut": "Allow more tokens and retry.",
    "invalid_arguments.unnamed_cut": "Allow more tokens and retry.",
    "not_kept": "Copy what you need. Whoever runs the playground finds the reason in its log.",
    "media_replaced": "Attach the older one again if the model should see it.",
    "history_repaired": "Nothing to do: the server takes the history only so.",
    "control_tokens": "Reword the text if it should not steer the model.",
}
"""By the key of a message where its remedy is one of its own, else by its code."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its key in `MESSAGES`, and the values of its placeholders."""

    key: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The sentence in English. Raises KeyError where the table has none, or a value lacks."""
        return fill(MESSAGES[self.key], self.values)


def remedy(key: str) -> str:
    """What to do about it, in English. Raises KeyError for a key without a remedy."""
    return REMEDIES.get(key) or REMEDIES[code_of(key)]


def code_of(key: str) -> str:
    """The code of the notices that this is a case of."""
    return key.partition(".")[0]
