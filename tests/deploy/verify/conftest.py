"""Making checks of a server on loopback, in the test's own loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from app.endpoint import Endpoint, EndpointSettings
from deploy.verify.battery import chosen
from deploy.verify.check import Result
from deploy.verify.promises import Promises
from deploy.verify.running import results
from deploy.verify.subject import Subject
from deploy.verify.wire import Wire

MakeChecks: TypeAlias = Callable[..., Awaitable[list[Result]]]

PROMISES = Promises("zai-org/GLM-5.3-Flash", max_model_len=1_048_576, max_num_seqs=16)


@pytest.fixture(autouse=True)
def _on_loopback_alone(
    loopback_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BASETEN_API_KEY", "BASETEN_MODEL_ID"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "deployment.json"))


@pytest.fixture
def make_checks() -> MakeChecks:
    """How checks end: `await make_checks(url, "model", …, promises=…, wants_key=…)`."""

    async def make(
        url: str,
        *names: str,
        promises: Promises = PROMISES,
        wants_key: bool = False,
        timeout_s: float = 60.0,
    ) -> list[Result]:
        settings = EndpointSettings(f"{url}/v1", model=promises.model, tries=1)
        checks = chosen(names, quick=False)
        async with Endpoint(settings) as endpoint, Wire(settings) as wire:
            subject = Subject(promises, wire, endpoint, wants_key=wants_key)
            made = results(checks, subject, timeout_s=timeout_s, with_costly=True)
            return [result async for result in made]

    return make
