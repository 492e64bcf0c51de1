"""Random histories on connections that break in the middle of an operation."""

import asyncio
import copy
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from dibs.engine.store.backend import Backend
from dibs.errors import StoreUnavailable
from dibs.testing.machine.histories import Histories, Operation
from dibs.testing.machine.pair import REAL, Pair, attempt, plain
from dibs.testing.machine.sight import view_store


class InterruptedHistories(Histories):
    """Before some operations the connections are cut. An operation that says it failed happened whole or not at all."""

    def __init__(self) -> None:
        super().__init__()
        self.cut_after: float | None = None

    @rule(seconds=st.sampled_from([0.0, 0.0003, 0.001, 0.003]))
    def cut_the_next(self, seconds: float) -> None:
        """Cut the connections so long after the next operation begins."""
        self.cut_after = seconds

    def do(self, operation: Operation) -> None:
        """Do it on both sides, with a cut if one is due."""
        if self.cut_after is None:
            super().do(operation)
        else:
            self.run(self._do_under_a_cut(operation, self.cut_after))
            self.run(self.pair.remember_holds())
            self.cut_after = None

    async def _do_under_a_cut(self, operation: Operation, seconds: float) -> None:
        done = copy.deepcopy(self.pair.model_store)
        expected = await attempt(operation, await done.open(), 0)
        work = asyncio.create_task(attempt(operation, self.pair.real, REAL))
        await asyncio.sleep(seconds)
        await self.pair.harness.cut()  # type: ignore[attr-defined]
        try:
            found = await work
        except StoreUnavailable:
            await adopt_what_happened(self.pair, await done.open(), done)
        else:
            assert plain(found) == plain(expected)
            await adopt(self.pair, done)


async def adopt(pair: Pair, store: Any) -> None:
    """Go on with this model."""
    pair.model_store = store
    pair.model = await store.open()


async def adopt_what_happened(pair: Pair, done: Backend, store: Any) -> None:
    """Look whether the operation happened; if it did not, nothing at all may have changed."""
    async with asyncio.timeout(30):
        found = await view_when_back(pair.real)
    if found == await view_store(done):
        await adopt(pair, store)
    else:
        assert found == await view_store(pair.model)


async def view_when_back(backend: Backend) -> dict[str, Any]:
    """Look at the store once it answers again."""
    while True:
        try:
            return await view_store(backend)
        except StoreUnavailable:
            await asyncio.sleep(0.01)
