"""What is set up for the tools of a chat, and the calls that are counted, in each database."""

from __future__ import annotations

import pytest
from sqlalchemy import text, update

from app.chat.entries import CallCheck, ResultsEntry, TurnEntry, WholeChat, WholeNode
from app.chat.messages import ToolCall
from app.chat.notices import Problem
from app.chat.setup import ToolSetup
from app.chat.turn import Turn
from app.store.chats import CallCounts, ChatStore
from app.store.database import StoreError
from app.store.schema import chats
from app.store.totals import read_call_counts
from tests.store.entries import answered, said

SETUP = ToolSetup(
    tools='[{"type": "function",',
    off=("get_time",),
    choice={"type": "function", "function": {"name": "get_weather"}},
    parallel=False,
    rules="[ not JSON",
    auto=True,
    max_steps=3,
    answer_schema='{"type": "object"}',
)
FITS = CallCheck(True)
WRONG = CallCheck(True, (Problem("$.city", "is missing"),))
UNKNOWN = CallCheck(False)


def calling(entry_id: str, *checks: CallCheck, edited: bool = False) -> TurnEntry:
    calls = tuple(ToolCall(str(at), "f", "{}") for at in range(len(checks)))
    return TurnEntry(entry_id, Turn(calls, "tool_calls"), (), checks, {}, edited=edited)


async def test_a_setup_makes_its_chat_which_nobody_lists(store: ChatStore) -> None:
    await store.set_up("ann", "chat", SETUP)
    assert await store.setup("ann", "chat") == SETUP
    assert await store.find("ann", "chat") is not None
    assert await store.list("ann") == ([], False)


async def test_a_setup_takes_the_place_of_the_one_before_and_is_nobody_else_s(
    store: ChatStore,
) -> None:
    await store.set_up("ann", "chat", SETUP)
    await store.set_up("ann", "chat", ToolSetup(choice="none"))
    assert await store.setup("ann", "chat") == ToolSetup(choice="none")
    assert await store.setup("bob", "chat") is None
    await store.open("ann", "other")
    assert await store.setup("ann", "other") is None


async def test_half_a_character_in_a_setup_becomes_one_that_can_be_kept(store: ChatStore) -> None:
    await store.set_up("ann", "chat", ToolSetup(tools="a\ud83d\0"))
    assert await store.setup("ann", "chat") == ToolSetup(tools="a\ufffd\0")


async def test_a_setup_that_is_none_of_ours_is_named(store: ChatStore, database) -> None:
    await store.set_up("ann", "chat", SETUP)
    async with database.begin() as connection:
        await connection.execute(update(chats).values(setup='{"max_steps": "many"}'))
    with pytest.raises(StoreError, match="setup of the chat chat cannot be read"):
        await store.setup("ann", "chat")


async def test_a_setup_goes_with_its_chat(store: ChatStore) -> None:
    await store.set_up("ann", "chat", SETUP)
    await store.adopt("ann", "bob")
    assert (await store.setup("bob", "chat"), await store.setup("ann", "chat")) == (SETUP, None)
    await store.delete("bob", "chat")
    assert await store.setup("bob", "chat") is None


async def test_setups_expire_and_take_room(database, clock) -> None:
    store = ChatStore(database, clock, max_bytes=1_000)
    await store.set_up("ann", "old", ToolSetup(tools="x" * 600))
    clock.time += 1
    await store.set_up("ann", "new", ToolSetup(tools="x" * 600))
    assert await store.find("ann", "old") is None
    assert await store.expire(clock.time + 1) == 1
    assert await store.setup("ann", "new") is None


async def test_a_whole_chat_has_its_setup(store: ChatStore) -> None:
    whole = WholeChat(None, "m1", (WholeNode(said("m1"), None, 5.0),), SETUP)
    await store.add_whole("ann", "chat", whole)
    assert await store.whole("ann", "chat") == whole


async def test_calls_are_counted_by_what_was_found_in_all_versions(store: ChatStore) -> None:
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m1"), None)
    await store.add("ann", "chat", calling("a1", FITS, WRONG), "m1")
    await store.add("ann", "chat", calling("a2", UNKNOWN, FITS), "m1")
    await store.add("ann", "chat", calling("a3", FITS, edited=True), "m1")
    await store.add("ann", "chat", ResultsEntry("r1", ()), "a2")
    await store.add("ann", "chat", answered("a4"), "r1")
    counts = await store.call_counts("ann", "chat")
    assert counts == CallCounts(calls=4, valid=2, unknown=1)
    assert counts.invalid == 1
    assert await store.call_counts("bob", "chat") == CallCounts()


async def test_a_turn_that_is_replaced_counts_as_it_is_now(store: ChatStore) -> None:
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m1"), None)
    await store.add("ann", "chat", answered("a1"), "m1")
    await store.replace("ann", "chat", calling("a1", FITS))
    assert await store.call_counts("ann", "chat") == CallCounts(calls=1, valid=1)


async def test_counting_calls_reads_no_text_of_a_long_chat(store, database, kind) -> None:
    if kind != "sqlite":
        pytest.skip("PostgreSQL keeps long texts apart")
    query = (
        "EXPLAIN QUERY PLAN SELECT sum(calls), sum(valid_calls), sum(unknown_calls) FROM nodes "
        "WHERE owner = 'ann' AND chat_id = 'chat' AND calls IS NOT NULL"
    )
    async with database.connect() as connection:
        plan = str((await connection.execute(text(query))).all())
        assert await read_call_counts(connection, "ann", "chat") == CallCounts()
    assert "COVERING INDEX ix_nodes_calls" in plan
