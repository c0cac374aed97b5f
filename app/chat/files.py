"""Text files that go into the prompt: each as a fenced block under its name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_LANGUAGES = {
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "csv": "csv",
    "go": "go",
    "h": "c",
    "hpp": "cpp",
    "html": "html",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "jsonl": "json",
    "jsx": "jsx",
    "kt": "kotlin",
    "lua": "lua",
    "md": "markdown",
    "mjs": "javascript",
    "php": "php",
    "py": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "sql": "sql",
    "swift": "swift",
    "toml": "toml",
    "ts": "typescript",
    "tsv": "tsv",
    "tsx": "tsx",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
}

_FENCES = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text, Markdown, CSV, JSON or code file; `name` has no folders."""

    name: str
    text: str


def fenced(file: TextFile) -> str:
    """The file as the model reads it: its name, then a fence that nothing in it closes.

    Source: CommonMark 0.31, fenced code blocks.
    """
    longest = max((len(run) for run in _FENCES.findall(file.text)), default=2)
    fence = "`" * (longest + 1)
    language = _LANGUAGES.get(PurePosixPath(file.name).suffix.removeprefix(".").lower(), "")
    end = "" if file.text.endswith("\n") else "\n"
    return f"{file.name}:\n{fence}{language}\n{file.text}{end}{fence}"
