"""The folder of a Space: complete, nothing beside it, and nobody else's work replaced."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from app.model_server_settings import PROJECT
from deploy import exit_status
from deploy.command_line import run
from deploy.errors import DeployError, UsageError
from deploy.space.folder import Staged, is_fresh, is_staged, stage, stale

TOP = {".env.example", "app", "assets", "README.md", "requirements.txt", "space.py"}


def staged(folder: Path, *, sign_in: bool = False) -> Staged:
    return stage(folder, license_id="other", sign_in=sign_in)


def front_matter(folder: Path) -> dict[str, object]:
    head = (folder / "README.md").read_text("utf-8").split("---\n")[1]
    return dict(yaml.safe_load(head))


def test_it_holds_the_app_and_its_assets_and_nothing_of_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "space"
    files = [str(name) for name in staged(folder).files]
    assert {name.split("/")[0] for name in files} == TOP
    found = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert found == set(files)
    assert not [name for name in files if "__pycache__" in name or "/." in name]
    assert not [name for name in files if name.endswith((".pyc", ".pyi"))]
    for name in ("app/server.py", "app/docs/page.html", "assets/favicon.svg"):
        assert (folder / name).read_bytes() == (PROJECT / name).read_bytes()
    compile((folder / "space.py").read_text("utf-8"), "space.py", "exec")


def test_the_front_matter_says_what_a_space_is_built_by(tmp_path: Path) -> None:
    staged(tmp_path)
    told = front_matter(tmp_path)
    assert (
        told.items()
        >= {
            "sdk": "gradio",
            "sdk_version": version("gradio"),
            "python_version": "3.11",
            "app_file": "space.py",
            "models": ["zai-org/GLM-5.3-Flash"],
            "license": "other",
        }.items()
    )
    assert len(str(told["short_description"])) <= 60
    assert "hf_oauth" not in told


def test_with_sign_in_the_front_matter_asks_for_it(tmp_path: Path) -> None:
    staged(tmp_path, sign_in=True)
    assert front_matter(tmp_path)["hf_oauth"] is True


def test_what_was_staged_before_is_replaced_and_git_stays(tmp_path: Path) -> None:
    first = staged(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for left_by_a_run in ("data", "__pycache__"):
        (tmp_path / left_by_a_run).mkdir()
    (tmp_path / "app" / "gone.py").write_text("")
    (tmp_path / "space.py").write_text("# half written")
    assert staged(tmp_path) == first
    assert not (tmp_path / "app" / "gone.py").exists()
    assert (tmp_path / ".git" / "HEAD").exists()


def test_a_clone_of_a_new_space_can_be_staged_into(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitattributes").write_text("")
    (tmp_path / "README.md").write_text("---\nsdk: gradio\n---\n")
    staged(tmp_path)
    assert front_matter(tmp_path)["app_file"] == "space.py"


@pytest.mark.parametrize(
    "names", [["README.md"], ["notes.txt"], ["space.py", "mine.py"], [".git", "app"]]
)
def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match="holds what was not staged here"):
        staged(tmp_path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == dict.fromkeys(
        names, "mine"
    )


def test_the_project_itself_is_no_place_for_it() -> None:
    with pytest.raises(UsageError, match=r"such as \.ci"):
        staged(PROJECT)
    with pytest.raises(UsageError, match="a part of the app itself"):
        staged(PROJECT / "assets" / "space")


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="Not a directory"):
        staged(tmp_path / "file")
    with pytest.raises(DeployError, match="cannot be written"):
        staged(Path("/proc/glm-space"))


def test_a_repository_is_told_by_its_files(tmp_path: Path) -> None:
    here = staged(tmp_path)
    names = [".gitattributes", *map(str, here.files)]
    assert is_staged(names)
    assert not is_staged([*names, "mine.py"])
    assert not is_staged([".gitattributes", "README.md"])
    assert is_fresh([".gitattributes", "README.md"])
    assert not is_fresh(names)
    assert stale([*names, "app/gone.py"], here) == ["app/gone.py"]


def test_the_command_stages_and_says_what_comes_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["space", "--stage", str(tmp_path / "space"), "--json"]) == exit_status.OK
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(tmp_path / "space")
    assert told["files"] > 100
    assert run(["space", "--stage", str(tmp_path / "space")]) == exit_status.OK
    assert "python -m deploy space --push OWNER/NAME" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--bucket", "ada/chats"], ["--public"]])
def test_what_is_for_an_upload_is_refused_without_one(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["space", "--stage", str(tmp_path / "space"), *words]) == exit_status.USAGE
    assert f"{words[0]} is for an upload" in capsys.readouterr().err
    assert not (tmp_path / "space").exists()


def test_without_a_place_the_command_says_which_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["space"]) == exit_status.USAGE
    assert "--stage DIR" in capsys.readouterr().err
