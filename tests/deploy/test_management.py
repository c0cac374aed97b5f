"""Answers of Baseten's management API that are not as it documents them."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import pytest
from pydantic import SecretStr

from deploy import exit_status
from deploy.bodies import MOST_BYTES
from deploy.command_line import run
from deploy.credentials import Credentials, find_credentials
from deploy.errors import CredentialsError, DeployError, NotFoundError
from deploy.management import Management, UnreachableError
from deploy.prices import price_of
from deploy.waiting import wait_until_serving
from tests.deploy.fake_baseten import API_KEY, FakeBaseten
from tests.loopback import SILENCE, Loopback, Reply

StartLoopback: TypeAlias = Callable[..., Awaitable[Loopback]]
Ask: TypeAlias = Callable[[Management], Awaitable[Any]]

LIMIT_S = 10.0
DEEP = b'{"a":' * 100_000
PAGE = Reply((b"<html>One moment</html>",), content_type="text/html")
MEGABYTE = b" " * 2**20
ENDLESS = [MEGABYTE] * (MOST_BYTES // 2**20 + 1)


def managed(server: Loopback, answer_s: float = LIMIT_S) -> Management:
    key = SecretStr(API_KEY)
    return Management(Credentials(key, "test", server.url, server.url), answer_s=answer_s)


async def deployment(management: Management) -> Any:
    return await management.deployment("m1", "d1")


@pytest.mark.parametrize(
    "reply",
    [
        PAGE,
        Reply(content_type="application/json"),
        Reply((DEEP,), content_type="application/json"),
        Reply((b'{"a":' * 70 + b"1" + b"}" * 70,), content_type="application/json"),
        Reply((b'{"status": %b}' % (b"1" * 5000),), content_type="application/json"),
        Reply.json([]),
        Reply.json({}),
        Reply.json({"status": None}),
        Reply.json({"status": "ACTIVE"}, 302, Location="/v1/elsewhere"),
        Reply.json({"status": "ACTIVE"}, 503),
        Reply(ENDLESS, content_type="application/json", end="hang"),
        Reply(ENDLESS, status=500, end="hang"),
    ],
)
async def test_what_a_gateway_says_in_its_place_may_pass(
    loopback: StartLoopback, reply: Reply
) -> None:
    server = await loopback(reply, Reply.json({"status": "ACTIVE"}))
    async with managed(server) as management:
        with pytest.raises(UnreachableError):
            await deployment(management)
        assert await deployment(management) == {"status": "ACTIVE"}
    assert [exchange.path for exchange in server.exchanges] == ["/v1/models/m1/deployments/d1"] * 2


@pytest.mark.parametrize(
    "reply",
    [SILENCE, Reply((b"{", *[0.05, b" "] * 200, b"}"), content_type="application/json")],
)
async def test_an_answer_that_drips_is_not_waited_for(
    loopback: StartLoopback, reply: Reply
) -> None:
    server = await loopback(reply)
    began = time.monotonic()
    async with managed(server, answer_s=0.3) as management:
        with pytest.raises(UnreachableError, match="it takes too long"):
            await deployment(management)
    assert time.monotonic() - began < LIMIT_S / 2
    await server.exchanges[0].left.wait()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, CredentialsError), (404, NotFoundError), (409, DeployError)],
)
@pytest.mark.parametrize(
    "body", [(DEEP,), ENDLESS, (b'{"error": "\\ud800"}',), (b'{"error":%b}' % (b"1" * 5000),)]
)
async def test_a_refusal_is_one_whatever_its_words(
    loopback: StartLoopback, status: int, kind: type[DeployError], body: Sequence[bytes]
) -> None:
    server = await loopback(Reply(body, status, "application/json"))
    async with managed(server) as management:
        with pytest.raises(kind, match=f"HTTP {status}") as refused:
            await deployment(management)
    assert type(refused.value) is kind
    str(refused.value).encode()


async def test_no_part_of_a_key_that_is_repeated_is_told(loopback: StartLoopback) -> None:
    words = f"{'x' * 490} {API_KEY} is refused"
    server = await loopback(Reply.json({"error": words}, 401))
    async with managed(server) as management:
        with pytest.raises(CredentialsError) as refused:
            await deployment(management)
    assert API_KEY[:5] not in str(refused.value)


LISTS: list[tuple[str, Ask, Any]] = [
    ("teams", lambda one: one.teams(), {"id": "t", "name": "Default"}),
    ("secrets", lambda one: one.secrets("t"), {"name": "token"}),
    ("models", lambda one: one.models("glm"), {"id": "m1", "name": "glm"}),
    ("deployments", lambda one: one.deployments("m1"), {"id": "d1", "status": "ACTIVE"}),
    (
        "environments",
        lambda one: one.environments("m1"),
        {"name": "production", "current_deployment": {"id": "d1", "status": "ACTIVE"}},
    ),
    ("instance_types", lambda one: one.prices(), {}),
    ("logs", lambda one: one.logs("m1", "d1", limit=5), {}),
    ("data", lambda one: one.served_models("m1", "d1"), {"id": "glm"}),
]


@pytest.mark.parametrize(("name", "ask", "entry"), LISTS)
async def test_what_is_listed_has_its_names_or_is_not_taken(
    loopback: StartLoopback, name: str, ask: Ask, entry: dict[str, Any]
) -> None:
    lacking = [{**entry, key: bad} for key in entry for bad in (7, [], {"id": "d1"})]
    lacking += [{other: entry[other] for other in entry if other != key} for key in entry]
    # A deployment may do without a status there, and an environment without a deployment.
    lacking = [one for one in lacking if not _is_taken(name, one)]
    odd = [{}, {name: None}, {name: {}}, *({name: [entry, one]} for one in ("text", 1, *lacking))]
    server = await loopback(*map(Reply.json, [*odd, {name: [entry]}]))
    async with managed(server) as management:
        for _ in odd:
            with pytest.raises(UnreachableError, match="is not as Baseten documents it"):
                await ask(management)
        assert len(await ask(management)) == 1


def _is_taken(name: str, entry: dict[str, Any]) -> bool:
    if name == "deployments":
        return isinstance(entry.get("id"), str)
    if name == "environments":
        return isinstance(entry.get("name"), str) and "current_deployment" not in entry
    return False


async def test_an_environment_points_at_a_deployment_or_at_nothing(
    loopback: StartLoopback,
) -> None:
    nothing = {"name": "production", "current_deployment": None}
    odd = {"name": "production", "current_deployment": {"status": "ACTIVE"}}
    server = await loopback(Reply.json(odd), Reply.json(nothing))
    async with managed(server) as management:
        with pytest.raises(UnreachableError):
            await management.environment("m1", "production")
        assert await management.environment("m1", "production") == nothing


async def test_numbers_that_json_has_not_are_none(loopback: StartLoopback) -> None:
    body = b'{"instance_types": [{"instance_type": {"id": "B200"}, "price": NaN, "a": [1e999]}]}'
    server = await loopback(Reply((body,), content_type="application/json"))
    async with managed(server) as management:
        [entry] = await management.prices()
    assert (entry["price"], entry["a"]) == (None, [None])
    assert price_of("B200", [entry]) is None


async def test_a_page_in_place_of_an_answer_does_not_end_a_wait(baseten: FakeBaseten) -> None:
    serving = baseten.deployed("glm", {}, "LOADING_MODEL")
    serving.script = ["LOADING_MODEL", "ACTIVE"]
    baseten.fail("GET .*/deployments/", 200, "<html>One moment</html>")
    baseten.fail("GET .*/deployments/", 302, {}, after=1)
    async with Management(find_credentials()) as management:
        deployment = await wait_until_serving(
            management,
            serving.model_id,
            serving.id,
            timeout_s=30.0,
            poll_s=0.01,
            on_phase=lambda _: None,
        )
    assert deployment["status"] == "ACTIVE"


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("logs",),
        ("connect",),
        ("scale",),
        ("stop",),
        ("start",),
        ("promote",),
        ("plan",),
    ],
)
def test_nesting_without_end_is_one_sentence(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    serving = baseten.deployed("glm", {})
    baseten.fail(".", 200, DEEP, times=1000)
    named = () if words == ("plan",) else ("--model-id", serving.model_id)
    assert run([*words, *named, "--json"]) == exit_status.FAILED
    out, err = capsys.readouterr()
    assert "is not as Baseten documents it" in json.loads(out)["error"]["message"]
    assert "Traceback" not in err
