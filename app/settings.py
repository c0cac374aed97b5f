"""Every knob of the app, its unit and its default; `.env.example` lists the same."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

PROJECT = Path(__file__).resolve().parent.parent
MODEL = "zai-org/GLM-5.3-Flash"

_BASE_URL_FORM = (
    "The base URL must start with http:// or https://, name a host and hold no query, "
    "such as http://127.0.0.1:8000/v1."
)

ConnectionKind: TypeAlias = Literal["simulator", "baseten", "compatible"]


class SettingsError(ValueError):
    """The settings cannot be used; the text says what is wrong and what to do, never a value."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Which model server is asked; `label` names it for a reader.

    The simulator has no address until it is started.
    """

    kind: ConnectionKind
    label: str
    base_url: str = ""
    api_key: SecretStr | None = None


class Settings(BaseSettings):
    """What the environment, and a `.env` file in the project's folder, may set."""

    model_config = SettingsConfigDict(
        env_file=PROJECT / ".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
    )

    baseten_api_key: SecretStr | None = Field(
        None, alias="BASETEN_API_KEY", description="Key of the Baseten account."
    )
    baseten_model_id: str | None = Field(
        None,
        alias="BASETEN_MODEL_ID",
        pattern=r"^[A-Za-z0-9]{3,40}$",
        description="Id of the deployed model, such as abc1d2ef.",
    )
    baseten_environment: str = Field(
        "production",
        alias="BASETEN_ENVIRONMENT",
        pattern=r"^[A-Za-z0-9_-]{1,60}$",
        description="Environment of the model to ask.",
    )
    baseten_deployment_id: str | None = Field(
        None,
        alias="BASETEN_DEPLOYMENT_ID",
        pattern=r"^[A-Za-z0-9]{3,40}$",
        description="One deployment to ask instead of an environment.",
    )
    openai_base_url: str | None = Field(
        None,
        alias="OPENAI_BASE_URL",
        description="Base URL of any OpenAI-compatible server, such as http://127.0.0.1:8000/v1.",
    )
    openai_api_key: SecretStr | None = Field(
        None, alias="OPENAI_API_KEY", description="Key for OPENAI_BASE_URL, where it needs one."
    )
    model: str = Field(MODEL, alias="GLM_MODEL", description="Model name sent with each request.")

    server_name: str = Field(
        "127.0.0.1", alias="GRADIO_SERVER_NAME", description="Address to serve the page on."
    )
    server_port: int = Field(
        7860,
        alias="GRADIO_SERVER_PORT",
        ge=0,
        le=65535,
        description="Port to serve the page on; 0 takes a free one.",
    )
    root_path: str = Field(
        "", alias="GRADIO_ROOT_PATH", description="Path under which a proxy serves the page."
    )
    public: bool | None = Field(
        None,
        alias="GLM_PUBLIC",
        description="true: visitors are strangers (limits apply); unset: true on a Space, "
        "and where the address served is not loopback.",
    )

    connect_timeout_s: float = Field(
        5.0, alias="GLM_CONNECT_TIMEOUT_S", gt=0, description="Seconds to reach the model server."
    )
    silence_timeout_s: float = Field(
        1200.0,
        alias="GLM_SILENCE_TIMEOUT_S",
        gt=0,
        description="Seconds without a byte before a turn has timed out; a queue, a wake and a "
        "prompt of 1M tokens are all silent.",
    )
    slots: int = Field(
        16,
        alias="GLM_SLOTS",
        ge=1,
        description="Turns sent to the model server at once; the rest wait in line.",
    )
    visitor_slots: int = Field(
        4, alias="GLM_VISITOR_SLOTS", ge=1, description="Turns of one visitor at once, when public."
    )
    visitor_turns_per_minute: int = Field(
        20,
        alias="GLM_VISITOR_TURNS_PER_MINUTE",
        ge=1,
        description="Turns that one visitor may start in a minute, when public.",
    )
    grace_s: float | None = Field(
        None,
        alias="GLM_GRACE_S",
        ge=0,
        description="Seconds a turn goes on while nobody listens; unset: 10 when public, else 300.",
    )
    max_tokens_cap: int | None = Field(
        None,
        alias="GLM_MAX_TOKENS_CAP",
        ge=1,
        description="Most tokens a turn may ask for; unset: 16384 when public, else no cap.",
    )
    send_reasoning: bool = Field(
        True,
        alias="GLM_SEND_REASONING",
        description="Whether earlier reasoning is sent back; false for servers that refuse it.",
    )
    break_control_tokens: bool | None = Field(
        None,
        alias="GLM_BREAK_CONTROL_TOKENS",
        description="Whether control tokens in typed text are broken up; unset: when public.",
    )
    image_tokens: int = Field(
        8000,
        alias="GLM_IMAGE_TOKENS",
        ge=16,
        le=8000,
        description="Pixel budget of a picture, in the model's tokens of 28 x 28 pixels.",
    )
    upload_mb: float = Field(
        100.0, alias="GLM_UPLOAD_MB", gt=0, description="Largest upload, in megabytes."
    )
    clip_seconds: float = Field(
        600.0, alias="GLM_CLIP_SECONDS", gt=0, description="Longest clip, in seconds."
    )
    media_mb: float = Field(
        2000.0,
        alias="GLM_MEDIA_MB",
        gt=0,
        description="Pictures and clips kept on disk, in megabytes; the oldest go first.",
    )
    simulator_tokens_per_second: float = Field(
        150.0,
        alias="GLM_SIMULATOR_TOKENS_PER_SECOND",
        gt=0,
        description="Speed of the embedded simulator, in tokens a second.",
    )

    def is_public(self) -> bool:
        """Whether visitors are to be taken for strangers."""
        if self.public is not None:
            return self.public
        on_space = "SPACE_ID" in os.environ or os.environ.get("SYSTEM") == "spaces"
        return on_space or not _is_loopback(self.server_name)

    def grace_seconds(self) -> float:
        """Seconds that a turn goes on while nobody listens."""
        if self.grace_s is not None:
            return self.grace_s
        return 10.0 if self.is_public() else 300.0

    def token_cap(self) -> int | None:
        """The most tokens a turn may ask for, or None for no cap."""
        if self.max_tokens_cap is not None:
            return self.max_tokens_cap
        return 16_384 if self.is_public() else None

    def breaks_control_tokens(self) -> bool:
        """Whether control tokens in typed text are broken up before sending."""
        if self.break_control_tokens is not None:
            return self.break_control_tokens
        return self.is_public()

    def connection(self) -> Connection:
        """The model server that these settings name; the simulator where they name none.

        Raises SettingsError where a pair is incomplete, or both pairs are set.
        """
        baseten = self.baseten_api_key is not None or self.baseten_model_id is not None
        if baseten and self.openai_base_url is not None:
            raise SettingsError(
                "BASETEN_API_KEY or BASETEN_MODEL_ID and OPENAI_BASE_URL are both set: "
                "unset one of the two, so that it is clear which server to ask."
            )
        if baseten:
            return self._baseten()
        if self.openai_base_url is not None:
            return _compatible(self.openai_base_url, self.openai_api_key)
        return Connection("simulator", "Simulator")

    def remarks(self) -> tuple[str, ...]:
        """What is set without effect, a sentence each, to be said once at the start."""
        baseten = self.baseten_api_key is not None or self.baseten_model_id is not None
        if self.openai_api_key is not None and self.openai_base_url is None and not baseten:
            remark = (
                "OPENAI_API_KEY is ignored: without OPENAI_BASE_URL the simulator answers. "
                "Set OPENAI_BASE_URL to use a server."
            )
            return (remark,)
        return ()

    def _baseten(self) -> Connection:
        if self.baseten_model_id is None:
            raise SettingsError(
                "BASETEN_API_KEY is set, but BASETEN_MODEL_ID is missing: set it to the model's "
                "id, such as abc1d2ef in https://model-abc1d2ef.api.baseten.co."
            )
        if self.baseten_api_key is None:
            raise SettingsError(
                "BASETEN_MODEL_ID is set, but BASETEN_API_KEY is missing: set it to a key of "
                "the Baseten account, or unset BASETEN_MODEL_ID."
            )
        if self.baseten_deployment_id is not None:
            place, label = f"deployment/{self.baseten_deployment_id}", self.baseten_deployment_id
        elif self.baseten_environment == "development":
            place, label = "development", "development"
        else:
            place, label = f"environments/{self.baseten_environment}", self.baseten_environment
        return Connection(
            "baseten",
            f"Baseten, model {self.baseten_model_id}, {label}",
            f"https://model-{self.baseten_model_id}.api.baseten.co/{place}/sync/v1",
            _sendable(self.baseten_api_key, "BASETEN_API_KEY"),
        )


def load_settings() -> Settings:
    """The settings of this process.

    Raises SettingsError naming each variable that cannot be used, without its value.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise SettingsError(f"These settings cannot be used: {wrong}.") from None


def compatible_connection(base_url: str, settings: Settings) -> Connection:
    """A server named on the command line, in place of what is configured.

    Only OPENAI_API_KEY goes with it: BASETEN_API_KEY never goes to an address of another.
    """
    return _compatible(base_url, settings.openai_api_key)


def _compatible(base_url: str, api_key: SecretStr | None) -> Connection:
    parts = _split(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise SettingsError(_BASE_URL_FORM)
    if parts.username or parts.password:
        raise SettingsError(
            "The base URL holds a user or a password: leave them out, and set OPENAI_API_KEY."
        )
    key = _sendable(api_key, "OPENAI_API_KEY") if api_key is not None else None
    return Connection("compatible", parts.netloc, base_url.strip().rstrip("/"), key)


def _split(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        raise SettingsError(_BASE_URL_FORM) from None
    return parts


def _sendable(key: SecretStr, name: str) -> SecretStr:
    """The key without blanks around it. Raises SettingsError where no header can carry it."""
    text = key.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError(
            f"{name} holds a character that no key has: copy it again, without spaces, quotes "
            "or line breaks."
        )
    return SecretStr(text)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(re.sub(r"^\[|\]$", "", host)).is_loopback
    except ValueError:
        return False
