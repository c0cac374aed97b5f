"""A plan in words, for whoever pays."""

from __future__ import annotations

from typing import Final

from deploy.planning import Plan
from deploy.preset.finding import shown_change
from deploy.progress import duration_text
from deploy.target import PRODUCTION

SECRETS_PAGE: Final = "https://app.baseten.co/settings/secrets"


def plan_text(plan: Plan) -> str:
    """The plan as aligned lines, then what the preset's check has to say."""
    preset = plan.preset
    changes = ", ".join(map(shown_change, preset.changes))
    changed = f", changed: {changes}" if changes else ""
    size = len(preset.text.encode())
    rows = [
        ("Preset", f"{preset.name}{changed}"),
        ("Model", f"{preset.model_name}: {_model(plan)}, in team {plan.team}"),
        ("Environment", _environment(plan)),
        ("Serves now", _serving(plan)),
        ("Hardware", f"{preset.instance_type}, {_hour(plan)}"),
        ("Autoscaling", _autoscaling(plan)),
        ("Idle tail", _idle_tail(plan)),
        ("Cold start", _cold_start(plan)),
        *(("Secret", _secret(name, exists, plan.team)) for name, exists in plan.secrets.items()),
        ("Upload", f"config.yaml, {size:,} bytes, and nothing else"),
    ]
    lines = [f"{name:<12} {text}" for name, text in rows]
    lines += [f"{one.severity.capitalize():<12} {one.field}: {one.rule}" for one in plan.findings]
    return "\n".join(lines)


def missing_secret_text(name: str, team: str) -> str:
    """How to create a secret that a team has not, in a sentence."""
    return (
        f"the secret {name} does not exist in team {team}: create it at {SECRETS_PAGE} with a "
        "Hugging Face token that may read the model "
        f"(or: echo $HF_TOKEN | baseten org secret set --name {name})"
    )


def _model(plan: Plan) -> str:
    if plan.model_id is None:
        return "new"
    count = len(plan.deployments)
    return f"exists ({plan.model_id}) with {count} deployment{'' if count == 1 else 's'}"


def _environment(plan: Plan) -> str:
    if plan.environment is None:
        return (
            "none: the new deployment stands beside what serves until it is promoted "
            "(--promote, or python -m deploy promote)"
        )
    if not plan.serving and plan.environment == PRODUCTION:
        return f"{PRODUCTION}, as the first deployment there"
    return f"{plan.environment}: the new deployment takes it over once it is ready"


def _serving(plan: Plan) -> str:
    if not plan.serving:
        return "nothing"
    return "; ".join(
        f"{one.environment}: deployment {one.deployment_id}, {one.status}" for one in plan.serving
    )


def _hour(plan: Plan) -> str:
    if plan.price is None:
        return "at a price that no list has: see https://www.baseten.co/pricing"
    return (
        f"${plan.price.dollars_per_hour:,.2f} an hour ({plan.price.source}) while it builds, "
        "loads, runs, idles or is unhealthy; nothing while it is scaled to zero or stopped"
    )


def _autoscaling(plan: Plan) -> str:
    wanted = plan.autoscaling
    return (
        f"{wanted['min_replica']} to {wanted['max_replica']} replicas, "
        f"{wanted['concurrency_target']} requests at once, scaled to zero when idle for "
        f"{duration_text(wanted['scale_down_delay'])}"
    )


def _idle_tail(plan: Plan) -> str:
    delay_s = plan.wishes.scale_down_delay_s
    if plan.price is None:
        return f"billed for {duration_text(delay_s)} after the last request"
    return f"{plan.price.of_minutes(delay_s / 60)} after the last request of each visit"


def _cold_start(plan: Plan) -> str:
    if plan.price is None:
        return "billed from its first minute"
    each = f"{plan.price.of_minutes(1)} a minute"
    if plan.cold_start_max_s is None:
        return each
    minutes = plan.cold_start_max_s / 60
    return (
        f"{each}; the health checks give up on a start after {minutes:.0f} minutes, "
        f"{plan.price.of_minutes(minutes)}"
    )


def _secret(name: str, exists: bool | None, team: str) -> str:
    if exists is None:
        return f"{name}: whether it exists in team {team} could not be read"
    return f"{name}: exists in team {team}" if exists else missing_secret_text(name, team)
