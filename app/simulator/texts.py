"""Everything that the simulator says, in one place: it has no model, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, cycle, islice

INTRODUCTION = (
    "**This is the simulator: no model is answering.** It stands in for the server so that the "
    "page can be tried without one; it has read what you sent, and that is all it can tell you."
)

GREETING = "Hello! Ask for a *table*, *code*, a *list*, *maths* or a *long* answer to see one."

CLOSING = "Connect a real endpoint to get the model's own answer."

ENDING = (
    " … and so on. The simulator did not write the beginning of this answer, so all that it can "
    "do is end it here."
)

REASONING = (
    "I am the simulator: nothing but a few rules stands behind this text.",
    "The effort asked for decides how long this pane becomes, not how good the answer is.",
    "First I look at what the message asks, then at the files and results that came with it.",
    "If a tool is plainly asked for, it is called with words of the message as its arguments.",
    "A real model would weigh the alternatives here; I only list what I found.",
    "The answer should repeat the request in plain words, so that it is clear what was read.",
    "It should not pretend to know anything: a simulated fact would be worse than none.",
    "If a table, code, a list or maths is wanted, a small specimen of each is enough.",
    "If a long answer is wanted, its length is what matters, so that scrolling can be tried.",
    "Numbers about the request are safe to give, since they were counted and not guessed.",
    "Let me check the order again: the notice that this is simulated, then what was read.",
    "Then come the pictures and clips, each with its size, and after them the tools' results.",
    "Nothing in the conversation before this message changes what I can say about it.",
    "The stop strings and the token limit are not mine to mind; the engine minds them.",
    "One more pass over the wording: short sentences, plain words, no promises.",
    "That is everything that can be said without a model, so the answer can begin.",
)

REASONING_SENTENCES = {"low": 1, "high": 6, "max": 16}
"""How many of the sentences each effort gets; vLLM's template knows these three."""

FILLER = (
    "This sentence is part of a long answer that the simulator was asked for.",
    "It carries no meaning and only fills the page.",
    "Scroll up while it arrives: the page should stay where you are reading.",
    "Scroll back to the end and it should follow again.",
    "Press Stop at any time; what has come so far is kept.",
    "The words come two or three at a time, as the real server sends them.",
    "A paragraph that is finished should not move when the next one begins.",
    "Select a few words here to see that new text does not take the selection away.",
    "On a narrow screen each line is short, and nothing should stick out at the side.",
    "In the dark theme the text should be as easy to read as in the light one.",
    "Copying the whole answer should give its Markdown, and copying a block only that block.",
    "The timing line below will say how fast all of this was.",
)

TABLE = """\
| Effort | Thought | Meant for |
|:-------|--------:|:----------|
| low    |   short | quick questions |
| high   |  longer | most work; the server's default |
| max    | longest | hard problems |"""

CODE = '''\
```python
def fibonacci(limit: int) -> list[int]:
    """The Fibonacci numbers below a limit."""
    numbers = [0, 1]
    while (following := numbers[-1] + numbers[-2]) < limit:
        numbers.append(following)
    return numbers


print(fibonacci(100))
```'''

LIST = """\
1. Write a message.
2. Attach a picture or a clip, if there is one:
   - JPEG, PNG, WebP or GIF,
   - or a short MP4.
3. Read the thought while it grows, and the answer after it."""

MATHS = r"""The roots of $ax^2 + bx + c = 0$ are

$$
x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a},
$$

and $\sum_{k=1}^{n} k = \frac{n(n+1)}{2}$ for every $n \ge 1$."""

MARKDOWN = f"""\
## A heading

Words can be *emphasised*, **strong**, ~~struck out~~ or `code`, and a
[link](https://example.com/) leads elsewhere.

> A quotation stands apart.

{LIST}

### A table

{TABLE}

### Code

{CODE}

### Maths

{MATHS}"""

SPECIMENS: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"markdown"}), "A little of everything that Markdown has:", MARKDOWN),
    (frozenset({"table"}), "A table:", TABLE),
    (frozenset({"code", "program", "python", "function", "script"}), "Some code:", CODE),
    (frozenset({"list", "bullet", "step"}), "A list:", LIST),
    (
        frozenset({"math", "maths", "mathematic", "formula", "equation", "latex"}),
        "Some maths:",
        MATHS,
    ),
)
"""Words that ask for a specimen, the line before it, and the specimen."""


def reasoning_of_length(characters: int) -> str:
    """A thought of exactly so many characters."""
    return _exactly(characters, (f"{sentence} " for sentence in cycle(REASONING)))


def answer_of_length(characters: int) -> str:
    """An answer with headings, lists, tables, code and maths of exactly so many characters."""
    return _exactly(characters, (f"{section(number)}\n\n" for number in count(1)))


def section(number: int) -> str:
    """One section of a long answer: a heading, a paragraph and a block that varies."""
    sentences = islice(cycle(FILLER), (number * 3) % len(FILLER), None)
    paragraph = " ".join(islice(sentences, 4))
    block = (LIST, TABLE, CODE, MATHS)[number % 4]
    return f"## Section {number}\n\n{paragraph}\n\n{block}"


def words_of_length(words: int) -> str:
    """Prose of about so many words, in paragraphs of some sixty, each fourth with a heading."""
    paragraphs: list[str] = []
    current: list[str] = []
    endless = chain.from_iterable(map(str.split, cycle(FILLER)))
    for written, word in enumerate(islice(endless, words), start=1):
        current.append(word)
        if len(current) >= 60 and word.endswith("."):
            paragraphs.append(" ".join(current))
            current = []
            if len(paragraphs) % 5 == 4:
                paragraphs.append(f"### After {written} words")
    if current:
        paragraphs.append(" ".join(current))
    return "\n\n".join(paragraphs)


def _exactly(characters: int, parts: Iterator[str]) -> str:
    taken: list[str] = []
    length = 0
    while length < characters:
        part = next(parts)
        taken.append(part)
        length += len(part)
    return "".join(taken)[:characters]
