"""Waiting for a deployment that does all that Baseten's do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from deploy.credentials import find_credentials
from deploy.deployments import left_text
from deploy.errors import CredentialsError, DeployError, NotFoundError
from deploy.management import Management
from deploy.statuses import STATUSES, Status, status_of
from deploy.target import Target
from deploy.waiting import WOKEN, wait_until_serving
from tests.deploy import fake_baseten
from tests.deploy.fake.state import Deployment
from tests.deploy.fake_baseten import API_KEY, DROPPED, FakeBaseten


async def waited(deployment: Deployment, phases: list[str], **more: Any) -> Mapping[str, Any]:
    async with Management(find_credentials()) as management:
        return await wait_until_serving(
            management,
            deployment.model_id,
            deployment.id,
            **{"timeout_s": 30.0, "poll_s": 0.01, **more},
            on_phase=lambda status: phases.append(status.name),
        )


def on_its_way(baseten: FakeBaseten, *script: str) -> Deployment:
    deployment = baseten.deployed("glm", status=script[0])
    deployment.script = list(script[1:])
    return deployment


def test_every_status_of_baseten_is_known() -> None:
    assert set(STATUSES) == set(fake_baseten.STATUSES)


def test_what_is_not_known_goes_on_and_may_be_billed() -> None:
    status = status_of("THINKING")
    assert (status.ends, status.billed) == (None, True)
    assert "THINKING" in status.words


@pytest.mark.parametrize(
    "script",
    [
        ("BUILDING", "DEPLOYING", "LOADING_MODEL", "ACTIVE"),
        ("LOADING_MODEL", "UNHEALTHY", "ACTIVE"),
        ("BUILDING", "SOMETHING_NEW", "ACTIVE"),
        ("WAKING_UP", "LOADING_MODEL", "ACTIVE"),
    ],
)
async def test_it_passes_through_what_passes(baseten: FakeBaseten, script: tuple[str, ...]) -> None:
    phases: list[str] = []
    deployment = on_its_way(baseten, "DEPLOYING", *script)
    assert (await waited(deployment, phases))["status"] == "ACTIVE"
    assert phases == list(script)


async def test_one_that_sleeps_is_woken(baseten: FakeBaseten) -> None:
    phases: list[str] = []
    deployment = on_its_way(baseten, "SCALED_TO_ZERO")
    await waited(deployment, phases)
    assert phases == ["SCALED_TO_ZERO", "WOKEN", "LOADING_MODEL", "ACTIVE"]
    assert len(baseten.asked("POST .*/wake")) == 1


@pytest.mark.parametrize("refusal", [400, 404, 409, 503])
async def test_one_that_refuses_to_wake_is_asked_again(baseten: FakeBaseten, refusal: int) -> None:
    deployment = on_its_way(baseten, "SCALED_TO_ZERO")
    baseten.fail("POST .*/wake", refusal, {"message": "still scaling down"}, times=2)
    phases: list[str] = []
    await waited(deployment, phases, wake_s=0.05)
    assert phases == ["SCALED_TO_ZERO", "WOKEN", "LOADING_MODEL", "ACTIVE"]
    assert len(baseten.asked("POST .*/wake")) == 3


async def test_one_that_was_never_woken_is_not_said_to_be(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "SCALED_TO_ZERO")
    baseten.fail("POST .*/wake", 409, {"message": "still scaling down"}, times=10_000)
    phases: list[str] = []
    with pytest.raises(DeployError, match=r"not woken: .*409: still scaling down"):
        await waited(deployment, phases, timeout_s=0.5, wake_s=0.05)
    assert phases == ["SCALED_TO_ZERO"]
    told = left_text(Target(deployment.model_id, deployment.id, None, {}), status_of(*phases), None)
    assert "sleeps" in told
    assert "was asked" not in told


async def test_a_key_that_may_not_wake_ends_the_wait(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "SCALED_TO_ZERO")
    baseten.fail("POST .*/wake", 403, {"message": "no right"})
    with pytest.raises(CredentialsError):
        await waited(deployment, [])


def test_one_that_was_asked_to_wake_is_said_to_be() -> None:
    told = left_text(Target("m0001", "d0002", None, {}), WOKEN, None)
    assert "was asked to wake, and is billed once it does" in told
    assert "python -m deploy stop --model-id m0001 --deployment-id d0002" in told


@pytest.mark.parametrize(
    ("status", "body"), [(200, "<html>Bad gateway</html>"), (200, []), (302, "moved"), (200, {})]
)
async def test_an_answer_that_is_not_of_baseten_is_looked_at_again(
    baseten: FakeBaseten, status: int, body: object
) -> None:
    deployment = on_its_way(baseten, "DEPLOYING", "LOADING_MODEL", "ACTIVE")
    baseten.fail("GET .*/deployments/", status, body, times=2)
    phases: list[str] = []
    await waited(deployment, phases)
    assert phases == ["LOST", "LOADING_MODEL", "ACTIVE"]


async def test_the_time_may_have_begun_before(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING")
    now = asyncio.get_running_loop().time()
    with pytest.raises(DeployError, match="does not serve after 60 minutes"):
        await waited(deployment, [], timeout_s=3600.0, ends_at=now + 0.1)


@pytest.mark.parametrize("status", ["DEPLOY_FAILED", "BUILD_FAILED", "BUILD_STOPPED", "FAILED"])
async def test_it_ends_where_the_deployment_has_failed(baseten: FakeBaseten, status: str) -> None:
    deployment = on_its_way(baseten, "BUILDING", "BUILDING", status)
    with pytest.raises(DeployError, match=f"{status}.*python -m deploy logs"):
        await waited(deployment, [])


async def test_one_that_is_stopped_is_to_be_started(baseten: FakeBaseten) -> None:
    with pytest.raises(DeployError, match=r"not billed.*python -m deploy start"):
        await waited(on_its_way(baseten, "INACTIVE"), [])


async def test_a_new_one_may_be_unknown_for_a_while(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING", "ACTIVE")
    phases: list[str] = []
    baseten.fail("GET .*/deployments/", 404, {"message": "Deployment not found"}, times=3)
    await waited(deployment, phases)
    assert phases == ["NEW", "ACTIVE"]


async def test_one_that_stays_unknown_is_not_found(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING")
    baseten.fail("GET .*/deployments/", 404, times=10_000)
    with pytest.raises(NotFoundError):
        await waited(deployment, [], new_s=0.05)


@pytest.mark.parametrize("status", [DROPPED, 500, 503, 429])
async def test_a_server_that_is_gone_for_a_while_is_asked_again(
    baseten: FakeBaseten, status: int
) -> None:
    deployment = on_its_way(baseten, "DEPLOYING", "LOADING_MODEL", "ACTIVE")
    phases: list[str] = []
    baseten.fail("GET .*/deployments/", status, times=4)
    await waited(deployment, phases)
    assert phases == ["LOST", "LOADING_MODEL", "ACTIVE"]


async def test_a_server_that_goes_and_comes_back_at_its_address(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING", *["LOADING_MODEL"] * 5, "ACTIVE")
    phases: list[str] = []
    lost = asyncio.Event()

    def on_phase(status: Status) -> None:
        phases.append(status.name)
        if status.name == "LOST":
            lost.set()

    async with Management(find_credentials()) as management:
        waiting = asyncio.create_task(
            wait_until_serving(
                management,
                deployment.model_id,
                deployment.id,
                timeout_s=30.0,
                poll_s=0.05,
                on_phase=on_phase,
            )
        )
        await asyncio.to_thread(baseten.until_asked, "GET .*/deployments/", 1)
        await asyncio.to_thread(baseten.stop)
        await lost.wait()
        baseten.start()
        assert (await waiting)["status"] == "ACTIVE"
    assert phases[-1] == "ACTIVE"


async def test_a_server_that_is_gone_for_good_ends_the_wait(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING")
    await asyncio.to_thread(baseten.stop)
    with pytest.raises(DeployError, match="may be billed: python -m deploy status"):
        await waited(deployment, [], lost_s=0.05)


async def test_time_runs_out_also_while_nothing_answers(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING")
    await asyncio.to_thread(baseten.stop)
    with pytest.raises(DeployError, match="does not serve after"):
        await waited(deployment, [], timeout_s=0.1)


async def test_a_key_that_is_refused_ends_the_wait(baseten: FakeBaseten) -> None:
    deployment = on_its_way(baseten, "DEPLOYING")
    baseten.fail("GET .*/deployments/", 401, {"message": f"bad key {API_KEY}"})
    with pytest.raises(CredentialsError) as error:
        await waited(deployment, [])
    assert API_KEY not in str(error.value)
