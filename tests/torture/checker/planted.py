"""More bugs in memory: those that need an answer to be lost."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any, cast

from msgspec.structs import replace

from dibs.backends.memory import build_parts
from dibs.backends.memory.jobs import MemoryJobs
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.moves import ClaimRequest, Completion, Failure, ReapRequest, Reclaimed, StoreRequest
from dibs.engine.store.protocols import Parts
from dibs.errors import OutcomeUnknown, StoreUnavailable
from dibs.torture.checker.notes import Invariant
from tests.testing.seeded.bugs import BUGS, CATCHERS, LEASE_BUGS, NO_BUG, WRONG_CLOCK, plant

OTHERS: dict[str, type[MemoryJobs]] = {}


def other(planted: type[MemoryJobs]) -> type[MemoryJobs]:
    OTHERS[(planted.__doc__ or "").rstrip(".")] = planted
    return planted


class Unlucky(MemoryJobs):
    """Every fifth time something breaks."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self._count = count(1)

    def is_bad_luck(self) -> bool:
        return next(self._count) % 5 == 0


@other
class HonestBreaks(Unlucky):
    """No bug, but answers are lost."""

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        moved = await super().complete(completions)
        if self.is_bad_luck():
            raise OutcomeUnknown("the answer was lost")
        return moved

    async def claim(self, request: ClaimRequest) -> list[Job]:
        jobs = await super().claim(request)
        if self.is_bad_luck():
            raise OutcomeUnknown("the answer was lost")
        return jobs

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        reclaimed = await super().reap(request)
        if self.is_bad_luck():
            raise OutcomeUnknown("the answer was lost")
        return reclaimed

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        if self.is_bad_luck():
            raise StoreUnavailable("nothing was sent")
        return await super().fail(failures)


@other
class AuditAfterwards(Unlucky):
    """The audit entry is written in a transaction of its own, after the move."""

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        moved = await super().complete(completions)
        if any(moved) and self.is_bad_luck():
            self._world.audit.pop()
            raise OutcomeUnknown("the connection broke between the two")
        return moved


@other
class CalledUndone(Unlucky):
    """A write whose answer was lost is reported as not done."""

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        moved = await super().complete(completions)
        if self.is_bad_luck():
            raise StoreUnavailable("that is not true")
        return moved


@other
class ClaimCalledUndone(Unlucky):
    """A claim whose answer was lost is reported as not done."""

    async def claim(self, request: ClaimRequest) -> list[Job]:
        jobs = await super().claim(request)
        if self.is_bad_luck():
            raise StoreUnavailable("that is not true")
        return jobs


@other
class Forgetful(Unlucky):
    """An acknowledged job is forgotten."""

    async def store(self, request: StoreRequest) -> list[Job | None]:
        stored = await super().store(request)
        self._world.forget(self._world.jobs[request.jobs[-1].id])
        return stored


@other
class ThinAir(Unlucky):
    """A job comes back under another id."""

    def _finish(self, job: Job, state: State, **facts: Any) -> None:
        super()._finish(job, state, **facts)
        self._world.add_all([replace(self._world.jobs[job.id], id=f"{job.id}-again-{next(self._count)}")])


@other
class EndlessDeaths(Unlucky):
    """A job that kills its workers is tried for ever."""

    def _reclaim_one(self, job: Job, request: ReapRequest) -> Reclaimed:
        return super()._reclaim_one(job, replace(request, max_worker_deaths=1_000))


@other
class ReapedByAge(Unlucky):
    """The reaper takes jobs by the age of their claim, whether they are renewed or not."""

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        for job in list(self._world.running.values()):
            claimed_at = job.locked_at or self._world.now
            self._world.put(replace(job, lease_expires_at=claimed_at + timedelta(seconds=5)))
        return await super().reap(request)


@other
class ReclaimWithoutGrowth(Unlucky):
    """A reclaim leaves the token as it was, in the row and in the log."""

    def _reclaim_one(self, job: Job, request: ReapRequest) -> Reclaimed:
        reclaimed = super()._reclaim_one(job, request)
        self._world.put(replace(self._world.jobs[job.id], lease_token=job.lease_token))
        self._world.audit[-1] = replace(self._world.audit[-1], token=job.lease_token)
        return reclaimed


INNOCENT = "No bug, but answers are lost"
# What a checker of histories cannot see, because no operation of the crowd is about it.
UNSEEN = {
    "A reused id begins again with token 1",
    "A worker's death uses up a retry",
    "An operator's retry ignores the unique key",
    "A unique key keeps other tenants out",
    "A batch that is refused leaves its beginning behind",
    # The log tells of the higher token all the same, and the next claim has a higher one.
    "A reclaim does not supersede the token",
    # The crowd does not live for five minutes; another one below takes them by a shorter age.
    "The reaper takes jobs by the age of their claim, alive or not",
    "Of two equal jobs the newer one goes first",
    "Pruning ignores how old a job is",
}
KNOWN = [name for name in [*BUGS, *LEASE_BUGS] if name in CATCHERS and name not in UNSEEN]
ALL_BUGS = [*KNOWN, WRONG_CLOCK, *(name for name in OTHERS if name != INNOCENT)]
INVARIANTS = list(Invariant)


def plant_any(name: str) -> Callable[[Callable[[], datetime]], Parts]:
    def make(clock: Callable[[], datetime]) -> Parts:
        if name not in OTHERS:
            return plant(name, clock)
        parts = build_parts(clock)
        return replace(parts, jobs=OTHERS[name](cast("MemoryJobs", parts.jobs)._world))

    return make


__all__ = ["ALL_BUGS", "INNOCENT", "NO_BUG", "plant_any"]
