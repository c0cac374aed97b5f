"""What a push would do, found out by asking and changing nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deploy.errors import DeployError, NotFoundError, UsageError
from deploy.management import Management
from deploy.preset import Finding, Preset
from deploy.preset.fields import at
from deploy.preset.finding import shown_change
from deploy.prices import Price, price_of
from deploy.target import PRODUCTION

DEFAULT_CONCURRENCY: Final = 16
"""Requests at once where the preset does not say; Baseten's own default is 1."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks of a push.

    `environment` is the one that the deployment is promoted to; None promotes it to none.
    """

    team: str | None = None
    environment: str | None = None
    scale_down_delay_s: int = 900


@dataclass(frozen=True, slots=True)
class Serving:
    """The deployment at which an environment points."""

    environment: str
    deployment_id: str
    status: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a push would do and cost.

    team            where the model is, or will be
    model_id        None where the model is new
    deployments     ids of those that it has already
    environment     what the new deployment is to serve; None: nothing, until it is promoted
    serving         what serves until then, by environment
    secrets         whether each one exists in the team; None where that could not be read
    cold_start_max_s  how long the preset's health checks let a start take; None: unknown
    """

    preset: Preset
    wishes: Wishes
    team: str
    model_id: str | None
    deployments: tuple[str, ...]
    environment: str | None
    serving: tuple[Serving, ...]
    price: Price | None
    secrets: Mapping[str, bool | None]
    findings: tuple[Finding, ...]
    cold_start_max_s: int | None

    @property
    def missing_secrets(self) -> tuple[str, ...]:
        """The secrets that the preset names and the team has not."""
        return tuple(name for name, exists in self.secrets.items() if exists is False)

    @property
    def autoscaling(self) -> Mapping[str, int]:
        """What autoscaling is set to: one replica at most, fed as many requests as it runs."""
        return {
            "min_replica": 0,
            "max_replica": 1,
            "concurrency_target": self.preset.max_num_seqs or DEFAULT_CONCURRENCY,
            "scale_down_delay": self.wishes.scale_down_delay_s,
        }

    def as_json(self) -> dict[str, Any]:
        """The same for a program."""
        price, tail_s = self.price, self.wishes.scale_down_delay_s
        return {
            "preset": self.preset.name,
            "changes": list(map(shown_change, self.preset.changes)),
            "model": {
                "name": self.preset.model_name,
                "id": self.model_id,
                "new": self.model_id is None,
                "deployments": len(self.deployments),
            },
            "team": self.team,
            "environment": self.environment,
            "serving_now": [
                {
                    "environment": one.environment,
                    "deployment_id": one.deployment_id,
                    "status": one.status,
                }
                for one in self.serving
            ],
            "instance_type": self.preset.instance_type,
            "price": price
            and {
                "dollars_per_hour": round(price.dollars_per_hour, 4),
                "source": price.source,
                "idle_tail_dollars": round(price.dollars_per_minute * tail_s / 60, 2),
                "cold_start_minute_dollars": round(price.dollars_per_minute, 4),
                "cold_start_most_dollars": self.cold_start_max_s
                and round(price.dollars_per_minute * self.cold_start_max_s / 60, 2),
            },
            "autoscaling": dict(self.autoscaling),
            "secrets": dict(self.secrets),
            "upload": {"config.yaml": len(self.preset.text.encode())},
            "findings": [
                {"severity": f.severity, "field": f.field, "value": f.value, "rule": f.rule}
                for f in self.findings
            ],
        }


async def make_plan(
    management: Management, preset: Preset, wishes: Wishes, found: Sequence[Finding]
) -> Plan:
    """The plan of a push, from what the account has now.

    Raises UsageError for a team that cannot be told, NotFoundError for an environment that does
    not exist, and what the management client raises.
    """
    teams = await management.teams()
    models = await management.models(preset.model_name)
    team = _team(teams, models, wishes.team)
    model = next((one for one in models if one.get("team_name") in (None, team["name"])), None)
    deployments: tuple[str, ...] = ()
    serving: tuple[Serving, ...] = ()
    if model is not None:
        deployments = tuple(one["id"] for one in await management.deployments(model["id"]))
        environments = await management.environments(model["id"])
        serving = tuple(
            Serving(str(one["name"]), str(current.get("id")), str(current.get("status")))
            for one in environments
            if isinstance(current := one.get("current_deployment"), dict)
        )
        named = [str(one["name"]) for one in environments]
    else:
        # A model's first deployment is that of production, asked for or not.
        named = [PRODUCTION]
    environment = wishes.environment or (PRODUCTION if not serving else None)
    if environment is not None and environment not in named:
        raise NotFoundError(
            f"The model {preset.model_name} has no environment {environment}: it has "
            f"{', '.join(named)}. Push without --environment, create {environment} on the model's "
            "page, then run python -m deploy promote."
        )
    return Plan(
        preset=preset,
        wishes=wishes,
        team=str(team["name"]),
        model_id=model["id"] if model is not None else None,
        deployments=deployments,
        environment=environment,
        serving=serving,
        price=await _price(management, preset.instance_type),
        secrets=await _secrets(management, str(team["id"]), preset.secret_names),
        findings=tuple(found),
        cold_start_max_s=_longest_start_s(preset.config),
    )


def _team(
    teams: Sequence[Mapping[str, Any]], models: Sequence[Mapping[str, Any]], wanted: str | None
) -> Mapping[str, Any]:
    """The team that a push goes to, chosen as truss chooses it: named, the model's, the only one.

    Raises UsageError where that leaves none, or several.
    """
    named = {str(team["name"]): team for team in teams}
    listed = ", ".join(named) or "none"
    if wanted is not None:
        if wanted not in named:
            raise UsageError(f"There is no team {wanted}: this account has {listed}.")
        return named[wanted]
    owners = {str(model.get("team_name")) for model in models} & named.keys()
    if len(owners) == 1:
        return named[owners.pop()]
    if len(named) == 1:
        return next(iter(named.values()))
    raise UsageError(f"It is not clear which team is meant: add --team, one of {listed}.")


async def _price(management: Management, instance_type: str) -> Price | None:
    try:
        live = await management.prices()
    except DeployError:
        live = []
    return price_of(instance_type, live)


async def _secrets(
    management: Management, team_id: str, names: Sequence[str]
) -> Mapping[str, bool | None]:
    if not names:
        return {}
    try:
        there = {str(secret["name"]) for secret in await management.secrets(team_id)}
    except DeployError:
        # A key may be allowed to push, and not to list secrets.
        return dict.fromkeys(names, None)
    return {name: name in there for name in names}


def _longest_start_s(config: Mapping[str, Any]) -> int | None:
    """Seconds until the platform restarts a container that never became healthy."""
    found = at(config, "runtime.health_checks")
    checks = found if isinstance(found, dict) else {}
    before = checks.get("startup_threshold_seconds", checks.get("restart_check_delay_seconds"))
    after = checks.get("restart_threshold_seconds", 0)
    if isinstance(before, int) and isinstance(after, int):
        return before + after
    return None
