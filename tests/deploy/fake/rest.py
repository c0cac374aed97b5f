"""The management API under /v1: models, deployments, environments, secrets, teams, prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.deploy.fake.state import (
    CREATED_AT,
    FAILED,
    PRICES,
    Account,
    Deployment,
    Model,
    instance_type_json,
)
from tests.deploy.fake.wire import Answer, Asked, not_found

UNAUTHORIZED = Answer(401, {"code": "UNAUTHORIZED", "message": "Invalid API key"})
PHASES = (
    "SCHEDULING",
    "IMAGE_PULL",
    "WEIGHT_DOWNLOAD",
    "CONTAINER_CREATE",
    "CONTAINER_START",
    "READINESS",
)


def answer_management(account: Account, asked: Asked) -> Answer:
    """Answers one request; the key was checked before."""
    words: Mapping[str, Any] = asked.body if isinstance(asked.body, dict) else {}
    path = asked.path.strip("/").split("/")[1:]
    match asked.method, path:
        case "GET", ["users", "me"]:
            return Answer(
                body={"email": "user@example.invalid", "workspace_name": "fake-workspace"}
            )
        case "GET", ["teams"]:
            return Answer(body={"teams": [{**t, "created_at": CREATED_AT} for t in account.teams]})
        case "GET", ["instance_types"]:
            types = [instance_type_json(name) for name in PRICES]
            return Answer(body={"instance_types": types})
        case "GET", ["instance_type_prices"]:
            priced = [
                {"instance_type": instance_type_json(name), "price": price}
                for name, (price, _, _) in PRICES.items()
            ]
            return Answer(body={"instance_types": priced})
        case method, ["secrets"]:
            return _secrets(account, None, method, words, asked)
        case method, ["teams", team_id, "secrets"]:
            return _secrets(account, team_id, method, words, asked)
        case "GET", ["models"] | ["teams", _, "models"]:
            name = asked.query.get("name", [None])[0]
            models = [m for m in account.models.values() if name in (None, m.name)]
            if len(path) == 3:
                models = [model for model in models if model.team["id"] == path[1]]
            listed = [account.model_json(model) for model in models]
            return Answer(body={"models": listed, "pagination": None})
        case "POST", ["models"]:
            return _created(account, words)
        case method, ["models", model_id, *rest]:
            model = account.models.get(model_id)
            if model is None:
                return not_found("Model")
            return _model(account, model, method, rest, words, asked)
    return not_found(f"Route {asked.path}")


def _created(account: Account, words: Mapping[str, Any]) -> Answer:
    """A deployment as another program makes it, of a model that is there already or is new."""
    source = words["source"]
    model = account.model_named(source["name"]) or account.create_model(source["name"])
    wanted = source["deployment"]
    environment = wanted.get("environment_name")
    deployment = account.deploy(model, wanted["config"], environment=environment)
    told = account.deployment_json(model, deployment)
    return Answer(body={"model": account.model_json(model), "deployment": told})


def _secrets(
    account: Account, team_id: str | None, method: str, words: Mapping[str, Any], asked: Asked
) -> Answer:
    secrets = account.secrets_of(team_id)
    team = account.team(team_id)["name"]
    if method == "POST":
        secrets[words["name"]] = words["value"]
        asked.body = {"name": words["name"]}
        return Answer(body={"name": words["name"], "created_at": CREATED_AT, "team_name": team})
    named = [{"name": name, "created_at": CREATED_AT, "team_name": team} for name in secrets]
    return Answer(body={"secrets": named})


def _model(
    account: Account,
    model: Model,
    method: str,
    path: list[str],
    words: Mapping[str, Any],
    asked: Asked,
) -> Answer:
    match method, path:
        case "GET", []:
            return Answer(body=account.model_json(model))
        case "GET", ["environments"]:
            listed = [account.environment_json(model, name) for name in model.environments]
            return Answer(body={"environments": listed})
        case _, ["environments", name, *rest] if name in model.environments:
            return _environment(account, model, name, method, rest, words)
        case _, ["environments", *_]:
            return not_found("Environment")
        case "GET", ["deployments"]:
            listed = [account.deployment_json(model, one) for one in model.deployments.values()]
            return Answer(body={"deployments": listed})
        case _, ["deployments", reference, *rest]:
            deployment = model.find(reference)
            if deployment is None:
                return not_found("Deployment")
            return _deployment(account, model, deployment, method, rest, words)
    return not_found(f"Route {asked.path}")


def _environment(
    account: Account,
    model: Model,
    name: str,
    method: str,
    path: list[str],
    words: Mapping[str, Any],
) -> Answer:
    current = model.find(name)
    match method, path:
        case "GET", []:
            account.settle(model)
            return Answer(body=account.environment_json(model, name))
        case "PATCH", []:
            settings = words.get("autoscaling_settings") or {}
            model.environments[name].autoscaling.update(settings)
            return Answer(body=account.environment_json(model, name))
        case "POST", ["promote"]:
            deployment = model.deployments.get(str(words.get("deployment_id")))
            if deployment is None:
                return not_found("Deployment")
            account.promote(model, deployment, name)
            return Answer(body=account.deployment_json(model, deployment))
        case "POST", ["activate" | "deactivate" as verb] if current is not None:
            return _switch(current, verb)
    return not_found("Route")


def _deployment(
    account: Account,
    model: Model,
    deployment: Deployment,
    method: str,
    path: list[str],
    words: Mapping[str, Any],
) -> Answer:
    match method, path:
        case "GET", []:
            deployment.advance()
            account.settle(model)
            return Answer(body=account.deployment_json(model, deployment))
        case "PATCH", ["autoscaling_settings"]:
            deployment.autoscaling.update({k: v for k, v in words.items() if v is not None})
            message = "Autoscaling settings update accepted"
            return Answer(body={"status": "ACCEPTED", "message": message})
        case "POST", ["activate" | "deactivate" as verb]:
            return _switch(deployment, verb)
        case "POST", ["promote"]:
            account.promote(model, deployment, "production")
            return Answer(body=account.deployment_json(model, deployment))
        case "GET", ["startups"]:
            phases = [{"phase": phase, "started_at": CREATED_AT} for phase in PHASES]
            return Answer(body={"startups": [{"replica": "abcde", "phases": phases}]})
        case "GET" | "POST", ["logs"]:
            told = (f"the status is {deployment.status}", "the build is done")
            lines = [
                {
                    "timestamp": str(1_767_225_600_000_000_000 - number * 10**9),
                    "message": message,
                    "replica": "abcde",
                    "request_id": None,
                    "level": "INFO",
                }
                for number, message in enumerate(told)
            ]
            return Answer(body={"logs": lines})
    return not_found("Route")


def _switch(deployment: Deployment, verb: str) -> Answer:
    """Activates or deactivates; the answer says whether there was anything to do."""
    stopped = deployment.status in ("INACTIVE", *FAILED)
    no_op = stopped if verb == "deactivate" else not stopped
    if not no_op:
        stops = verb == "deactivate"
        deployment.status = "INACTIVE" if stops else "DEPLOYING"
        deployment.script = [] if stops else ["LOADING_MODEL", "ACTIVE"]
    return Answer(body={"success": True, "no_op": no_op})
