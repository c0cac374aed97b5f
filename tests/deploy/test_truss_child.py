"""What an error of a push is taken for, in the process where truss runs."""

from __future__ import annotations

import pytest

from deploy.truss_child import kind_of


class CodedError(Exception):
    """An error of Baseten's GraphQL, as truss raises it."""

    def __init__(self, code: str) -> None:
        super().__init__("told by the server")
        self.graphql_error_code = code


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("Multiple teams available."), "usage"),
        (UnicodeDecodeError("utf-8", b"", 0, 0, "no text"), "usage"),
        (CodedError("AUTHENTICATION_FAILED"), "credentials"),
        (CodedError("RESOURCE_NOT_FOUND"), "not_found"),
        (CodedError("SOMETHING_NEW"), "other"),
        (OSError("disk full"), "other"),
    ],
)
def test_errors_are_told_apart(error: Exception, kind: str) -> None:
    assert kind_of(error) == kind
