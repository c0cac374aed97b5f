"""The model's control tokens: typed as text they become real tokens in the prompt.

Source: GLM-5.3-Flash's tokenizer and chat template, which escapes none of them.
"""

from __future__ import annotations

import re

ZERO_WIDTH_JOINER = "\u200d"

_CONTROL_TOKEN = re.compile(
    r"<(?=\|[a-z_]{2,40}\|>"
    r"|/?(?:think|tool_call|tool_response|arg_key|arg_value|tools)>"
    r"|sop>|eop>)"
    r"|\[(?=(?:gMASK|sMASK|MASK)\])"
)


def holds_control_tokens(text: str) -> bool:
    """Whether the server would read a part of the text as control tokens."""
    return _CONTROL_TOKEN.search(text) is not None


def break_up(text: str) -> str:
    """The same text with a zero-width joiner after each token's first character."""
    return _CONTROL_TOKEN.sub(lambda match: match.group() + ZERO_WIDTH_JOINER, text)
