"""The record of a deployment: what `python -m deploy` writes, and the page asks the model by.

It holds no key. One in the environment completes it, and variables there win over it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.connections import SettingsError

ID_PATTERN: Final = r"^[A-Za-z0-9]{3,40}$"
"""What ids of models and deployments look like."""

ENVIRONMENT_PATTERN: Final = r"^[A-Za-z0-9_-]{1,60}$"
"""What names of environments look like."""


class DeploymentRecord(BaseModel):
    """One deployment on Baseten.

    `environment` is set where that environment pointed at the deployment when this was written:
    the model is then asked under the environment's address, else under the deployment's own.
    `base_url` is that address. `served_name` is the name under which the server knows the model.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    model_id: str = Field(pattern=ID_PATTERN)
    deployment_id: str = Field(pattern=ID_PATTERN)
    environment: str | None = Field(pattern=ENVIRONMENT_PATTERN)
    base_url: str = Field(min_length=1)
    served_name: str = Field(min_length=1)


def read_record(path: Path) -> DeploymentRecord | None:
    """The record in a file; None where there is no such file.

    Raises SettingsError where the file is none.
    """
    try:
        return DeploymentRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = f"{error.strerror}"
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"]))
        reason = f"{place}: {problem['msg']}" if place else problem["msg"]
    raise SettingsError(
        f"{path} is no record of a deployment ({reason}): delete it, or write it again with "
        "python -m deploy connect."
    )
