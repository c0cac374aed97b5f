"""The page's own files: kept for good under the address of their version, asked for anew else."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from app.ui.own_files import ASSETS, OWN, OwnFiles


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=[Mount("/own", OwnFiles())]))


def test_a_file_under_its_version_is_kept_for_good(client: TestClient) -> None:
    response = client.get(f"/{OWN}/js/chat.mjs")
    assert response.content == (ASSETS / "js" / "chat.mjs").read_bytes()
    assert "immutable" in response.headers["Cache-Control"]


@pytest.mark.parametrize("address", ["own/js/chat.mjs", "own/0123456789abcdef/js/chat.mjs"])
def test_a_file_under_another_address_is_asked_for_anew(client: TestClient, address: str) -> None:
    response = client.get(f"/{address}")
    assert response.content == (ASSETS / "js" / "chat.mjs").read_bytes()
    assert response.headers["Cache-Control"] == "no-cache"
    again = client.get(f"/{address}", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "address",
    [
        f"{OWN}/../../pyproject.toml",
        f"{OWN}/..%2f..%2fpyproject.toml",
        "own/%2e%2e/pyproject.toml",
        f"{OWN}//etc/passwd",
        f"{OWN}/missing.js",
        OWN,
        "own/",
    ],
)
def test_nothing_else_is_served_and_nothing_missing_is_kept(
    client: TestClient, address: str
) -> None:
    response = client.get(f"/{address}")
    assert response.status_code == 404
    assert "immutable" not in response.headers.get("Cache-Control", "")
