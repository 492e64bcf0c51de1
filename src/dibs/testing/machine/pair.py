"""A store and its model, side by side."""

import copy
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from dibs.engine.admission.source import Source
from dibs.engine.job import Job, Lease
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import NamedLease
from dibs.errors import DibsError, StoreError
from dibs.kit.clock import utc_month
from dibs.testing.harness import StoreHarness
from dibs.testing.machine.sight import Sight, find_running, view_job, view_store
from dibs.testing.stores.memory import MemoryStore

Hold = tuple[Lease, Lease]
Lock = tuple[NamedLease, NamedLease]
Tokens = tuple[int, int]
Operation = Callable[[Backend, int], Awaitable[Any]]
MODEL, REAL = 0, 1


class Pair:
    """Does everything twice and compares: on the memory backend with a clock that stands still, and on the store."""

    def __init__(self, harness: StoreHarness) -> None:
        self.harness = harness
        self.holds: list[Hold] = []
        self.locks: list[Lock] = []
        self.lone_tokens: list[Tokens] = []
        self._tokens: dict[str, int] = {}

    async def begin(self) -> None:
        """Empty the store and open both."""
        await self.harness.reset()
        self.real = await self.harness.open()
        # Both clocks begin at the same noon, so that days and months end for both in the same step.
        now = await self.real.reader.now()
        noon = utc_month(now, ahead=2) + timedelta(days=9, hours=12)
        self.model_store = MemoryStore(frozen_at=noon)
        await self.harness.advance(noon - now)
        self.model = await self.model_store.open()

    async def end(self) -> None:
        """Close the handle."""
        await self.real.close()

    async def advance(self, span: timedelta) -> None:
        """Move both clocks."""
        await self.model_store.advance(span)
        await self.harness.advance(span)

    async def read_clocks(self) -> tuple[datetime, datetime]:
        """Tell both times."""
        return await self.model.reader.now(), await self.real.reader.now()

    async def do(self, operation: Operation) -> None:
        """Do something to both; the answers must agree."""
        expected = await attempt(operation, self.model, MODEL)
        agree(await attempt(operation, self.real, REAL), expected)

    async def do_whole(self, operation: Operation) -> None:
        """The same for several steps of which an error undoes all, which the model can do to a copy only."""
        expected, model = await self.foresee(operation)
        agree(await attempt(operation, self.real, REAL), expected)
        await self.adopt(model)

    async def foresee(self, operation: Operation) -> tuple[Any, MemoryStore]:
        """Do something to a copy of the model; gives the answer, and what the model would be afterwards."""
        changed = copy.deepcopy(self.model_store)
        expected = await attempt(operation, await changed.open(), MODEL)
        return expected, self.model_store if is_refusal(expected) else changed

    async def adopt(self, model: MemoryStore) -> None:
        """Go on with this model."""
        self.model_store = model
        self.model = await model.open()

    async def check(self) -> None:
        """Compare everything that can be seen, and remember what was given out."""
        model, real = await view_store(self.model), await view_store(self.real)
        assert real.agreed == model.agreed
        self._check_tokens(real)
        self._remember_holds(model, real)
        self._remember_locks(model, real)

    def _check_tokens(self, real: Sight) -> None:
        tokens = {job.id: job.lease_token for job in real.jobs}
        for job_id, token in tokens.items():
            assert token >= self._tokens.get(job_id, 0), f"the token of {job_id} shrank to {token}"
        self._tokens = tokens

    def _remember_holds(self, model: Sight, real: Sight) -> None:
        """Keep both leases of every job that runs, so that they can be used when they are stale."""
        known = {hold[REAL] for hold in self.holds}
        running = find_running(model)
        self.holds += [
            (running[job_id].lease, job.lease) for job_id, job in find_running(real).items() if job.lease not in known
        ]

    def _remember_locks(self, model: Sight, real: Sight) -> None:
        """Keep both sides of every named lease, for the same reason; their numbers may only grow."""
        for lock in zip(model.locks, real.locks, strict=True):
            tokens = [known[REAL].token for known in self.locks if known[REAL].name == lock[REAL].name]
            if lock[REAL].token not in tokens:
                assert lock[REAL].token > max(tokens, default=0), f"the number of {lock[REAL].name} shrank"
                self.locks.append(lock)


async def attempt(operation: Operation, backend: Backend, side: int) -> Any:
    """Do it; an error that Dibs raises is an answer too."""
    try:
        return await operation(backend, side)
    except StoreError:
        raise
    except DibsError as error:
        return type(error)


def is_refusal(answer: Any) -> bool:
    """Tell whether an attempt ended in an error."""
    return isinstance(answer, type)


def agree(found: Any, expected: Any) -> None:
    """Compare two answers."""
    assert plain(found) == plain(expected)


def plain(answer: Any) -> Any:
    """Take from an answer what must agree."""
    if isinstance(answer, Job):
        return view_job(answer)
    if isinstance(answer, NamedLease):
        return answer.name, answer.owner
    if isinstance(answer, Source):
        return answer.name
    if isinstance(answer, list | tuple):
        return [plain(one) for one in answer]
    return answer
