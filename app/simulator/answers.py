"""What is replied to a prompt: thought, answer and calls, all from rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from app.simulator import texts
from app.simulator.calling import choose_calls, make_call
from app.simulator.faults import Faults
from app.simulator.prompt import Prompt, ToolResult
from app.simulator.reply import Call, Reply
from app.simulator.request import ChatRequest, FunctionDefinition, ResponseFormat
from app.simulator.samples import sample
from app.simulator.tokens import LONGEST_TOKEN, first_tokens
from app.simulator.words import MAX_READ, Words, stems, topics

_MAX_WORDS = 100_000
_LONG = 800
_SHOWN_OF_PROMPT = 280
_SHOWN_OF_RESULT = 600

_ASKED_LENGTH = re.compile(r"\b(\d{1,6})[ -]words?\b", re.IGNORECASE)
_ASKED_LONG = re.compile(r"\b(?:long|lengthy|essay)\b", re.IGNORECASE)
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|good (?:morning|day|evening))\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"^\W*(?:what|who|whom|whose|when|where|which|why|how|is|are|do|does|did|can|could|will|would)\b",
    re.IGNORECASE,
)


def effort_of(request: ChatRequest) -> str:
    """low, high or max, as vLLM and the model's template make them of what was sent.

    The field beats the template's argument; nothing at all is the server's default, high; of the
    other words all but low and high become max.
    """
    asked: object = request.reasoning_effort
    if asked is None:
        asked = (request.chat_template_kwargs or {}).get("reasoning_effort")
    if asked is None:
        return "high"
    return asked if isinstance(asked, str) and asked in ("low", "high") else "max"


def compose(request: ChatRequest, prompt: Prompt, faults: Faults) -> Reply:
    """The reply to a prompt, with the faults that change what is said.

    To a prompt that ends with a reply begun, it is the rest of the same reply.
    """
    calls = choose_calls(request, prompt)
    reasoning = _reasoning(request, prompt, calls)
    content = "" if calls else _answer(request, prompt)
    if calls and request.tool_choice in (None, "auto") and prompt.rounds == 0:
        content = "The simulator calls what the message asks for."
    reply = _with_faults(reasoning, content, calls, faults)
    if prompt.begun is None:
        return reply
    return _rest(reply, prompt.begun, thinks=faults.reasoning is not None)


def _rest(reply: Reply, begun: str, *, thinks: bool) -> Reply:
    """What is left of a reply after its beginning; of another's beginning, an ending.

    The chat template strips what was begun, so that the blanks at its end come once more; and it
    closes the thought, so that none comes unless a fault asks for one.
    """
    said = begun.strip()
    rest = reply.content[len(said) :] if reply.content.startswith(said) else texts.ENDING
    return replace(
        reply, reasoning=reply.reasoning if thinks else "", content=rest, thought_is_over=not thinks
    )


def _with_faults(reasoning: str, content: str, calls: tuple[Call, ...], faults: Faults) -> Reply:
    if faults.bench is not None:
        tokens = round(faults.bench * (faults.chunk or 2.5) / 2)
        reasoning = first_tokens(texts.reasoning_of_length(tokens * LONGEST_TOKEN), tokens)
        content = first_tokens(texts.answer_of_length(tokens * LONGEST_TOKEN), tokens)
        calls = ()
    if faults.reasoning is not None:
        reasoning = texts.reasoning_of_length(faults.reasoning)
    if faults.answer is not None:
        content = texts.answer_of_length(faults.answer)
    if faults.no_reasoning:
        reasoning = ""
    if faults.only_reasoning:
        content, calls = "", ()
    if faults.tool_text:
        content, calls = _as_markup(calls), ()
    return Reply(reasoning, content, calls, faults.finish, split=not faults.unsplit)


def _as_markup(calls: tuple[Call, ...]) -> str:
    """Calls as the model writes them, where no parser took them."""
    calls = calls or (make_call(_EXAMPLE_TOOL, Words("")),)
    written = []
    for call in calls:
        arguments = json.loads(call.arguments)
        pairs = "".join(
            f"<arg_key>{key}</arg_key><arg_value>{_as_text(value)}</arg_value>"
            for key, value in arguments.items()
        )
        written.append(f"<tool_call>{call.name}{pairs}</tool_call>")
    return "\n".join(written)


_EXAMPLE_TOOL = FunctionDefinition(
    name="get_weather",
    parameters={
        "type": "object",
        "properties": {"location": {"type": "string"}},
        "required": ["location"],
    },
)


def _reasoning(request: ChatRequest, prompt: Prompt, calls: tuple[Call, ...]) -> str:
    effort = effort_of(request)
    seen = [f"The user wrote {len(prompt.user_text)} characters, and the effort is {effort}."]
    seen += _media_sentences(prompt)
    if prompt.results:
        seen.append(f"{_counted(len(prompt.results), 'tool result')} came back.")
    if calls:
        seen.append(f"To be called now: {', '.join(call.name for call in calls)}.")
    general = texts.REASONING[: texts.REASONING_SENTENCES[effort]]
    sentences = [*seen, *general]
    paragraphs = [" ".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4)]
    return "\n\n".join(paragraphs)


def _answer(request: ChatRequest, prompt: Prompt) -> str:
    response_format = request.response_format
    if isinstance(response_format, ResponseFormat) and response_format.type != "text":
        return _structured_answer(response_format, prompt)
    return "\n\n".join(_answer_blocks(prompt))


def _structured_answer(response_format: ResponseFormat, prompt: Prompt) -> str:
    declared = response_format.json_schema.schema_ if response_format.json_schema else None
    if declared is not None:
        return json.dumps(sample(declared, Words(prompt.user_text)), ensure_ascii=False)
    text = prompt.user_text
    about = {"simulated": True, "asked": text[:MAX_READ], "topics": topics(text)}
    return json.dumps(about, ensure_ascii=False)


def _answer_blocks(prompt: Prompt) -> Iterator[str]:
    text = prompt.user_text
    yield texts.INTRODUCTION
    if text.strip():
        yield _as_quotation(text)
        yield _understood(prompt)
    if _GREETING.match(text):
        yield texts.GREETING
    media = _media_sentences(prompt)
    if media:
        yield " ".join(media)
    yield from (_result_block(result) for result in prompt.results)
    if prompt.results:
        yield "That is what the tools gave; a model would now put it into an answer."
        return
    said = stems(text[:MAX_READ])
    for asked, line, specimen in texts.SPECIMENS:
        if asked & said:
            yield line
            yield specimen
    length = _asked_length(text)
    if length:
        yield texts.words_of_length(length)
    yield texts.CLOSING


def _asked_length(text: str) -> int:
    """Words that the prompt asks for; 0 if it asks for none."""
    asked = _ASKED_LENGTH.search(text[:MAX_READ])
    if asked:
        return min(_MAX_WORDS, int(asked.group(1)))
    return _LONG if _ASKED_LONG.search(text[:MAX_READ]) else 0


def _as_quotation(text: str) -> str:
    shown = " ".join(text[:_SHOWN_OF_PROMPT].split())
    return f"> {shown}{' …' if len(text) > _SHOWN_OF_PROMPT else ''}"


def _understood(prompt: Prompt) -> str:
    text = prompt.user_text
    kind = "a question" if _QUESTION.match(text) or text.rstrip().endswith("?") else "a request"
    if _GREETING.match(text):
        kind = "a greeting"
    about = topics(text)
    tail = f", about: {', '.join(about)}" if about else ""
    read = f"Read as {kind} of {_counted(len(text.split()), 'word')}{tail}."
    if prompt.turn > 1:
        read += f" It is message {prompt.turn} of this chat."
    if prompt.system_text:
        read += f" The system prompt before it has {len(prompt.system_text)} characters."
    return read


def _media_sentences(prompt: Prompt) -> list[str]:
    seen: list[str] = []
    if prompt.picture is not None:
        size = _size(prompt.picture.width, prompt.picture.height)
        seen.append(f"The picture is {size}, mostly {' and '.join(prompt.picture.colours)}.")
    if prompt.clip is not None:
        clip = prompt.clip
        size = _size(clip.width, clip.height)
        rate = f"{round(clip.rate, 2):g} frames a second"
        seen.append(f"The clip is {clip.seconds:.1f} seconds long, {size}, {rate}.")
    return seen


def _size(width: int, height: int) -> str:
    return f"{width} \N{MULTIPLICATION SIGN} {height} pixels"


def _result_block(result: ToolResult) -> str:
    """A tool's result in words: the fields of an object, the text of anything else."""
    try:
        value = json.loads(result.text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and value:
        fields = [f"- {key}: {_as_text(each)}" for key, each in list(value.items())[:20]]
        return f"`{result.name}` answered:\n\n" + "\n".join(fields)
    text = " ".join(result.text[:_SHOWN_OF_RESULT].split())
    return f"`{result.name}` answered: {text}" if text else f"`{result.name}` answered nothing."


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value[:_SHOWN_OF_RESULT]
    return json.dumps(value, ensure_ascii=False)[:_SHOWN_OF_RESULT]


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
