"""Which deployment a command is about: named by its arguments, else by settings, else recorded."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from deploy.argument_types import environment_name, model_id
from deploy.credentials import read_settings
from deploy.errors import NotFoundError
from deploy.management import Management, UnreachableError
from deploy.preset import load_preset
from deploy.record import recorded
from deploy.statuses import status_of

PRODUCTION: Final = "production"


@dataclass(frozen=True, slots=True)
class Target:
    """A deployment, as the management API told it when the command began.

    `environment` is the one by which it was found, or that its record names.
    """

    model_id: str
    deployment_id: str
    environment: str | None
    deployment: Mapping[str, Any]

    @property
    def arguments(self) -> str:
        """The arguments that name it to any other command."""
        return f"--model-id {self.model_id} --deployment-id {self.deployment_id}"

    @property
    def status(self) -> str:
        """Its status at that time."""
        return str(self.deployment.get("status"))

    @property
    def name(self) -> str:
        """The deployment, as sentences name it."""
        return f"Deployment {self.deployment_id} of model {self.model_id}"


def add_target_arguments(parser: argparse.ArgumentParser, *, environment: bool = True) -> None:
    """Adds `--model-id`, `--deployment-id` and, unless it means something else, `--environment`."""
    parser.add_argument("--model-id", type=model_id, metavar="ID", help="model on Baseten")
    parser.add_argument("--deployment-id", type=model_id, metavar="ID", help="one deployment of it")
    if environment:
        parser.add_argument(
            "--environment",
            type=environment_name,
            metavar="NAME",
            help="the deployment that this environment points at; without any of these, the one "
            "that the record names",
        )


async def find_target(arguments: argparse.Namespace, management: Management) -> Target:
    """The deployment that is meant. Raises NotFoundError, with what there is instead."""
    deployment_id: str | None = arguments.deployment_id
    environment: str | None = getattr(arguments, "environment", None)
    model, from_environment = arguments.model_id, None
    if model is None:
        settings = read_settings()
        model, from_environment = settings.baseten_model_id, settings
    if model is None:
        record = recorded()
        if record is None:
            raise NotFoundError(await _unknown_text(management))
        model = record.model_id
        if deployment_id is None and environment is None:
            deployment_id, environment = record.deployment_id, record.environment
    elif from_environment is not None and deployment_id is None and environment is None:
        deployment_id = from_environment.baseten_deployment_id
        if deployment_id is None:
            environment = from_environment.baseten_environment
    if deployment_id is not None:
        deployment = await management.deployment(model, deployment_id)
        return Target(model, deployment_id, environment, deployment)
    return await _of_environment(management, model, environment)


async def _unknown_text(management: Management) -> str:
    """What is said where nothing is named or recorded: what there is of the preset's model.

    A push that was left before it had ended wrote no record, and may be billed.
    """
    name = load_preset().model_name
    lines = []
    with suppress(UnreachableError):
        for model in await management.models(name):
            for one in await management.deployments(str(model["id"])):
                status = status_of(str(one.get("status")))
                lines.append(
                    f"  --model-id {model['id']} --deployment-id {one['id']}   "
                    f"{status.words}, {status.billing}"
                )
    if not lines:
        return (
            "No deployment is known: name one with --model-id, push one with "
            "python -m deploy push, or point the UI at one with python -m deploy connect."
        )
    return "\n".join(
        (f"No deployment is named or recorded. Of {name} there is; name one of:", *lines)
    )


async def _of_environment(management: Management, model: str, environment: str | None) -> Target:
    """What an environment points at; where none is named, the only deployment will do."""
    deployments = await management.deployments(model)
    name = environment or PRODUCTION
    current = _current(await management.environments(model), name)
    if current is None and environment is None and len(deployments) == 1:
        current = deployments[0]
        name = ""
    if current is None:
        listed = ", ".join(f"{one['id']} ({one.get('status')})" for one in deployments)
        raise NotFoundError(
            f"Nothing is deployed to {name} of model {model}: it has "
            f"{listed or 'no deployment'}. Name one with --deployment-id."
        )
    return Target(model, str(current["id"]), name or None, current)


def _current(environments: Any, name: str) -> Mapping[str, Any] | None:
    for one in environments:
        if one.get("name") == name and isinstance(one.get("current_deployment"), Mapping):
            current: Mapping[str, Any] = one["current_deployment"]
            return current
    return None
