"""Storing single jobs for many callers at once: those who come while a write is under way share the next one."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context

import msgspec

from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.errors import DuplicateJob, SchemaMismatch, StoreAccessDenied, StoreUnavailable
from dibs.kit.codec import Json

MOST_AT_ONCE = 500
# What is written together is sent and copied as one piece, and all of it fails together where it takes too long.
MOST_BYTES = 4 * 1024 * 1024
# Faults that are nobody's: each alone would meet them as well.
_OF_THE_STORE = (StoreUnavailable, StoreAccessDenied, SchemaMismatch)


class Arrival(msgspec.Struct, frozen=True, eq=False):
    """A job that was checked, its input as JSON, and who waits for it."""

    job: Job
    given: Json
    answer: "asyncio.Future[Job | None]"


class Arrivals:
    """Each is answered when their own job is stored. A job that is refused is refused alone."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]]) -> None:
        self._open_backend = open_backend
        self._waiting: list[Arrival] = []
        self._storing: asyncio.Task[None] | None = None

    async def store(self, job: Job) -> Job | None:
        """Store a job, as `Backend.store_job` does with nothing said about it."""
        # Checked before it joins the others: who sends what cannot be stored is not to disturb anybody.
        given = (await self._open_backend()).check_job(job)
        answer: asyncio.Future[Job | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(Arrival(job, given, answer))
        if self._storing is None:
            # In a context of its own: it goes on for others when the request that began it has been answered.
            self._storing = asyncio.create_task(self._store_all(), context=Context())
        # Whoever leaves has stored it or not, as with any write; the others have not left.
        return await answer

    async def _store_all(self) -> None:
        taken: list[Arrival] = []
        try:
            while taken := self._take():
                await self._store_for(taken)
        finally:
            self._storing = None
            # There are any only where this was cancelled, or the opening of the store: nobody is to wait for ever.
            for one in (*taken, *self._waiting):
                one.answer.cancel()

    def _take(self) -> list[Arrival]:
        """Take the foremost that still wait, as many as fit into one write. Of one id, a second one waits."""
        waiting = [one for one in self._waiting if not one.answer.done()]
        taken: dict[str, Arrival] = {}
        size = 0
        for one in waiting[:MOST_AT_ONCE]:
            size += len(one.given)
            if taken and (size > MOST_BYTES or one.job.id in taken):
                break
            taken[one.job.id] = one
        self._waiting = waiting[len(taken) :]
        return [*taken.values()]

    async def _store_for(self, taken: list[Arrival]) -> None:
        """Store those who were taken. A fault that nobody foresaw is theirs, and not that of who comes after them."""
        try:
            await self._store_together(taken)
        except Exception as error:  # noqa: BLE001 - each driver has its own
            _tell_all(taken, error)

    async def _store_together(self, taken: list[Arrival]) -> None:
        try:
            backend = await self._open_backend()
            stored = await backend.store_checked([one.job for one in taken], [one.given for one in taken])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is theirs who came
            await self._refuse(taken, error)
            return
        for one, job in zip(taken, stored, strict=True):
            if not one.answer.done():
                one.answer.set_result(job)

    async def _refuse(self, taken: list[Arrival], error: Exception) -> None:
        """Give a fault of the store to all. Any other is the fault of some, and nothing was stored: find them.

        Not one by one: whoever is refused often would make single writes of everybody's.
        """
        if len(taken) == 1 or isinstance(error, _OF_THE_STORE):
            _tell_all(taken, error)
            return
        known = await self._find_known(taken) if isinstance(error, DuplicateJob) else set()
        others = [one for one in taken if one.job.id not in known]
        middle = len(others) if known else len(others) // 2
        for part in filter(None, (others[:middle], others[middle:])):
            await self._store_together(part)
        for one in taken:
            if one.job.id in known:
                await self._refuse([one], DuplicateJob.of(one.job.id))

    async def _find_known(self, taken: list[Arrival]) -> set[str]:
        """Name the ids that are stored already: those of all who ask again after a store was gone, say."""
        try:
            found = await (await self._open_backend()).reader.find_jobs([one.job.id for one in taken])
        except Exception:  # noqa: BLE001 - whatever it is, halves are looked at instead
            return set()
        return {job.id for job in found if job is not None}


def _tell_all(taken: list[Arrival], error: Exception) -> None:
    """Give a fault to those who have no answer yet."""
    for one in taken:
        if not one.answer.done():
            one.answer.set_exception(error)
