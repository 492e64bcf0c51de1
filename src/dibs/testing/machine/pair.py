"""A store and its model, side by side."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from dibs.engine.job import Job, Lease
from dibs.engine.store.backend import Backend
from dibs.errors import DibsError, StoreError
from dibs.testing.harness import StoreHarness
from dibs.testing.machine.sight import read_running, read_tokens, view_job, view_store
from dibs.testing.stores.memory import MemoryStore

Hold = tuple[Lease, Lease]
Operation = Callable[[Backend, int], Awaitable[Any]]
MODEL, REAL = 0, 1


class Pair:
    """Does everything twice and compares: on the memory backend with a clock that stands still, and on the store."""

    def __init__(self, harness: StoreHarness) -> None:
        self.harness = harness
        self.model_store = MemoryStore(frozen_at=datetime(2030, 1, 1, tzinfo=UTC))
        self.holds: list[Hold] = []
        self._highest: dict[str, int] = {}

    async def begin(self) -> None:
        """Empty the store and open both."""
        await self.harness.reset()
        self.real = await self.harness.open()
        self.model = await self.model_store.open()

    async def end(self) -> None:
        """Close the handle."""
        await self.real.close()

    async def advance(self, span: timedelta) -> None:
        """Move both clocks."""
        await self.model_store.advance(span)
        await self.harness.advance(span)

    async def do(self, operation: Operation) -> None:
        """Do something to both; the answers must agree."""
        expected = await attempt(operation, self.model, MODEL)
        found = await attempt(operation, self.real, REAL)
        assert plain(found) == plain(expected)

    async def remember_holds(self) -> None:
        """Keep both leases of every job that runs, so that they can be used when they are stale."""
        model, real = await read_running(self.model), await read_running(self.real)
        assert model.keys() == real.keys()
        known = {hold[REAL] for hold in self.holds}
        self.holds += [(model[job_id], lease) for job_id, lease in real.items() if lease not in known]

    async def check(self) -> None:
        """Compare everything that can be seen, and see that no token shrank."""
        assert await view_store(self.real) == await view_store(self.model)
        tokens = await read_tokens(self.real)
        for job_id, token in tokens.items():
            assert token >= self._highest.get(job_id, 0), f"the token of {job_id} shrank to {token}"
        self._highest = dict(tokens)


async def attempt(operation: Operation, backend: Backend, side: int) -> Any:
    """Do it; an error that Dibs raises is an answer too."""
    try:
        return await operation(backend, side)
    except StoreError:
        raise
    except DibsError as error:
        return type(error)


def plain(answer: Any) -> Any:
    """Take from an answer what must agree."""
    if isinstance(answer, Job):
        return view_job(answer)
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    return answer
