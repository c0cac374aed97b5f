"""All that a reader sees or hears stands in assets/texts, in each language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.notice_texts import MESSAGES, REMEDIES
from app.media.sentences import NOTES, REFUSALS
from app.tools.finding_texts import FINDINGS
from app.turns.limits import SENTENCES
from app.ui.texts import FOLDER, LANGUAGES, named, text, texts, word

PROJECT = Path(__file__).parents[2]
SCRIPTS = sorted((PROJECT / "assets" / "js").glob("*js"))

PLURALS = {"en": {"one", "other"}, "zh": {"other"}}
"""The forms of each language that Intl.PluralRules knows for whole numbers."""

SERVER = "server."
"""Before the keys of what the server says in English by itself."""

PLAIN = {
    *("X-Owner", "Content-Type", "AbortError", "Files", "Rar!", "English", "zh-Hans"),
    # Languages of code are called the same everywhere.
    *("Bash", "Go", "Java", "JavaScript", "Markdown", "Python", "Rust", "Shell", "TypeScript"),
}
"""Literals that look like words of a reader's and are none."""


KEY = r"\"([^\"]+)\""
ASKED = re.compile(
    rf"(?<![.\w])t\(\s*(?:[^?`\n]+ \? {KEY} : {KEY}|{KEY}|`([^`]+)`|key\b)"
    rf"|\bkey = (?:[^?`\n]+ \? {KEY} : {KEY}|{KEY})"
)
"""A call of `t` by a key, by one of two, by a template of keys, or by a `key` given so before."""


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


def code(path: Path) -> str:
    """A script without its comments."""
    without = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"(^|\s)//.*", "", without)


def forms(language: str) -> dict[str, dict[str, str]]:
    """The texts of a language by their keys, the forms of a plural together."""
    found: dict[str, dict[str, str]] = {}
    for key, value in texts(language).items():
        base, _, form = key.rpartition(".")
        is_form = form in PLURALS["en"] and f"{base}.one" in texts("en")
        found.setdefault(base if is_form else key, {})[form if is_form else ""] = value
    return found


def own(language: str) -> dict[str, dict[str, str]]:
    """Those of the page itself."""
    return {key: each for key, each in forms(language).items() if not key.startswith(SERVER)}


def patterns() -> Iterator[re.Pattern[str]]:
    """The keys that are asked for, `${…}` and `{…}` in them standing for any one word."""
    for path in SCRIPTS:
        for asked in ASKED.finditer(code(path)):
            yield from (_pattern(key) for key in asked.groups() if key)
    for path in sorted((PROJECT / "app" / "ui").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        asked = re.findall(r"\b(?:text|word|named|titled)\(f?[\"']([^\"']+)[\"']", source)
        asked += re.findall(r"[\"']((?:header|island)\.[\w.]+)[\"']", source)
        yield from map(_pattern, asked)


def _pattern(key: str) -> re.Pattern[str]:
    pieces = re.split(r"\$?\{(?:[^{}\"]|\"[^\"]*\")*\}", key)
    return re.compile(r"\w+".join(map(re.escape, pieces)))


def test_there_is_a_file_for_each_language_that_can_be_chosen() -> None:
    script = (PROJECT / "assets/js/texts.mjs").read_text(encoding="utf-8")
    chosen = re.findall(r"^  (\w+): \{ name: ", script, re.MULTILINE)
    assert tuple(chosen) == LANGUAGES
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_stands_twice_in_a_file_and_no_text_is_empty(language: str) -> None:
    pairs: list[tuple[str, str]] = json.loads(
        (FOLDER / f"{language}.json").read_text(encoding="utf-8"), object_pairs_hook=list
    )
    keys = [key for key, _ in pairs]
    assert sorted(set(keys)) == sorted(keys)
    assert all(value.strip() for _, value in pairs)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_texts_with_the_same_placeholders(language: str) -> None:
    english, theirs = own("en"), own(language)
    assert theirs.keys() == english.keys()
    for key, each in theirs.items():
        plural = english[key].keys() != {""}
        assert each.keys() == (PLURALS[language] if plural else {""}), key
        # A form for one may leave the figure out: "the answer".
        assert placeholders(each.get("", each.get("other", ""))) == placeholders(
            english[key].get("", english[key].get("other", ""))
        ), key


def test_every_text_that_is_asked_for_is_there_and_no_other() -> None:
    known, used = set(own("en")), set()
    for pattern in patterns():
        found = {key for key in known if pattern.fullmatch(key)}
        assert found, f"There is no text for {pattern.pattern}"
        used |= found
    assert known - used == set()


def test_a_key_is_written_where_it_is_asked_for() -> None:
    """Else no test could know which texts are used."""
    for path in SCRIPTS:
        if path.name in ("texts.mjs", "labels.mjs"):
            continue
        source = code(path)
        for call in re.finditer(r"(?<![.\w])t\(", source):
            asked = source[call.start() : call.start() + 80]
            assert ASKED.match(source, call.start()), f"{path.name}: {asked}"


KEYS = re.compile(r"(?:(?:Control|Ctrl|Meta|Alt|Shift)\+)+\w+")
LITERAL = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`")
WORDS = re.compile(r"\b[A-Z][a-z]+|[a-z]{2,} [a-z]+ [a-z]{2,}")
UNSEEN = re.compile(r"(?:Error|Exception|console\.\w+)\([^)]*$|[!=]==\s*$|\.has\($|glm\.\w*$")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_words_for_a_reader_stand_in_a_script(script: Path) -> None:
    source = code(script)
    for literal in LITERAL.finditer(source):
        said = literal[1] if literal[1] is not None else re.sub(r"\$\{[^}]*\}", "", literal[2])
        before = source[max(0, literal.start() - 120) : literal.start()].rsplit("\n", 1)[-1]
        plain = said in PLAIN or all(map(KEYS.fullmatch, said.split()))
        is_seen = WORDS.search(said) and not UNSEEN.search(before) and not plain
        assert not is_seen or "Path=/" in said, f"Say it by t(): {literal[0]}"


def test_what_the_server_says_has_a_translation_for_each_of_its_sentences() -> None:
    wanted = {f"{SERVER}notice.{key}.message": sentence for key, sentence in MESSAGES.items()}
    wanted |= {f"{SERVER}notice.{key}.remedy": sentence for key, sentence in REMEDIES.items()}
    wanted |= {f"{SERVER}media.{key}": sentence for key, sentence in REFUSALS.items()}
    wanted |= {f"{SERVER}media_note.{key}": sentence for key, sentence in NOTES.items()}
    wanted |= {f"{SERVER}finding.{key}": sentence for key, sentence in FINDINGS.items()}
    wanted |= {f"{SERVER}limits.{key}": sentence for key, sentence in SENTENCES.items()}
    for language in LANGUAGES:
        if language == "en":
            assert not any(key.startswith(SERVER) for key in texts("en"))
            continue
        theirs = texts(language)
        said = {key for key in theirs if key.startswith(SERVER)}
        assert {key for key in said if key.split(".")[1] != "refusal"} == wanted.keys()
        for key in wanted:
            assert placeholders(theirs[key]) == placeholders(wanted[key]), key


def test_only_refusals_that_the_routes_make_and_that_hold_no_value_are_translated() -> None:
    files = [*(PROJECT / "app" / "turns").glob("*.py"), PROJECT / "app" / "door.py"]
    sources = "".join(path.read_text() for path in files)
    plain = set(re.findall(r"[Rr]efusal\(\s*\d{3},\s*\"(\w+)\",\s*(?:\"|remedy)", sources))
    for language in set(LANGUAGES) - {"en"}:
        refusals = [key for key in texts(language) if key.startswith(f"{SERVER}refusal.")]
        codes = {key.split(".")[2] for key in refusals}
        assert codes <= plain
        assert not any(placeholders(texts(language)[key]) for key in refusals)


def test_python_renders_english_beside_its_keys() -> None:
    assert text("settings.max_tokens.capped", cap="16,384").endswith("At most 16,384 here.")
    assert word("header.settings") == '<span data-text="header.settings">Settings</span>'
    assert named("settings.close") == 'aria-label="Close settings" data-text-label="settings.close"'
    with pytest.raises(KeyError):
        text("settings.max_tokens.capped")
    with pytest.raises(KeyError):
        text("no.such.text")
