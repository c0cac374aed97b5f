from __future__ import annotations

from app.chat.files import TextFile
from tests.store.entries import answered, picture, said


async def keep(store, chat, text, answer="", **rest):
    await store.open("ann", chat)
    await store.add("ann", chat, said(f"m {chat}", text, **rest), None)
    await store.add(
        "ann", chat, answered(f"a {chat}", answer, thought="secret musing"), f"m {chat}"
    )


async def found(store, search):
    return {line.id for line in (await store.list("ann", search=search))[0]}


async def test_every_word_must_occur_somewhere_in_the_chat(store):
    await keep(store, "weather", "Will it rain in Paris?", "Bring an umbrella.")
    await keep(store, "food", "Where to eat in Paris?", "Anywhere.")
    assert await found(store, "paris") == {"weather", "food"}
    assert await found(store, "PARIS umbrella") == {"weather"}
    assert await found(store, " umbre  aris ") == {"weather"}
    assert await found(store, "umbrella anywhere") == set()
    assert await found(store, "  ") == {"weather", "food"}


async def test_the_title_counts_as_well(store):
    await keep(store, "chat", "Hello there")
    await store.rename("ann", "chat", "Größe und Gewicht")
    assert await found(store, "GEWICHT hello") == {"chat"}
    await store.rename("ann", "chat", None)
    assert await found(store, "gewicht") == set()


async def test_versions_that_are_not_shown_are_found(store):
    await keep(store, "chat", "First wording", "First answer")
    await store.add("ann", "chat", said("m2", "Second wording"), None)
    assert await found(store, "first answer") == {"chat"}


async def test_names_and_contents_of_files_are_found_and_thoughts_are_not(store):
    files = (TextFile("sums.csv", "alpha,beta"),)
    await keep(store, "chat", "", "Done", files=files, attachments=(picture("a", "holiday.png"),))
    for word in ("sums.csv", "beta", "holiday"):
        assert await found(store, word) == {"chat"}, word
    assert await found(store, "musing") == set()


async def test_case_means_nothing_in_any_script(store):
    texts = {
        "Как приготовить БОРЩ": "борщ ПРИГОТОВИТЬ",
        "用中文写一首关于春天的诗": "春天的诗",
        "ΟΔΥΣΣΕΥΣ": "οδυσσευς",
        "Straße nach Süden": "STRAßE SÜDEN",
        "İSTANBUL im Mai": "MAI",
        "a 🦊 jumps": "🦊",
        "null\0byte": "NULL",
    }
    for number, text in enumerate(texts):
        await keep(store, f"chat {number}", text)
    for number, search in enumerate(texts.values()):
        assert await found(store, search) == {f"chat {number}"}


async def test_signs_stand_for_themselves(store):
    await keep(store, "without", "axb")
    for sign in ("%", "_", "\\", "/", "'", '"', "*", "[", "?", ";--"):
        await keep(store, sign, f"a{sign}b")
        assert await found(store, f"a{sign}b") == {sign}
        assert await found(store, sign) == {sign}


async def test_a_snippet_shows_the_words_around_the_match_as_they_were_written(store):
    before, after = "Lorem Ipsum " * 30, " Dolor Sit" * 30
    await keep(store, "chat", f"{before}The\nNEEDLE, here{after}", "needle again")
    (line,), _ = await store.list("ann", search="needle")
    assert line.snippet.startswith("…")
    assert line.snippet.endswith("…")
    assert "Lorem Ipsum The NEEDLE, here Dolor Sit" in line.snippet
    assert 60 < len(line.snippet) <= 122


async def test_a_snippet_of_a_short_text_is_the_text(store):
    await keep(store, "chat", "Short question", "Ein kurzer Satz über İzmir und Ärger")
    (line,), _ = await store.list("ann", search="ärger")
    assert line.snippet == "Ein kurzer Satz über İzmir und Ärger"


async def test_a_snippet_of_a_text_without_blanks_is_cut_all_the_same(store):
    await keep(store, "chat", "天" * 500 + "春" + "地" * 500)
    (line,), _ = await store.list("ann", search="春")
    assert line.snippet == f"…{'天' * 40}春{'地' * 79}…"


async def test_without_a_match_in_the_text_there_is_no_snippet(store):
    await keep(store, "chat", "Hello")
    await store.rename("ann", "chat", "Greetings")
    (line,), _ = await store.list("ann", search="greetings")
    assert line.snippet == ""
    (line,), _ = await store.list("ann", search="greetings hello")
    assert line.snippet == "Hello"
    (line,), _ = await store.list("ann")
    assert line.snippet == ""


async def test_a_search_of_any_length_is_answered(store):
    await keep(store, "chat", "word " * 100)
    assert await found(store, "word " * 5000) == {"chat"}
    assert await found(store, "x" * 5000) == set()
    assert await found(store, " ".join(map(str, range(1000)))) == set()
