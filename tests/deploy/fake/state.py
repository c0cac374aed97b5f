"""What the account on the fake holds: teams, secrets, models, deployments, environments."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

STATUSES: Final = (
    "BUILDING",
    "DEPLOYING",
    "DEPLOY_FAILED",
    "LOADING_MODEL",
    "ACTIVE",
    "UNHEALTHY",
    "BUILD_FAILED",
    "BUILD_STOPPED",
    "DEACTIVATING",
    "INACTIVE",
    "FAILED",
    "UPDATING",
    "SCALED_TO_ZERO",
    "WAKING_UP",
)
FAILED: Final = ("DEPLOY_FAILED", "BUILD_FAILED", "BUILD_STOPPED", "FAILED")
WAKING: Final = ("WAKING_UP", "LOADING_MODEL", "ACTIVE")
CREATED_AT: Final = "2026-01-01T00:00:00Z"
DEFAULT_AUTOSCALING: Final[Mapping[str, Any]] = {
    "min_replica": 0,
    "max_replica": 1,
    "autoscaling_window": 60,
    "scale_down_delay": 900,
    "concurrency_target": 1,
    "target_utilization_percentage": 70,
}
# US dollars a minute, by instance type, with the count of GPUs and their kind.
PRICES: Final[Mapping[str, tuple[float, int, str | None]]] = {
    "1x2": (0.00058, 0, None),
    "H100:1": (0.10833, 1, "H100"),
    "H100:8": (0.86664, 8, "H100"),
}

Promotion: TypeAlias = Literal["when_serving", "pending"]


@dataclass(slots=True)
class Deployment:
    """One deployment. `script` holds the statuses that it still goes through, one a poll."""

    id: str
    model_id: str
    name: str
    instance: str
    config: Mapping[str, Any]
    status: str
    script: list[str]
    is_development: bool = False
    environment: str | None = None
    raw_config: str | None = None
    s3_key: str | None = None
    labels: Any = None
    created_by: str = "REST"
    user_environment: Mapping[str, Any] = field(default_factory=dict)
    autoscaling: dict[str, Any] = field(default_factory=lambda: dict(DEFAULT_AUTOSCALING))

    def advance(self) -> None:
        """The next status of the script; one that sleeps or is stopped stays as it is."""
        if self.script and self.status not in ("SCALED_TO_ZERO", "INACTIVE"):
            self.status = self.script.pop(0)

    def wake(self) -> None:
        """Takes one that is scaled to zero on its way, along what is left of its script."""
        if self.status == "SCALED_TO_ZERO":
            rest = [one for one in self.script if one != "SCALED_TO_ZERO"] or list(WAKING)
            self.status, self.script = rest[0], rest[1:]


@dataclass(slots=True)
class Environment:
    """A stable name: the deployment that serves it, and the one that is to take over.

    Its autoscaling settings are those of whichever deployment serves it.
    """

    current: str | None = None
    candidate: str | None = None
    autoscaling: dict[str, Any] = field(default_factory=lambda: dict(DEFAULT_AUTOSCALING))


@dataclass(slots=True)
class Model:
    """One model of a team, with its deployments by id and its environments by name."""

    id: str
    name: str
    team: Mapping[str, Any]
    hostname: str
    deployments: dict[str, Deployment] = field(default_factory=dict)
    environments: dict[str, Environment] = field(
        default_factory=lambda: {"production": Environment()}
    )

    def find(self, reference: str) -> Deployment | None:
        """A deployment by its id, by an environment that it serves, or as `development`."""
        if reference in self.deployments:
            return self.deployments[reference]
        if reference == "development":
            return next((one for one in self.deployments.values() if one.is_development), None)
        environment = self.environments.get(reference)
        return self.deployments.get(environment.current or "") if environment else None


@dataclass(slots=True)
class Account:
    """All that is kept, and how it behaves.

    `script` is what each new deployment goes through, each status for `polls_per_status` polls.
    A deployment that is to serve an environment takes over from another once it is ACTIVE; while
    `promotion` is "pending" it waits.
    """

    url: str
    teams: Sequence[Mapping[str, Any]]
    script: Sequence[str]
    polls_per_status: int = 1
    promotion: Promotion = "when_serving"
    validation: Mapping[str, Any] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self, kind: str) -> str:
        """An id that no other has, the same in each run."""
        return f"{kind}{next(self._numbers):04d}"

    def team(self, team_id: str | None) -> Mapping[str, Any]:
        """A team by its id; the account's own where none is named."""
        return next((team for team in self.teams if team["id"] == team_id), self.teams[0])

    def secrets_of(self, team_id: str | None) -> dict[str, str]:
        """The secrets of a team, by name."""
        return self.secrets.setdefault(self.team(team_id)["id"], {})

    def model_named(self, name: str, team_id: str | None = None) -> Model | None:
        """A model by its name, of one team or of any."""
        return next(
            (
                model
                for model in self.models.values()
                if model.name == name and team_id in (None, model.team["id"])
            ),
            None,
        )

    def create_model(self, name: str, team_id: str | None = None) -> Model:
        """A new model."""
        identity = self.new_id("m")
        model = Model(identity, name, self.team(team_id), f"{self.url}/model-{identity}")
        self.models[identity] = model
        return model

    def deploy(
        self,
        model: Model,
        config: Mapping[str, Any],
        *,
        environment: str | None = None,
        name: str | None = None,
        is_development: bool = False,
        **more: Any,
    ) -> Deployment:
        """A new deployment. The first one that is published is that of production."""
        resources = config.get("resources") or {}
        steps = [status for status in self.script for _ in range(self.polls_per_status)]
        deployment = Deployment(
            self.new_id("d"),
            model.id,
            name or f"deployment-{len(model.deployments) + 1}",
            resources.get("instance_type") or resources.get("accelerator") or "1x2",
            config,
            self.script[0] if self.script else "ACTIVE",
            steps,
            is_development,
            **more,
        )
        published = [one for one in model.deployments.values() if not one.is_development]
        model.deployments[deployment.id] = deployment
        if environment is None and not is_development and not published:
            environment = "production"
        if environment is not None:
            self.promote(model, deployment, environment)
        return deployment

    def promote(self, model: Model, deployment: Deployment, name: str) -> None:
        """Makes a deployment that of an environment, now or once it serves."""
        deployment.environment = name
        environment = model.environments.setdefault(name, Environment())
        if environment.current is None:
            environment.current, deployment.autoscaling = deployment.id, environment.autoscaling
        elif environment.current != deployment.id:
            environment.candidate = deployment.id
        self.settle(model)

    def settle(self, model: Model) -> None:
        """Lets candidates that serve take over."""
        for environment in model.environments.values():
            candidate = model.deployments.get(environment.candidate or "")
            if candidate is None or candidate.status != "ACTIVE":
                continue
            if self.promotion == "when_serving":
                environment.current, environment.candidate = candidate.id, None
                candidate.autoscaling = environment.autoscaling

    def model_json(self, model: Model) -> dict[str, Any]:
        """A model as the management API words it."""
        production = model.find("production")
        development = model.find("development")
        return {
            "id": model.id,
            "created_at": CREATED_AT,
            "name": model.name,
            "deployments_count": len(model.deployments),
            "production_deployment_id": production.id if production else None,
            "development_deployment_id": development.id if development else None,
            "instance_type_name": production.instance if production else "1x2",
            "team_name": model.team["name"],
        }

    def deployment_json(self, model: Model, deployment: Deployment) -> dict[str, Any]:
        """A deployment as the management API words it."""
        runs = deployment.status in ("ACTIVE", "UNHEALTHY", "UPDATING")
        return {
            "id": deployment.id,
            "created_at": CREATED_AT,
            "name": deployment.name,
            "model_id": model.id,
            "is_production": model.environments["production"].current == deployment.id,
            "is_development": deployment.is_development,
            "status": deployment.status,
            "active_replica_count": int(runs),
            "autoscaling_settings": deployment.autoscaling,
            "instance_type_name": deployment.instance,
            "environment": deployment.environment,
            "labels": deployment.labels,
            "region": None,
            "request_backpressure_settings": {"policy": None},
        }

    def environment_json(self, model: Model, name: str) -> dict[str, Any]:
        """An environment as the management API words it."""
        environment = model.environments[name]
        current = model.deployments.get(environment.current or "")
        candidate = model.deployments.get(environment.candidate or "")
        return {
            "name": name,
            "created_at": CREATED_AT,
            "model_id": model.id,
            "current_deployment": self.deployment_json(model, current) if current else None,
            "candidate_deployment": self.deployment_json(model, candidate) if candidate else None,
            "autoscaling_settings": environment.autoscaling,
            "promotion_settings": {
                "redeploy_on_promotion": False,
                "rolling_deploy": True,
                "promotion_cleanup_strategy": "SCALE_TO_ZERO",
                "rolling_deploy_config": None,
                "ramp_up_while_promoting": False,
                "ramp_up_duration_seconds": 600,
            },
            "instance_type": instance_type_json(current.instance if current else "1x2"),
            "request_backpressure_settings": {"policy": None},
        }


def instance_type_json(name: str) -> dict[str, Any]:
    """An instance type as the management API words it."""
    _, count, gpu = PRICES.get(name, (0.0, 0, None))
    return {
        "id": name,
        "name": name,
        "memory_limit_mib": 2048,
        "millicpu_limit": 1000,
        "gpu_count": count,
        "gpu_type": gpu,
        "gpu_memory_limit_mib": 81920 if gpu else None,
    }
