"""A plain gr.ChatInterface over the openai SDK, as Gradio's guides write it.

`python -m tests.benchmarks.chat_interface BASE_URL` prints its address. Thought and answer are
two messages, each yield shows both as far as they came; sixteen may stream at once.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from typing import Any

import gradio as gr
from openai import AsyncOpenAI

from tests.benchmarks.clients import MODEL


def build(base_url: str) -> gr.ChatInterface:
    """The page."""
    client = AsyncOpenAI(base_url=base_url, api_key="test-key-not-real")

    async def respond(
        message: str, history: list[dict[str, Any]]
    ) -> AsyncGenerator[list[gr.ChatMessage]]:
        thought = answer = ""
        messages: Any = [
            {"role": each["role"], "content": each["content"]}
            for each in history
            if not each.get("metadata")
        ]
        messages.append({"role": "user", "content": message})
        chunks = await client.chat.completions.create(model=MODEL, messages=messages, stream=True)
        async for chunk in chunks:
            if not chunk.choices:
                continue
            delta = chunk.choices[0].delta
            thought += getattr(delta, "reasoning", None) or ""
            answer += delta.content or ""
            shown = [gr.ChatMessage(thought, metadata={"title": "Thinking"})]
            if answer:
                shown.append(gr.ChatMessage(answer))
            yield shown

    return gr.ChatInterface(respond, concurrency_limit=16, analytics_enabled=False)


if __name__ == "__main__":
    page = build(sys.argv[1])
    url = page.launch(server_name="127.0.0.1", prevent_thread_lock=True, quiet=True)[1]
    print(f"ChatInterface: {url}", flush=True)
    sys.stdin.read()
    page.close()
