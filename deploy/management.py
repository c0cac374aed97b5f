"""Baseten's management API: one method a route, and its errors as those of a command.

What a method gives is the JSON of the API, read no further than to what was asked for.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, urlsplit

import httpx2

from app.chat.stream import read_error
from app.connections import BASETEN_API_URL
from app.endpoint.wire_json import UnreadableError, decode_json
from deploy.bodies import BodyTooLargeError, whole_of
from deploy.credentials import Credentials
from deploy.errors import CredentialsError, DeployError, NotFoundError

_CONNECT_S: Final = 10.0
_ANSWER_S: Final = 60.0
"""For the whole of an answer, however it drips."""

_WORDS: Final = 500
"""Characters of the API's own words that are told at most."""

_DEPTH: Final = 64
"""Objects and lists inside each other; Baseten's answers have a handful."""

_LATER: Final = frozenset({408, 425, 429})

_UNDOCUMENTED: Final = (
    "is not as Baseten documents it: try again a little later, then see whether there is a newer "
    "version of this project."
)


class UnreachableError(DeployError):
    """The API does not answer, or not as it should: the same request may succeed a little later.

    A gateway before it may answer in its place, with a page or a redirect.
    """


class Management:
    """The management API of one account, for as long as the block runs.

    An answer may take `answer_s`. What is listed has its names and ids, as texts.
    """

    def __init__(self, credentials: Credentials, *, answer_s: float = _ANSWER_S) -> None:
        self._credentials = credentials
        self._answer_s = answer_s
        loopback = credentials.api_url != BASETEN_API_URL
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_S),
            # A proxy would see the key of a request that goes to loopback in clear.
            trust_env=not loopback,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    @property
    def credentials(self) -> Credentials:
        """Whose account it is."""
        return self._credentials

    async def teams(self) -> Sequence[Mapping[str, Any]]:
        """The teams of the account: `id`, `name`, `default`."""
        return _listed(await self._asked("GET", "/v1/teams"), "teams", "id", "name")

    async def secrets(self, team_id: str) -> Sequence[Mapping[str, Any]]:
        """The secrets of a team, by `name`; values are never told."""
        answer = await self._asked("GET", f"/v1/teams/{_part(team_id)}/secrets")
        return _listed(answer, "secrets", "name")

    async def prices(self) -> Sequence[Mapping[str, Any]]:
        """Each `instance_type` with its `price`, in US dollars a minute."""
        return _listed(await self._asked("GET", "/v1/instance_type_prices"), "instance_types")

    async def models(self, name: str) -> Sequence[Mapping[str, Any]]:
        """The models of a name, which may be one in each team."""
        answer = await self._asked("GET", "/v1/models", query={"name": name})
        models = _listed(answer, "models", "id", "name")
        return [model for model in models if model["name"] == name]

    async def model(self, model_id: str) -> Mapping[str, Any]:
        """One model. Raises NotFoundError."""
        return await self._asked("GET", _model(model_id))

    async def deployments(self, model_id: str) -> Sequence[Mapping[str, Any]]:
        """The deployments of a model."""
        answer = await self._asked("GET", f"{_model(model_id)}/deployments")
        return _listed(answer, "deployments", "id")

    async def deployment(self, model_id: str, deployment_id: str) -> Mapping[str, Any]:
        """One deployment, its `status` among the rest. Raises NotFoundError."""
        deployment = await self._asked("GET", _deployment(model_id, deployment_id))
        return _with_texts(deployment, "deployment", "status")

    async def environments(self, model_id: str) -> Sequence[Mapping[str, Any]]:
        """The environments of a model, each with its `current_deployment`."""
        answer = await self._asked("GET", f"{_model(model_id)}/environments")
        return [_environment(one) for one in _listed(answer, "environments", "name")]

    async def environment(self, model_id: str, name: str) -> Mapping[str, Any]:
        """One environment. Raises NotFoundError."""
        path = f"{_model(model_id)}/environments/{_part(name)}"
        return _environment(await self._asked("GET", path))

    async def autoscaling(self, model_id: str, deployment_id: str) -> Mapping[str, Any]:
        """The autoscaling of a deployment; empty while it has none."""
        deployment = await self.deployment(model_id, deployment_id)
        settings = deployment.get("autoscaling_settings")
        return settings if isinstance(settings, Mapping) else {}

    async def set_autoscaling(
        self, model_id: str, deployment_id: str, settings: Mapping[str, int]
    ) -> Mapping[str, Any]:
        """Changes the settings given, by and by: read them back."""
        path = f"{_deployment(model_id, deployment_id)}/autoscaling_settings"
        return await self._asked("PATCH", path, body=dict(settings))

    async def activate(self, model_id: str, deployment_id: str) -> Mapping[str, Any]:
        """Starts a deployment that is inactive."""
        path = f"{_deployment(model_id, deployment_id)}/activate"
        return await self._asked("POST", path, body={})

    async def deactivate(self, model_id: str, deployment_id: str) -> Mapping[str, Any]:
        """Stops a deployment, which keeps it; no request is answered until it is started."""
        path = f"{_deployment(model_id, deployment_id)}/deactivate"
        return await self._asked("POST", path, body={})

    async def promote(
        self, model_id: str, deployment_id: str, environment: str
    ) -> Mapping[str, Any]:
        """Lets an environment point at a deployment once that serves; gives what is promoted.

        That is a new deployment where the environment redeploys on promotion. The hardware is the
        deployment's own, not the environment's, and what served before is scaled down.
        """
        path = f"{_model(model_id)}/environments/{_part(environment)}/promote"
        body = {
            "deployment_id": deployment_id,
            "scale_down_previous_deployment": True,
            "preserve_env_instance_type": False,
        }
        return await self._asked("POST", path, body=body)

    async def logs(
        self, model_id: str, deployment_id: str, *, limit: int, since_ms: int | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """The newest lines of the log, the oldest first; `since_ms` is Unix time.

        Without `since_ms` the API looks back half an hour. `timestamp` is in nanoseconds.
        """
        body: dict[str, Any] = {"limit": limit, "direction": "desc"}
        if since_ms is not None:
            body["start_epoch_millis"] = since_ms
        path = f"{_deployment(model_id, deployment_id)}/logs"
        return _listed(await self._asked("POST", path, body=body), "logs")[::-1]

    async def wake(self, model_id: str, deployment_id: str) -> None:
        """Asks a deployment that is scaled to zero to wake; it goes on by itself."""
        await self._send("POST", f"{self._model_url(model_id, deployment_id)}/wake", body={})

    async def served_models(self, model_id: str, deployment_id: str) -> Sequence[str]:
        """The names under which the model's own server knows it; it must be awake."""
        url = f"{self._model_url(model_id, deployment_id)}/sync/v1/models"
        cards = _listed(_object(await self._send("GET", url), url), "data", "id")
        return [str(card["id"]) for card in cards]

    def _model_url(self, model_id: str, deployment_id: str) -> str:
        model_id = _part(model_id)
        api_url = self._credentials.api_url
        if api_url == BASETEN_API_URL:
            return f"https://model-{model_id}.api.baseten.co/deployment/{_part(deployment_id)}"
        return f"{api_url}/model-{model_id}/deployment/{_part(deployment_id)}"

    async def _asked(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, str] | None = None
    ) -> Mapping[str, Any]:
        url = f"{self._credentials.api_url}{path}"
        return _object(await self._send(method, url, body=body, query=query), url)

    async def _send(
        self, method: str, url: str, *, body: Any = None, query: Mapping[str, str] | None = None
    ) -> bytes:
        """The body of an answer that is a success; the errors are those of its status."""
        self._credentials = await asyncio.to_thread(self._credentials.renewed)
        key = self._credentials.key.get_secret_value()
        headers = {"Authorization": f"Bearer {key}"}
        asked = self._client.stream(method, url, json=body, params=query, headers=headers)
        try:
            async with asyncio.timeout(self._answer_s), asked as response:
                told = await _told(response)
        except (httpx2.HTTPError, OSError) as error:
            raise UnreachableError(
                f"Baseten does not answer ({_reason(error)}): look at the connection and at "
                "https://status.baseten.co, then try again."
            ) from None
        if not response.is_success:
            raise self._refusal(response.status_code, told or b"")
        if told is None:
            raise _undocumented(f"The answer to {_route(url)}")
        return told

    def _refusal(self, status: int, body: bytes) -> DeployError:
        words = _words(body, status).replace(self._credentials.key.get_secret_value(), "[API key]")
        words = words[:_WORDS]
        told = f"HTTP {status}{f': {words}' if words else ''}"
        if status in (401, 403):
            return CredentialsError(
                f"Baseten refuses the key of {self._credentials.source} ({told}): make a new one "
                "at https://app.baseten.co/settings/api_keys, or sign in again."
            )
        if status == 404:
            return NotFoundError(f"Baseten does not know it ({told}): compare the ids.")
        if status < 400 or status >= 500 or status in _LATER:
            return UnreachableError(f"Baseten cannot do it now ({told}): try again a little later.")
        return DeployError(f"Baseten refuses it ({told}).")


def _model(model_id: str) -> str:
    return f"/v1/models/{_part(model_id)}"


def _deployment(model_id: str, deployment_id: str) -> str:
    return f"{_model(model_id)}/deployments/{_part(deployment_id)}"


def _part(text: str) -> str:
    """One part of a path, whatever it holds."""
    return quote(text, safe="")


async def _told(response: httpx2.Response) -> bytes | None:
    """The body; None where it is too large, so that its status counts alone."""
    try:
        return await whole_of(response)
    except BodyTooLargeError:
        return None


def _object(body: bytes, url: str) -> Mapping[str, Any]:
    try:
        answer = _plain(decode_json(body))
    except UnreadableError:
        answer = None
    if not isinstance(answer, Mapping):
        raise _undocumented(f"The answer to {_route(url)}")
    return answer


def _plain(value: Any, depth: int = _DEPTH) -> Any:
    """The value, None for each number that JSON has not. Raises UnreadableError where it is deep.

    What is deeper could be read here, and not be written again.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        raise UnreadableError("it is nested too deeply")
    if isinstance(value, list):
        return [_plain(inner, depth - 1) for inner in value]
    return {key: _plain(inner, depth - 1) for key, inner in value.items()}


def _listed(answer: Mapping[str, Any], name: str, *texts: str) -> Sequence[Mapping[str, Any]]:
    """The entries of a list, each with these fields as texts. Raises UnreachableError."""
    entries = answer.get(name)
    if not isinstance(entries, list):
        raise _undocumented(f"Baseten's list of {name}")
    return [_with_texts(entry, f"list of {name}", *texts) for entry in entries]


def _environment(environment: Mapping[str, Any]) -> Mapping[str, Any]:
    current = environment.get("current_deployment")
    if current is not None:
        _with_texts(current, "environment", "id", "status")
    return environment


def _with_texts(value: Any, name: str, *texts: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping) and all(isinstance(value.get(text), str) for text in texts):
        return value
    raise _undocumented(f"Baseten's {name}")


def _undocumented(what: str) -> UnreachableError:
    return UnreachableError(f"{what} {_UNDOCUMENTED}")


def _route(url: str) -> str:
    return urlsplit(url).path


def _words(body: bytes, status: int) -> str:
    try:
        told = _plain(decode_json(body))
    except UnreadableError:
        return ""
    failed = read_error(told, status) if isinstance(told, Mapping) else None
    return " ".join(failed.message.split()) if failed else ""


def _reason(error: BaseException) -> str:
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return "it takes too long"
    return str(error) or type(error).__name__
