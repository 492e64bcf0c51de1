"""Random histories on connections that break at the worst moments."""

import asyncio
from collections import Counter
from enum import StrEnum
from typing import ClassVar, Protocol, cast

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from dibs.engine.store.backend import Backend
from dibs.errors import OutcomeUnknown, StoreUnavailable
from dibs.testing.machine.histories import Histories
from dibs.testing.machine.pair import REAL, Operation, agree, attempt
from dibs.testing.machine.sight import Sight, view_store
from dibs.testing.stores.memory import MemoryStore


class Cut(StrEnum):
    """Where the next move breaks."""

    UNSENT = "unsent"  # the store never hears of it
    HALFWAY = "halfway"  # the store hears the beginning
    UNCOMMITTED = "uncommitted"  # the store has done it all, but the commit never comes
    UNANSWERED = "unanswered"  # it happened, and the answer is lost


class CuttableHarness(Protocol):
    """What a harness must be able to do besides."""

    def arm(self, cut: Cut) -> None:
        """Break the next move of the handles there."""

    async def disarm(self) -> bool:
        """Break nothing any more, and wait until the store has noticed; tells whether something was broken."""


PLANS = st.lists(st.sampled_from([None, None, *Cut]), min_size=10, max_size=40)


class InterruptedHistories(Histories):
    """About half of all moves break. One that says it failed happened whole or not at all, and says which it may be.

    `tally` counts, over all histories, the moves that were to break, those that did, and those that told so.
    """

    tally: ClassVar[Counter[str]]
    # What breaks in a caller's transaction is the caller's to explain.
    has_callers_transactions = False
    ARMED, TOLD = "armed", "told"

    @initialize(plan=PLANS)
    def plan_the_cuts(self, plan: list[Cut | None]) -> None:
        """Decide which of the moves to come break, and where."""
        self.plan = plan

    def do(self, operation: Operation) -> None:
        """Make a move, which may break."""
        cut = self.plan.pop() if self.plan else None
        if cut is None:
            super().do(operation)
        else:
            self.run(self._do_under(cut, operation))

    def do_whole(self, operation: Operation) -> None:
        """The same; what several moves do in one transaction breaks as one."""
        cut = self.plan.pop() if self.plan else None
        if cut is None:
            super().do_whole(operation)
        else:
            self.run(self._do_under(cut, operation))

    async def _do_under(self, cut: Cut, operation: Operation) -> None:
        expected, changed = await self.pair.foresee(operation)
        harness = cast("CuttableHarness", self.pair.harness)
        harness.arm(cut)
        told: StoreUnavailable | None = None
        try:
            found = await attempt(operation, self.pair.real, REAL)
        except StoreUnavailable as error:
            told = error
        was_cut = await harness.disarm()
        self.tally.update([self.ARMED, *([cut] if was_cut else []), *([self.TOLD] if told else [])])
        if told is None:
            agree(found, expected)
            await self.pair.adopt(changed)
        else:
            assert was_cut, "it failed by itself"
            await self._see_what_happened(cut, changed, told)

    async def _see_what_happened(self, cut: Cut, changed: MemoryStore, told: StoreUnavailable) -> None:
        """All of it, if only the answer was lost; else nothing."""
        before, after = await view_store(self.pair.model), await view_store(await changed.open())
        async with asyncio.timeout(60):
            found = await view_when_back(self.pair.real)
        if cut is Cut.UNANSWERED:
            assert found.agreed == after.agreed
            assert before.agreed == after.agreed or isinstance(told, OutcomeUnknown), "it says that nothing happened"
            await self.pair.adopt(changed)
        else:
            assert found.agreed == before.agreed


async def view_when_back(backend: Backend) -> Sight:
    """Look at the store once it answers again."""
    while True:
        try:
            return await view_store(backend)
        except StoreUnavailable:
            await asyncio.sleep(0.01)
