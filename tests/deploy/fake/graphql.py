"""What truss asks at /graphql/: teams, models, validation, upload credentials, a new deployment."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

from tests.deploy.fake.state import PRICES, Account
from tests.deploy.fake.wire import Answer

REFUSED = Answer(
    body={
        "errors": [
            {
                "message": "You have to log in to perform the request",
                "extensions": {"code": "AUTHENTICATION_FAILED"},
            }
        ]
    }
)


def operation_of(query: str) -> str:
    """The name of the first field that a query selects."""
    selection = re.sub(r"^\s*(query|mutation)?\s*\w*\s*(\([^)]*\))?\s*\{", "", query, count=1)
    named = re.match(r"\s*(?:\w+\s*:\s*)?(\w+)", selection)
    return named[1] if named else "?"


def answer_graphql(account: Account, question: Mapping[str, Any]) -> Answer:
    """Answers what truss 0.18 asks; anything else is an error of GraphQL."""
    query, variables = str(question["query"]), question.get("variables") or {}
    operation = operation_of(query)
    if operation == "organization":
        organization = {
            "id": "organization",
            "workspace_name": "fake-workspace",
            "aws_customer_access_role_arn": None,
            "aws_external_id": None,
        }
        return _data(organization=organization, user={"email": "user@example.invalid"})
    if operation == "teams":
        return _data(teams=account.teams)
    if operation == "models":
        return _data(models=_models(account, _argument(query, "team_id")))
    if operation == "truss_validation":
        success = not account.validation.get("errors")
        details = json.dumps(account.validation)
        return _data(truss_validation={"success": success, "details": details})
    if operation == "model_s3_upload_credentials":
        return _data(
            model_s3_upload_credentials={
                "s3_bucket": "fake-baseten-bucket",
                "s3_key": f"organization/models/{account.new_id('upload')}.tgz",
                "aws_access_key_id": "not-real",
                "aws_secret_access_key": "not-real",
                "aws_session_token": "not-real",
                "endpoint_url": account.url,
                "region_name": "us-west-2",
            }
        )
    if operation in ("create_model_from_truss", "create_model_version_from_truss"):
        return _create(account, operation, query, variables)
    if operation in ("listed_instances", "listedInstances"):
        return _data(listedInstances=[{"id": name, "name": name} for name in PRICES])
    return _errors(f"the fake does not know the operation {operation!r}")


def _models(account: Account, team_id: str | None) -> list[dict[str, Any]]:
    return [
        {
            "id": model.id,
            "name": model.name,
            "team": {key: model.team[key] for key in ("id", "name")},
        }
        for model in account.models.values()
        if team_id in (None, model.team["id"])
    ]


def _create(account: Account, operation: str, query: str, variables: Mapping[str, Any]) -> Answer:
    config = json.loads(base64.b64decode(_argument(query, "config") or ""))
    if operation == "create_model_version_from_truss":
        model = account.models.get(_argument(query, "model_id") or "")
        if model is None:
            return _errors("Model not found", "RESOURCE_NOT_FOUND")
        name = _argument(query, "name")
    else:
        model = account.create_model(_argument(query, "name") or "", _argument(query, "team_id"))
        name = _argument(query, "version_name")
    environment = _argument(query, "environment_name")
    if environment is not None and environment not in model.environments:
        return _errors("Environment not found", "RESOURCE_NOT_FOUND")
    raw_config = variables.get("rawConfig")
    labels = variables.get("userDeployMetadata")
    deployment = account.deploy(
        model,
        config,
        environment=environment,
        name=name,
        raw_config=base64.b64decode(raw_config).decode() if raw_config else None,
        s3_key=_argument(query, "s3_key"),
        labels=json.loads(labels) if labels else None,
        created_by=operation,
        user_environment=json.loads(variables.get("trussUserEnv") or "{}"),
    )
    version = {
        "id": deployment.id,
        "oracle": {"id": model.id, "name": model.name, "hostname": model.hostname},
        "instance_type": {"name": deployment.instance},
    }
    return _data(**{operation: {"model_version": version}})


def _argument(query: str, name: str) -> str | None:
    """The text of an argument that stands alone on its line, as truss writes them, or after "("."""
    found = re.search(rf'(?m)(?:^\s*|\(\s*){name}:\s*"((?:[^"\\]|\\.)*)"', query)
    return found[1] if found else None


def _data(**data: Any) -> Answer:
    return Answer(body={"data": data})


def _errors(message: str, code: str | None = None) -> Answer:
    error: dict[str, Any] = {"message": message}
    if code is not None:
        error["extensions"] = {"code": code}
    return Answer(body={"errors": [error]})
