"""The least that anybody can do with the openai SDK: stream, and show nothing.

`python -m tests.benchmarks.bare_sdk BASE_URL` reads lines from its input: each is a number of
streams to run at once, answered by `done` when all have ended. It is what the SDK's own README
shows: the async client as it comes, its objects, asyncio's own loop.
"""

from __future__ import annotations

import asyncio
import sys

from openai import AsyncOpenAI

from tests.benchmarks.clients import MODEL, PROMPT


async def stream(client: AsyncOpenAI) -> int:
    """One stream to its end; returns the characters that came."""
    thought = answer = ""
    chunks = await client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": PROMPT}], stream=True
    )
    async for chunk in chunks:
        if not chunk.choices:
            continue
        delta = chunk.choices[0].delta
        thought += getattr(delta, "reasoning", None) or ""
        answer += delta.content or ""
    return len(thought) + len(answer)


async def main(base_url: str) -> None:
    """Runs what is asked for, until the input ends."""
    async with AsyncOpenAI(base_url=base_url, api_key="test-key-not-real") as client:
        print("Ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            await asyncio.gather(*(stream(client) for _ in range(int(line))))
            print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
