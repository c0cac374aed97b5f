"""Lines of a log whose times cannot be."""

from __future__ import annotations

import time
from typing import Any

import pytest

from deploy.credentials import find_credentials
from deploy.log_lines import LogReader, line_text
from deploy.management import Management
from deploy.target import Target
from tests.deploy.fake_baseten import FakeBaseten

NEVER = [
    None,
    "",
    "soon",
    [],
    {},
    -(10**30),
    10**30,
    "9" * 18 + "0" * 5,
    float("inf"),
    float("nan"),
    "9" * 5000,
]


@pytest.mark.parametrize("timestamp", NEVER)
def test_a_line_of_no_time_is_told_all_the_same(timestamp: Any) -> None:
    text = line_text({"timestamp": timestamp, "message": "it loads", "replica": "abcde"})
    assert text.startswith(("1970-", "1969-"))
    assert text.endswith("(abcde) it loads")


async def test_a_line_of_the_far_future_hides_none_that_follows(baseten: FakeBaseten) -> None:
    deployment = baseten.deployed("glm", {})
    now_ns = time.time_ns()
    odd = {"timestamp": str(now_ns * 5), "message": "odd"}
    first = {"timestamp": str(now_ns), "message": "first"}
    second = {"timestamp": str(now_ns + 10**9), "message": "second"}
    baseten.fail("POST .*/logs", 200, {"logs": [first, odd]})
    baseten.fail("POST .*/logs", 200, {"logs": [second, first, odd]}, times=2)
    async with Management(find_credentials()) as management:
        reader = LogReader(management, Target(deployment.model_id, deployment.id, None, {}))
        told = [[line["message"] for line in await reader.next()] for _ in range(3)]
    assert told == [["odd", "first"], ["second"], []]
    asked = [one.body.get("start_epoch_millis", 0) for one in baseten.asked("POST .*/logs")]
    assert max(asked) <= now_ns // 10**6
