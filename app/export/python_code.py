"""A request as a Python program for the openai SDK, that runs as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.export.layout import Notation, request_members
from app.export.request_body import as_sent

_INDENT: Final = "    "

SDK_ARGUMENTS: Final = frozenset(
    {
        "messages",
        "model",
        "audio",
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "metadata",
        "modalities",
        "moderation",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
        "web_search_options",
    }
)
"""The keys of a body that `client.chat.completions.create` takes by name; others go in by
`extra_body`. Source: openai 3.57."""

_WHOLE: Final = """\
message = response.choices[0].message
# vLLM says "reasoning"; other servers, and older versions, say "reasoning_content".
reasoning = getattr(message, "reasoning", None) or getattr(
    message, "reasoning_content", None
)
calls = [
    f"{call.function.name}({call.function.arguments})"
    for call in message.tool_calls or []
]
print(*filter(None, (reasoning, message.content, *calls)), sep="\\n\\n")
"""

_STREAMED: Final = """\
calls = {}
printed = ""
for chunk in stream:
    if not chunk.choices:  # the last chunk brings the usage alone
        continue
    delta = chunk.choices[0].delta
    # vLLM says "reasoning"; other servers, and older versions, say "reasoning_content".
    reasoning = getattr(delta, "reasoning", None) or getattr(
        delta, "reasoning_content", None
    )
    for kind, text in (("reasoning", reasoning), ("answer", delta.content)):
        if text:
            if printed and printed != kind:
                print("\\n")
            print(text, end="", flush=True)
            printed = kind
    for piece in delta.tool_calls or []:
        call = calls.setdefault(piece.index, {"name": "", "arguments": ""})
        if piece.function:
            call["name"] += piece.function.name or ""
            call["arguments"] += piece.function.arguments or ""
for call in calls.values():
    print(f"\\n\\n{call['name']}({call['arguments']})", end="")
print()
"""


def python_code(body: Mapping[str, Any], *, base_url: str, key_variable: str | None) -> str:
    """The program that sends a chat-completions body and prints the reply.

    `body` is the body as it was sent, its media included; its keys keep their order, but for those
    of `extra_body`. `key_variable` names the environment variable that holds the API key; None
    says that the server wants none. The reasoning is printed first, then the answer, then the
    calls, each as `name(arguments)`; of a stream, texts as they come, and the calls at its end.

    Source: the preset's page, "Call the model".
    """
    if key_variable is None:
        imports, key = "", '"none-needed"'
    else:
        imports, key = "import os\n", f"os.environ[{_string(key_variable)}]"
    name, printing = ("stream", _STREAMED) if body.get("stream") else ("response", _WHOLE)
    return f"""\
{imports}from openai import OpenAI

client = OpenAI(
{_INDENT}api_key={key},
{_INDENT}base_url={_string(base_url)},
)

{name} = client.chat.completions.create(
{_arguments(as_sent(body))})

{printing}"""


def _arguments(body: Mapping[str, Any]) -> str:
    """The arguments of `create`, each on lines of its own."""
    arguments = {key: value for key, value in body.items() if key in SDK_ARGUMENTS}
    extra = {key: value for key, value in body.items() if key not in SDK_ARGUMENTS}
    if extra:
        arguments["extra_body"] = extra
    lines = request_members(arguments, _NOTATION, indent=_INDENT, label=lambda key: f"{key}=")
    return "".join(f"{line},\n" for line in lines)


def _string(text: str) -> str:
    """A string's literal, in double quotes unless single ones spare it escapes, as Black has it."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    if text.isprintable() and quote not in text and "\\" not in text:
        return f"{quote}{text}{quote}"
    return quote + "".join(_escaped(one, quote) for one in text) + quote


def _escaped(character: str, quote: str) -> str:
    """As it stands in a literal: what neither a terminal nor an editor shows is spelled out."""
    if character in (quote, "\\"):
        return f"\\{character}"
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


_NOTATION: Final = Notation(_string, "True", "False", "None", last_comma=",", indent=_INDENT)
