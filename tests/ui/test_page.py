from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any

import gradio as gr
import pytest

from app.chat.events import Event
from app.chat.request import Options
from app.store.database import Database
from app.store.usage import UsageStore
from app.turns.limits import LimitFigures, VisitorLimits
from app.turns.routes import TurnPolicy
from app.turns.single import SingleTurns
from app.turns.slots import Slots
from app.ui.chat_list import build_chat_list
from app.ui.controls import EFFORTS
from app.ui.header import PRODUCT, header_html
from app.ui.page import THEME, PageSettings, build_page
from app.ui.transcript import build_composer, build_transcript

SETTINGS = PageSettings(
    simulator=True,
    server_label="Simulator",
    model="zai-org/GLM-5.3-Flash",
    max_tokens_cap=None,
    upload_bytes=500_000_000,
    public=False,
)


async def no_events(*_: object) -> AsyncGenerator[Event, None]:
    raise AssertionError("A page that is looked at asks the model server nothing.")
    yield


NO_TURNS = SingleTurns(
    no_events,
    Slots(1),
    TurnPolicy("any", None, True, False, simulated=True, public=False),
    VisitorLimits(UsageStore(Database("sqlite+aiosqlite:///:memory:")), LimitFigures()),
)


def config_of(settings: PageSettings = SETTINGS) -> dict[str, Any]:
    return dict(build_page(settings, NO_TURNS).get_config_file())


def of_the_page(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Its events, without the endpoint for programs."""
    return [each for each in config["dependencies"] if each["api_name"] != "chat"]


def controls(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The controls whose values go to the page's JavaScript, in their order."""
    by_id = {component["id"]: component for component in config["components"]}
    (inputs,) = {tuple(dependency["inputs"]) for dependency in of_the_page(config)}
    return [by_id[number]["props"] for number in inputs]


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    return config_of()


def test_settings_begin_with_what_the_server_would_do(config: dict[str, Any]) -> None:
    begin = {control["elem_id"]: control.get("value") for control in controls(config)}
    assert begin == {
        "effort": 0,
        "system-prompt": None,
        "temperature": 1.0,
        "top-p": 0.95,
        "max-tokens": None,
        "seed": None,
        "stop-strings": None,
    }


def test_the_effort_slider_has_a_stop_for_each_effort_and_one_that_sends_none(
    config: dict[str, Any],
) -> None:
    effort = controls(config)[0]
    assert (effort["minimum"], effort["maximum"], effort["step"]) == (0, 3, 1)
    assert EFFORTS == (None, "low", "high", "max")
    assert Options(model="any").effort is EFFORTS[0]


def test_top_p_cannot_be_zero(config: dict[str, Any]) -> None:
    by_id = {control["elem_id"]: control for control in controls(config)}
    assert by_id["top-p"]["minimum"] > 0
    assert by_id["temperature"]["maximum"] == 2


def test_a_cap_on_tokens_is_said_beside_the_field() -> None:
    capped = config_of(PageSettings(True, "Simulator", "any", 16_384, 100_000_000, True))
    field = next(each for each in controls(capped) if each["elem_id"] == "max-tokens")
    assert "At most 16,384 here." in field["info"]


def test_no_event_of_the_page_goes_through_gradios_queue(config: dict[str, Any]) -> None:
    assert of_the_page(config)
    assert not any(dependency["backend_fn"] for dependency in of_the_page(config))


def test_a_single_tab_holds_the_chat(config: dict[str, Any]) -> None:
    tabs = [each["props"]["label"] for each in config["components"] if each["type"] == "tabitem"]
    assert tabs == ["Chat"]


def test_idle_gradio_does_not_poll_a_thousand_times_a_second() -> None:
    queue = build_page(SETTINGS, NO_TURNS)._queue
    assert queue.sleep_when_free >= 0.02
    assert queue.progress_update_sleep_when_free >= 0.25


def test_templates_are_constant_and_hold_no_value() -> None:
    with gr.Blocks() as page:
        build_chat_list()
        build_transcript()
        build_composer(upload_bytes=1)
    islands = [each for each in page.blocks.values() if isinstance(each, gr.HTML)]
    assert len(islands) == 3
    for island in islands:
        assert island.value is None
        assert "${" not in island.html_template
        assert "{{" not in island.html_template


def test_the_simulator_is_said_in_a_plain_sentence() -> None:
    html = header_html(simulator=True, server_label="Simulator")
    assert f"<span>{PRODUCT}</span></h1>" in html
    assert "No model is connected: answers come from the built-in simulator." in html
    assert 'data-state="simulator"' in html


def test_a_connected_server_is_named_and_its_label_is_text() -> None:
    html = header_html(simulator=False, server_label='<img src=x onerror=alert(1)> "${pwn()}"')
    assert 'data-state="checking"' in html
    assert "simulator" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "<img src=x" not in html


def test_the_theme_asks_for_no_font_and_no_address() -> None:
    css = THEME._get_theme_css()
    assert "@font-face" not in css
    assert not re.search(r"url\((?!\"data:)", css)
    assert THEME._stylesheets == []
