"""Messages and answers in a chat: the path that is shown, and the versions beside it."""

from __future__ import annotations

import asyncio

import pytest

from app.chat.entries import Feedback, Node
from app.store.chats import ChatStore, ChatUnknown, Page, Totals
from app.store.database import Database
from tests.store.entries import answered, ids, long_talk, said, talk


async def test_what_is_added_is_the_end_of_the_path(store, clock):
    await store.open("ann", "chat")
    message, turn = said("m1"), answered("a1")
    added = await store.add("ann", "chat", message, None)
    assert added == Node(message, None, ("m1",), clock.time)
    clock.time += 5
    await store.add("ann", "chat", turn, "m1")
    assert await store.page("ann", "chat") == Page(
        (added, Node(turn, "m1", ("a1",), clock.time)), 0
    )


async def test_a_chat_in_which_nothing_was_said_has_an_empty_path(store):
    await store.open("ann", "chat")
    await store.open("ann", "chat")
    assert await store.page("ann", "chat") == Page((), 0)
    assert await store.path_to("ann", "chat", None) == ()


async def test_a_long_path_is_read_upwards_page_by_page(store, database):
    await long_talk(database, "ann", "chat", 250)
    page = await store.page("ann", "chat", limit=40)
    seen = ids(page)
    assert (len(page.nodes), page.earlier) == (40, 460)
    while page.earlier:
        page = await store.page("ann", "chat", before=ids(page)[0], limit=40)
        seen = ids(page) + seen
    whole = await store.page("ann", "chat")
    assert seen == ids(whole)
    assert ids(whole) == [f"{kind}{number}" for number in range(1, 251) for kind in "ma"]


async def test_an_edit_is_a_version_beside_the_message(store):
    await talk(store, "ann", "chat", 3)
    edit = await store.add("ann", "chat", said("m2b"), "a1")
    assert edit.versions == ("m2", "m2b")
    await store.add("ann", "chat", answered("a2b"), "m2b")
    page = await store.page("ann", "chat")
    assert ids(page) == ["m1", "a1", "m2b", "a2b"]
    assert [node.versions for node in page.nodes] == [
        ("m1",),
        ("a1",),
        ("m2", "m2b"),
        ("a2b",),
    ]


async def test_a_first_message_has_versions_too(store):
    await talk(store, "ann", "chat", 1)
    edit = await store.add("ann", "chat", said("m1b", "Another beginning"), None)
    assert edit.versions == ("m1", "m1b")
    assert ids(await store.page("ann", "chat")) == ["m1b"]
    assert (await store.find("ann", "chat")).title == "Another beginning"
    await store.choose("ann", "chat", "m1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]
    assert (await store.find("ann", "chat")).title == "Question 1"


async def test_a_version_that_is_chosen_goes_on_as_it_last_did(store):
    await talk(store, "ann", "chat", 3)
    await store.add("ann", "chat", answered("a2b"), "m2")
    await store.add("ann", "chat", said("m2c"), "a1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2c"]
    await store.choose("ann", "chat", "m2")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2b"]
    await store.choose("ann", "chat", "a2")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2", "m3", "a3"]


async def test_a_version_on_a_branch_that_is_not_shown_brings_its_branch(store):
    await talk(store, "ann", "chat", 2)
    await store.add("ann", "chat", said("other"), None)
    await store.choose("ann", "chat", "a1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2"]
    await store.choose("ann", "chat", "other")
    await store.add("ann", "chat", said("m2b"), "a1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2b"]
    await store.choose("ann", "chat", "other")
    await store.choose("ann", "chat", "m1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2b"]


async def test_stepping_back_ends_the_path_before_an_entry(store):
    await talk(store, "ann", "chat", 2)
    await store.step_back("ann", "chat", "m2")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]
    again = await store.add("ann", "chat", said("m2b"), "a1")
    assert again.versions == ("m2", "m2b")
    await store.choose("ann", "chat", "m2")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2"]


async def test_stepping_back_before_the_first_message_empties_the_path(store):
    await talk(store, "ann", "chat", 1)
    await store.step_back("ann", "chat", "m1")
    assert await store.page("ann", "chat") == Page((), 0)
    await store.add("ann", "chat", said("m1b", "Once more"), None)
    assert ids(await store.page("ann", "chat")) == ["m1b"]
    assert (await store.find("ann", "chat")).title == "Once more"


async def test_a_path_is_found_to_any_entry(store):
    await talk(store, "ann", "chat", 2)
    await store.add("ann", "chat", said("m2b"), "a1")
    path = await store.path_to("ann", "chat", "a2")
    assert [node.entry.id for node in path] == ["m1", "a1", "m2", "a2"]
    assert path[2].versions == ("m2", "m2b")
    before = await store.page("ann", "chat", before="a2", limit=2)
    assert (ids(before), before.earlier) == (["a1", "m2"], 1)


async def test_a_turn_that_was_gone_on_with_takes_the_place_of_the_old(store, clock):
    await talk(store, "ann", "chat", 1)
    clock.time += 60
    longer = answered("a1", "A much longer answer", usage={"prompt_tokens": 7})
    await store.replace("ann", "chat", longer)
    assert (await store.node("ann", "chat", "a1")).entry == longer
    assert (await store.find("ann", "chat")).updated == clock.time
    assert (await store.totals("ann", "chat")).prompt_tokens == 7
    assert (await store.list("ann", search="much longer"))[0]


async def test_a_belated_answer_is_the_end_of_a_chat_that_waited_for_it(store):
    await talk(store, "ann", "chat", 1)
    await store.add("ann", "chat", said("m2"), "a1")
    await store.add("ann", "chat", answered("a2"), "m2", belated=True)
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2"]


async def test_a_belated_answer_is_a_version_in_a_chat_that_went_on(store):
    await talk(store, "ann", "chat", 2)
    node = await store.add("ann", "chat", answered("late"), "m1", belated=True)
    assert node.versions == ("a1", "late")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2"]


async def test_a_belated_answer_comes_back_with_its_message(store):
    await talk(store, "ann", "chat", 1)
    await store.add("ann", "chat", said("m2"), "a1")
    await store.step_back("ann", "chat", "m2")
    await store.add("ann", "chat", answered("a2"), "m2", belated=True)
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]
    await store.choose("ann", "chat", "m2")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1", "m2", "a2"]


async def test_feedback_is_kept_with_its_turn(store):
    await talk(store, "ann", "chat", 1)
    await store.rate("ann", "chat", "a1", Feedback("dislike", "wrong\0"))
    assert (await store.node("ann", "chat", "a1")).feedback == Feedback("dislike", "wrong\ufffd")
    await store.rate("ann", "chat", "a1", Feedback("like"))
    assert (await store.page("ann", "chat")).nodes[1].feedback == Feedback("like", "")
    await store.rate("ann", "chat", "a1", None)
    assert (await store.node("ann", "chat", "a1")).feedback is None


async def test_totals_are_those_of_all_versions(store):
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m1"), None)
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    await store.add("ann", "chat", answered("a1", usage=usage, seconds=1.5), "m1")
    await store.add("ann", "chat", answered("a2", usage=usage, seconds=2.0), "m1")
    estimate = {"reasoning_tokens": 3, "answer_tokens": 4}
    await store.add("ann", "chat", answered("a3", stats=estimate, seconds=0.5), "m1")
    by_a_person = answered("a4", stats=estimate, seconds=0.0)
    await store.add("ann", "chat", by_a_person, "m1")
    assert await store.totals("ann", "chat") == Totals(20, 8, 17, 4.0, 4)
    assert await store.totals("bob", "chat") == Totals(0, 0, 0, 0.0, 0)


async def test_counts_that_are_none_count_nothing(store):
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m1"), None)
    for number, count in enumerate((-1, 2.5, True, "12", None, 10**30, [3])):
        usage = {
            "prompt_tokens": count,
            "completion_tokens": count,
            "prompt_tokens_details": {"cached_tokens": count},
        }
        turn = answered(f"a{number}", usage=usage)
        await store.add("ann", "chat", turn, "m1")
        assert (await store.node("ann", "chat", turn.id)).entry == turn
    assert await store.totals("ann", "chat") == Totals(0, 0, 0, 7.0, 7)


async def test_all_that_is_added_at_once_is_kept(empty_url):
    """Two databases stand for two processes."""
    databases = [Database(empty_url), Database(empty_url)]
    for database in databases:
        await database.open()
    stores = [ChatStore(database) for database in databases]
    await talk(stores[0], "ann", "chat", 1)
    await asyncio.gather(
        *(store.open("ann", f"other {number}") for number in range(4) for store in stores),
        *(
            stores[number % 2].add("ann", "chat", answered(f"more{number}"), "m1")
            for number in range(20)
        ),
    )
    page = await stores[1].page("ann", "chat")
    versions = page.nodes[1].versions
    assert versions[0] == "a1"
    assert sorted(versions[1:]) == sorted(f"more{number}" for number in range(20))
    assert ids(page) == ["m1", versions[-1]]
    await asyncio.gather(*(database.close() for database in databases))


async def test_an_addition_that_is_cancelled_is_whole_or_nothing(store):
    await talk(store, "ann", "chat", 1)
    for steps in range(0, 120, 6):
        adding = asyncio.create_task(store.add("ann", "chat", answered(f"more{steps}"), "m1"))
        for _ in range(steps):
            await asyncio.sleep(0)
        adding.cancel()
        await asyncio.wait((adding,))
    last = await store.add("ann", "chat", answered("last"), "m1")
    page = await store.page("ann", "chat")
    assert ids(page) == ["m1", "last"]
    assert page.nodes[1].versions == last.versions
    for version in last.versions:
        assert (await store.node("ann", "chat", version)).versions == last.versions
    assert (await store.totals("ann", "chat")).turns == len(last.versions)


async def test_the_same_id_twice_changes_nothing(store):
    await talk(store, "ann", "chat", 1)
    with pytest.raises(Exception, match=r"(?i)unique"):
        await store.add("ann", "chat", said("m1", "Something else"), "a1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]


@pytest.mark.parametrize(
    ("owner", "chat", "node"), [("ann", "chat", "no"), ("ann", "no", "m1"), ("bob", "chat", "m1")]
)
async def test_what_is_not_the_owner_s_is_unknown(store, owner, chat, node):
    await talk(store, "ann", "chat", 1)
    await talk_of_bob(store)
    for asked in (
        store.page(owner, chat, before=node),
        store.path_to(owner, chat, node),
        store.add(owner, chat, said("new"), node),
        store.replace(owner, chat, answered(node)),
        store.choose(owner, chat, node),
        store.step_back(owner, chat, node),
        store.rate(owner, chat, node, Feedback("like")),
    ):
        with pytest.raises(ChatUnknown):
            await asked
    assert await store.node(owner, chat, node) is None
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]


async def talk_of_bob(store: ChatStore) -> None:
    await store.open("bob", "chat")
    await store.add("bob", "chat", said("bob's"), None)


async def test_an_entry_of_the_owner_s_other_chat_is_unknown(store):
    await talk(store, "ann", "chat", 1)
    await store.open("ann", "other")
    with pytest.raises(ChatUnknown):
        await store.add("ann", "other", said("new"), "m1")
    with pytest.raises(ChatUnknown):
        await store.choose("ann", "other", "m1")
    assert await store.node("ann", "other", "m1") is None
    assert await store.page("ann", "other") == Page((), 0)
