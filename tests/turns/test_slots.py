from __future__ import annotations

import asyncio

import pytest

from app.turns.slots import Slots


class Holder:
    """Holds a slot in a task of its own until told to let go."""

    def __init__(self, slots: Slots, visitor: str) -> None:
        self.line: list[int] = []
        self.holds = asyncio.Event()
        self._release = asyncio.Event()
        self.task = asyncio.create_task(self._hold(slots, visitor))

    async def _hold(self, slots: Slots, visitor: str) -> None:
        async with slots.hold(visitor, self.line.append):
            self.holds.set()
            await self._release.wait()

    async def let_go(self) -> None:
        self._release.set()
        await self.task


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_turns_past_the_slots_wait_in_order_and_see_the_line_move() -> None:
    slots = Slots(1)
    first, second, third = (Holder(slots, name) for name in "abc")
    await settle()
    assert first.holds.is_set()
    assert (second.line, third.line) == ([0], [1])
    await first.let_go()
    await settle()
    assert second.holds.is_set()
    assert not third.holds.is_set()
    assert third.line[-1] == 0
    await second.let_go()
    await third.let_go()
    assert slots.running == 0


async def test_a_visitors_share_leaves_room_for_others() -> None:
    slots = Slots(3, share=2)
    greedy = [Holder(slots, "greedy") for _ in range(3)]
    await settle()
    other = Holder(slots, "other")
    await settle()
    assert [holder.holds.is_set() for holder in greedy] == [True, True, False]
    assert other.holds.is_set()
    await greedy[0].let_go()
    await settle()
    assert greedy[2].holds.is_set()
    for holder in (*greedy[1:], other):
        await holder.let_go()


async def test_leaving_the_line_lets_the_next_one_up() -> None:
    slots = Slots(1)
    first, second, third = (Holder(slots, name) for name in "abc")
    await settle()
    second.task.cancel()
    await settle()
    assert third.line[-1] == 0
    await first.let_go()
    await settle()
    assert third.holds.is_set()
    await third.let_go()


async def test_a_slot_is_given_back_when_its_work_fails() -> None:
    slots = Slots(1)

    async def fail() -> None:
        async with slots.hold("a", lambda _: None):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert slots.running == 0
