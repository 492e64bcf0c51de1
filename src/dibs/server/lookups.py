"""Reading single jobs for many callers at once: those who ask while a read is under way share the next one."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import islice

from dibs.engine.job import Job
from dibs.engine.store.backend import Backend

MOST_AT_ONCE = 500
Answers = dict[str, "asyncio.Future[Job | None]"]


class Lookups:
    """Nobody is given what was read before they asked: a caller sees what they have written."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]]) -> None:
        self._open_backend = open_backend
        self._waiting: Answers = {}
        self._reading: asyncio.Task[None] | None = None

    async def find(self, job_id: str) -> Job | None:
        """Read a job, or None."""
        answer = self._waiting.get(job_id)
        if answer is None:
            answer = self._waiting[job_id] = asyncio.get_running_loop().create_future()
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_all())
        # Shielded: others may wait for the same answer.
        return await asyncio.shield(answer)

    async def _read_all(self) -> None:
        try:
            while self._waiting:
                await self._read(self._take())
        finally:
            self._reading = None

    def _take(self) -> Answers:
        asked = dict(islice(self._waiting.items(), MOST_AT_ONCE))
        for job_id in asked:
            del self._waiting[job_id]
        return asked

    async def _read(self, asked: Answers) -> None:
        try:
            found = await (await self._open_backend()).reader.find_jobs(list(asked))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is theirs who asked
            for answer in asked.values():
                answer.set_exception(error)
                # Looked at, so that nobody is warned when all who asked have left.
                answer.exception()
            return
        for answer, job in zip(asked.values(), found, strict=True):
            answer.set_result(job)
