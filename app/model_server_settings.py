"""Which model server is asked: the settings that tell, and the connection that they add up to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.connections import BASETEN_API_URL, Connection, SettingsError, baseten, compatible
from app.deployment import ENVIRONMENT_PATTERN, ID_PATTERN, DeploymentRecord, read_record

PROJECT: Final = Path(__file__).resolve().parent.parent
MODEL: Final = "zai-org/GLM-5.3-Flash"


class ModelServerSettings(BaseSettings):
    """What the environment, and a `.env` file in the project's folder, say of the model server."""

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
        pattern=ID_PATTERN,
        description="Id of the deployed model, such as abc1d2ef.",
    )
    baseten_environment: str = Field(
        "production",
        alias="BASETEN_ENVIRONMENT",
        pattern=ENVIRONMENT_PATTERN,
        description="Environment of the model to ask.",
    )
    baseten_deployment_id: str | None = Field(
        None,
        alias="BASETEN_DEPLOYMENT_ID",
        pattern=ID_PATTERN,
        description="One deployment to ask instead of an environment.",
    )
    baseten_api_url: str = Field(
        BASETEN_API_URL,
        alias="BASETEN_API_URL",
        pattern=r"^https?://[^/?#@\s]+/?$",
        description="Address of Baseten's management API, which tells whether the model sleeps; a "
        "loopback address, for tests, then stands for the model's own address as well.",
    )
    deployment_file: Path = Field(
        Path(".deployment.json"),
        alias="GLM_DEPLOYMENT_FILE",
        description="Record of a deployment, which names the model to ask where no variable does; "
        "python -m deploy writes it. A relative path is in the project's folder.",
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

    def deployment_path(self) -> Path:
        """The file of the record of a deployment."""
        return PROJECT / self.deployment_file.expanduser()

    def connection(self) -> Connection:
        """The model server that these settings name; the simulator where they name none.

        With a key and no model, it is the model of the record that `python -m deploy` has written.
        Raises SettingsError where a pair is incomplete, or both pairs are set.
        """
        on_baseten = self.baseten_api_key is not None or self.baseten_model_id is not None
        if on_baseten and self.openai_base_url is not None:
            raise SettingsError(
                "BASETEN_API_KEY or BASETEN_MODEL_ID and OPENAI_BASE_URL are both set: "
                "unset one of the two, so that it is clear which server to ask."
            )
        if on_baseten:
            return self._baseten()
        if self.openai_base_url is not None:
            return compatible(self.openai_base_url, self.openai_api_key)
        return Connection("simulator", "Simulator")

    def remarks(self) -> tuple[str, ...]:
        """What is set without effect, a sentence each, to be said once at the start."""
        if self.baseten_api_key is not None or self.baseten_model_id is not None:
            return ()
        if self.openai_base_url is not None:
            return ()
        said = []
        if self.openai_api_key is not None:
            said.append(
                "OPENAI_API_KEY is ignored: without OPENAI_BASE_URL the simulator answers. "
                "Set OPENAI_BASE_URL to use a server."
            )
        try:
            record = self.record()
        except SettingsError as error:
            said.append(str(error))
        else:
            if record is not None:
                said.append(
                    f"{self.deployment_path()} names the model {record.model_id} on Baseten, but "
                    "BASETEN_API_KEY is missing: set it to ask that model. Until then the "
                    "simulator answers."
                )
        return tuple(said)

    def record(self) -> DeploymentRecord | None:
        """The record of a deployment, None where there is none, or where a variable names a model.

        Raises SettingsError where its file cannot be read.
        """
        return None if self.baseten_model_id is not None else read_record(self.deployment_path())

    def _baseten(self) -> Connection:
        if self.baseten_api_key is None:
            raise SettingsError(
                "BASETEN_MODEL_ID is set, but BASETEN_API_KEY is missing: set it to a key of "
                "the Baseten account, or unset BASETEN_MODEL_ID."
            )
        record = self.record()
        model_id = self.baseten_model_id or (record.model_id if record else None)
        if model_id is None:
            raise SettingsError(
                "BASETEN_API_KEY is set, but BASETEN_MODEL_ID is missing: set it to the model's "
                "id, such as abc1d2ef in https://model-abc1d2ef.api.baseten.co, or let "
                "python -m deploy connect write it down."
            )
        placed = self.model_fields_set & {"baseten_environment", "baseten_deployment_id"}
        environment, deployment_id = self.baseten_environment, self.baseten_deployment_id
        if record is not None and not placed:
            environment = record.environment or environment
            deployment_id = None if record.environment else record.deployment_id
        connection = baseten(
            model_id,
            self.baseten_api_key,
            environment=environment,
            deployment_id=deployment_id,
            api_url=self.baseten_api_url,
        )
        if record is None:
            return connection
        if not placed and connection.base_url != record.base_url:
            raise SettingsError(
                f"{self.deployment_path()} was written for another address than BASETEN_API_URL "
                "gives: set that as it was, or write the record again with "
                "python -m deploy connect."
            )
        named = "model" in self.model_fields_set
        return replace(connection, model=self.model if named else record.served_name)
