"""What the page loads: every file that one names is there, and nothing leaves this machine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.tools.arguments import ArgumentChecker
from app.ui.own_files import OWN
from app.ui.page import HEAD
from app.ui.texts import text

ASSETS = Path(__file__).parents[2] / "assets"
SCRIPTS = sorted(ASSETS.glob("js/*js"))
STYLESHEETS = sorted(ASSETS.glob("css/*.css"))


def test_the_head_names_relative_addresses_of_files_that_exist() -> None:
    addresses = re.findall(r'href="([^"]+)"', HEAD)
    assert len(addresses) > 10
    for address in addresses:
        assert address.startswith(f"{OWN}/")
        assert (ASSETS / address.removeprefix(f"{OWN}/")).is_file(), address


def test_every_stylesheet_is_linked() -> None:
    app = ASSETS.parent / "app"
    others = (app / "docs" / "page.html").read_text() + (app / "ui" / "locked.py").read_text()
    linked = set(
        re.findall(r'rel="stylesheet" href="(?:own|\{own\})/[^"]*css/([^"]+)"', HEAD + others)
    )
    assert linked == {path.name for path in STYLESHEETS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_imported_module_and_name_exists(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    for names, module in re.findall(r"import \{([^}]*)\} from \"\./([^\"]+)\"", text):
        source = (ASSETS / "js" / module).read_text(encoding="utf-8")
        exported = set(
            re.findall(r"export (?:async )?(?:function\*?|class|const|let) (\w+)", source)
        )
        assert {name.strip() for name in names.split(",") if name.strip()} <= exported


def test_every_module_is_reached_from_one_that_a_page_loads() -> None:
    reached = {"head.js", "locked.mjs"}
    waiting = ["transcript.mjs", "composer.mjs", "chats.mjs", "header.mjs", "settings.mjs"]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        text = (ASSETS / "js" / name).read_text(encoding="utf-8")
        waiting += re.findall(r"(?:from |import\()\"\./([^\"]+)\"", text)
    assert reached == {path.name for path in SCRIPTS}


@pytest.mark.parametrize("path", [*SCRIPTS, *STYLESHEETS], ids=lambda path: path.name)
def test_no_asset_names_another_host_or_grows_past_one_idea(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|//[a-z]+\.[a-z]", text)
    assert text.startswith(("//", "/*"))
    assert text.count("\n") <= 400


def test_html_is_parsed_in_one_place() -> None:
    parsing = [
        path.name
        for path in SCRIPTS
        if re.search(r"innerHTML|insertAdjacentHTML", path.read_text())
    ]
    assert parsing == ["answer.mjs"]


def test_every_icon_that_a_stylesheet_or_a_module_names_is_drawn() -> None:
    drawn = {path.stem for path in ASSETS.glob("icons/*.svg")}
    masks = (ASSETS / "css/icons.css").read_text(encoding="utf-8")
    masked = set(re.findall(r"\.icon-([\w-]+) \{", masks))
    used = set(re.findall(r"icons/([\w-]+)\.svg", masks))
    scripts = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    named = set(re.findall(r"\b(?:icon|iconButton)\(\"([\w-]+)\"", scripts))
    examples = {each["icon"] for each in read_examples()}
    assert used <= drawn
    assert named | examples <= masked


def read_examples() -> list[dict[str, object]]:
    loaded: list[dict[str, object]] = json.loads(
        (ASSETS / "examples/examples.json").read_text(encoding="utf-8")
    )
    return loaded


def test_the_examples_are_those_of_the_preset_and_one_for_each_kind_of_media() -> None:
    examples = read_examples()
    assert [text(f"example.{example['id']}.text") for example in examples[:4]] == [
        "Explain sparse attention in three concise sentences.",
        "What is machine learning?",
        "How many r's in strawberry?",
        "What's the weather in Paris?",
    ]
    attached = [example["attachment"] for example in examples if "attachment" in example]
    assert attached == ["picture.png", "clip.mp4"]
    for name in attached:
        assert (ASSETS / "examples" / str(name)).is_file()


def test_the_tool_of_the_weather_example_takes_a_place() -> None:
    (tools,) = [example["tools"] for example in read_examples() if "tools" in example]
    assert isinstance(tools, list)
    checker = ArgumentChecker(tools)
    assert checker.declared("get_weather")
    assert not checker.problems("get_weather", '{"location": "Paris"}')
    assert checker.problems("get_weather", "{}")


@pytest.mark.parametrize("path", STYLESHEETS, ids=lambda path: path.name)
def test_a_stylesheet_names_the_sides_of_a_line_by_its_direction(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(
        r"(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)", text
    )
    for name, top, right, bottom, left in re.findall(
        r"(margin|padding): (\S+) (\S+) (\S+) (\S+);", text
    ):
        assert right == left, f"{name}: {top} {right} {bottom} {left}"
