"""What can be wrong with the JSON that tools, arguments and mocks are written in."""

from __future__ import annotations


class JsonTextError(ValueError):
    """A text is not JSON, or beyond the limits. `path` is a JSON path, `$` where none is known.

    The message is the rest of a sentence that begins with the text's name: "is not JSON: …".
    """

    def __init__(self, message: str, path: str = "$") -> None:
        super().__init__(message)
        self.path = path


class ToolSetError(ValueError):
    """A tool set or a list of mocks cannot be used: one sentence, with where and what to do."""


class SchemaUnusableError(ValueError):
    """A schema cannot be checked against; the message says why, without naming the schema."""


class NoSampleError(ValueError):
    """No value was found that satisfies a schema."""
