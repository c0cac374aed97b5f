"""Fields of a config by dotted path: which there are, read, written, taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

# What a preset with a server of its own can set, of all that truss's TrussConfig has.
KNOWN: Final = (
    "model_name",
    "description",
    "model_metadata",
    "base_image.image",
    "base_image.python_executable_path",
    "base_image.docker_auth",
    "weights",
    "secrets",
    "environment_variables",
    "build_commands",
    "python_version",
    "requirements",
    "system_packages",
    "docker_server.start_command",
    "docker_server.server_port",
    "docker_server.predict_endpoint",
    "docker_server.readiness_endpoint",
    "docker_server.liveness_endpoint",
    "docker_server.run_as_user_id",
    "docker_server.no_build",
    "resources.instance_type",
    "resources.accelerator",
    "resources.cpu",
    "resources.memory",
    "resources.node_count",
    "runtime.predict_concurrency",
    "runtime.streaming_read_timeout",
    "runtime.enable_tracing_data",
    "runtime.enable_debug_logs",
    "runtime.transport.kind",
    "runtime.health_checks.startup_threshold_seconds",
    "runtime.health_checks.restart_check_delay_seconds",
    "runtime.health_checks.restart_threshold_seconds",
    "runtime.health_checks.stop_traffic_threshold_seconds",
    "runtime.egress_restrictions.ip_allow_list",
    "runtime.egress_restrictions.fqdn_allow_list",
    "runtime.remote_ssh.enabled",
)
# Mappings whose keys are the owner's own.
FREE: Final = ("model_metadata", "secrets", "environment_variables")
# Fields of one item of `weights`.
OF_WEIGHTS: Final = (
    "source",
    "mount_location",
    "auth",
    "auth_secret_name",
    "allow_patterns",
    "ignore_patterns",
)


def at(config: Any, path: str) -> Any:
    """What stands at the path, such as `runtime.health_checks` or `weights.0.source`; else None."""
    value = config
    for key in path.split("."):
        value = _inside(value, key)
    return value


def stands(config: Any, path: str) -> bool:
    """Whether there is something at the path, be it null."""
    parent, _, key = path.rpartition(".")
    inside = at(config, parent) if parent else config
    if isinstance(inside, list):
        return _position(key, inside) is not None
    return isinstance(inside, dict) and key in inside


def is_field(config: Any, path: str) -> bool:
    """Whether the path names something that stands there, or that a preset may have."""
    keys = path.split(".")
    if not all(keys):
        return False
    if stands(config, path) or path in KNOWN:
        return True
    if keys[0] == "weights" and len(keys) == 3 and keys[2] in OF_WEIGHTS:
        return stands(config, f"weights.{keys[1]}")
    return keys[0] in FREE and isinstance(at(config, keys[0]), dict | None)


def put(config: dict[str, Any], path: str, value: Any) -> None:
    """Sets the field in place, with the mappings above it that are missing.

    Raises ValueError where something above it is no mapping and no list.
    """
    inside: Any = config
    *parents, last = path.split(".")
    for key in parents:
        below = _inside(inside, key)
        if below is None and isinstance(inside, dict):
            below = inside[key] = {}
        inside = below
    if isinstance(inside, list) and (place := _position(last, inside)) is not None:
        inside[place] = value
    elif isinstance(inside, dict):
        inside[last] = value
    else:
        raise ValueError(f"{path.rpartition('.')[0]} holds no fields")


def take_out(config: dict[str, Any], path: str) -> None:
    """Removes what stands at the path, in place."""
    parent, _, key = path.rpartition(".")
    inside = at(config, parent) if parent else config
    if isinstance(inside, list):
        del inside[int(key)]
    else:
        del inside[key]


def paths(config: Any, prefix: str = "") -> Iterator[str]:
    """The dotted paths of all that stands in a config."""
    pairs = config.items() if isinstance(config, dict) else enumerate(config)
    for key, value in pairs:
        yield f"{prefix}{key}"
        if isinstance(value, dict | list):
            yield from paths(value, f"{prefix}{key}.")


def _inside(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and (place := _position(key, value)) is not None:
        return value[place]
    return None


def _position(key: str, of: list[Any]) -> int | None:
    """Which item of a list the key names, if any."""
    found = re.fullmatch(r"[0-9]{1,9}", key)
    return int(key) if found is not None and int(key) < len(of) else None
