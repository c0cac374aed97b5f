"""Which server `call` and `verify` ask, and with which key."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from deploy.model_server import find_server, is_of_baseten, key_variable

OF_BASETEN = "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("BASETEN_API_KEY", "test-baseten-key-not-real")


@pytest.mark.parametrize(
    ("base_url", "key", "variable"),
    [
        (OF_BASETEN, SecretStr("test-baseten-key-not-real"), "BASETEN_API_KEY"),
        ("https://example.org/v1", None, None),
        ("https://model-abc1d2ef.api.baseten.co.example.org/v1", None, None),
        ("https://example.org/model-abc1d2ef.api.baseten.co/v1", None, None),
        ("http://model-abc1d2ef.api.baseten.co/environments/production/sync/v1", None, None),
    ],
)
async def test_the_key_of_baseten_goes_to_its_addresses_alone(
    base_url: str, key: SecretStr | None, variable: str | None
) -> None:
    connection, settings = await find_server(base_url)
    assert connection.api_key == key
    assert key_variable(connection, settings) == variable
    assert is_of_baseten(base_url) == (key is not None)


async def test_another_key_goes_to_the_servers_that_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-not-real")
    elsewhere, _ = await find_server("https://example.org/v1")
    assert elsewhere.api_key == SecretStr("test-key-not-real")
    on_baseten, _ = await find_server(OF_BASETEN)
    assert on_baseten.api_key == SecretStr("test-baseten-key-not-real")
