"""The process in which truss is imported and pushes: `python -m deploy.truss_child`.

A process of its own, since truss takes 2 s to import, prints where it likes, and drops variables of
the whole process.

    question  {"directory", "team", "environment"}
    answer    {"model_id", "deployment_id"} or {"error": {"kind", "message"}}

The address and the key come as truss's own variables, BASETEN_TRUSS_AUTH_REMOTE_URL and
BASETEN_TRUSS_AUTH_API_KEY.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from deploy.child_answers import Say, answer

Kind: TypeAlias = Literal[
    "missing",
    "usage",
    "credentials",
    "not_found",
    "invalid_config",
    "unreachable",
    "upload",
    "other",
]

# By class names, so that only what truss has imported anyway is there; the first one along an
# error's bases counts. Source: truss 0.18.36, what its push raises.
_KINDS: Final[Mapping[str, Kind]] = {
    "truss.remote.baseten.error.AuthorizationError": "credentials",
    "truss.base.errors.ValidationError": "invalid_config",
    "pydantic_core._pydantic_core.ValidationError": "invalid_config",
    "boto3.exceptions.S3UploadFailedError": "upload",
    "botocore.exceptions.BotoCoreError": "upload",
    "botocore.exceptions.ClientError": "upload",
    "requests.exceptions.ConnectionError": "unreachable",
    "requests.exceptions.Timeout": "unreachable",
    "requests.exceptions.RequestException": "other",
    "builtins.ValueError": "usage",
}
CODES: Final[Mapping[object, Kind]] = {
    "AUTHENTICATION_FAILED": "credentials",
    "RESOURCE_NOT_FOUND": "not_found",
    401: "credentials",
    403: "credentials",
}
"""What a code of GraphQL or of HTTP says about an error."""


def main() -> None:
    """Answers the one question."""
    answer(_answer)


def _answer(question: Mapping[str, Any], _say: Say) -> Mapping[str, Any]:
    try:
        import truss
    except ImportError as error:
        return {"error": {"kind": "missing", "message": str(error)}}
    try:
        pushed = truss.push(
            question["directory"],
            # Else it is a development deployment, which no environment ever serves.
            publish=True,
            environment=question["environment"],
            # Else the preset's instance type is ignored where the environment has one.
            preserve_env_instance_type=False,
            team=question["team"],
        )
    except Exception as error:  # told by name to the process that asked
        return {"error": {"kind": kind_of(error), "message": str(error) or type(error).__name__}}
    return {"model_id": pushed.model_id, "deployment_id": pushed.model_deployment_id}


def kind_of(error: BaseException) -> Kind:
    """What an error of a push is about."""
    response = getattr(error, "response", None)
    code = getattr(error, "graphql_error_code", None) or getattr(response, "status_code", None)
    if code in CODES:
        return CODES[code]
    named = (f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__)
    return next((_KINDS[name] for name in named if name in _KINDS), "other")


if __name__ == "__main__":
    main()
