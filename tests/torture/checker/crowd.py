"""A crowd on a store in memory: workers, a reaper, operators and latecomers, all at random, all written down.

Time moves only when the crowd says so, so that a second of the crowd costs nothing and a seed always does the same.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import dibs
from dibs.engine.job import Lease
from dibs.engine.states import FINAL
from dibs.engine.store.protocols import Parts
from dibs.engine.store.reading import JobFilter
from dibs.errors import DibsError
from dibs.torture.checker.cases import Account
from dibs.torture.history.reading import History, collect_history
from dibs.torture.history.recording import record_backend
from dibs.torture.history.records import Effected, Record
from dibs.torture.stage.accounts import collect_accounts

LEASE = timedelta(seconds=5)
ACT = {"actor": "op", "reason": "at random"}
ERROR = dibs.ErrorInfo(type="Boom", message="at random")
START = datetime(2026, 1, 1, tzinfo=UTC)


class Pages:
    """A diary in memory."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, Record]] = []

    def write(self, record: Record) -> None:
        self.lines.append(("crowd", record))


class Clock:
    """The store's time, and the machine's, which never stands still between two lines."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self._ticks = 0

    def now(self) -> datetime:
        return START + self.ahead

    def monotonic(self) -> float:
        self._ticks += 1
        return self.ahead.total_seconds() + self._ticks * 1e-6


class Crowd:
    """Does everything at random until it is told to let things end."""

    def __init__(self, make_parts: Callable[[Callable[[], datetime]], Parts], seed: int) -> None:
        self.clock, self.pages = Clock(), Pages()
        self._chance = random.Random(seed)
        self._backend = dibs.Backend(make_parts(self.clock.now), dibs.Settings(lease=LEASE))
        record_backend(self._backend, self.pages, self.clock.monotonic)
        self._leases: list[Lease] = []
        self._locks: list[Any] = []

    async def run(self, rounds: int) -> tuple[History, dict[str, Account]]:
        await self._backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="COUNT") for number in range(8)])
        await asyncio.gather(*(self._live(f"w{number}", rounds) for number in range(5)))
        await self._drain()
        return collect_history(self.pages.lines), await collect_accounts(self._backend)

    async def _live(self, name: str, rounds: int) -> None:
        for _ in range(rounds):
            act = self._chance.choice(self._acts())
            with suppress(DibsError):
                await act(name)
            await self._stumble()

    def _acts(self) -> list[Callable[[str], Awaitable[None]]]:
        return [self._work, self._work, self._work, self._come_late, self._reap, self._operate, self._lock, self._wait]

    async def _stumble(self) -> None:
        for _ in range(self._chance.randint(0, 3)):
            await asyncio.sleep(0)

    async def _wait(self, _: str) -> None:
        self.clock.ahead += timedelta(seconds=self._chance.random() * 3)

    async def _work(self, name: str) -> None:
        for job in await self._backend.claim_pending_jobs(self._chance.randint(1, 2), worker=name):
            self.pages.write(Effected(job=job.id, token=job.lease_token, at=self.clock.monotonic()))
            self._leases.append(job.lease)
            await self._stumble()
            if self._chance.random() < 0.5:
                await self._write(job.lease)

    async def _come_late(self, _: str) -> None:
        if self._leases:
            await self._write(self._chance.choice(self._leases))

    async def _write(self, lease: Lease) -> None:
        backend = self._backend
        way = self._chance.randint(0, 6)
        if way <= 1:
            await backend.complete_jobs([backend.completion(lease)])
        elif way == 2:
            await backend.fail_jobs([dibs.Failure(lease=lease, error=ERROR, retry_in=timedelta(seconds=1))])
        elif way == 3:
            await backend.snooze_job(lease, timedelta(seconds=2))
        elif way == 4:
            await backend.report_progress(lease, 1)
        else:
            await backend.heartbeat_jobs([lease])

    async def _reap(self, _: str) -> None:
        await self._backend.reap_jobs()

    async def _operate(self, _: str) -> None:
        job_id = f"job-{self._chance.randint(0, 7)}"
        if self._chance.random() < 0.4:
            await self._backend.cancel_jobs([job_id], **ACT)
        else:
            await self._backend.retry_jobs([job_id], **ACT)

    async def _lock(self, name: str) -> None:
        if self._locks and self._chance.random() < 0.5:
            await self._backend.leases.release(self._chance.choice(self._locks))
            return
        lease = await self._backend.leases.acquire("lock", name, LEASE)
        if lease is not None:
            self._locks.append(lease)

    async def _finish(self, name: str) -> None:
        for job in await self._backend.claim_pending_jobs(10, worker=name):
            self.pages.write(Effected(job=job.id, token=job.lease_token, at=self.clock.monotonic()))
            with suppress(DibsError):
                await self._backend.complete_jobs([self._backend.completion(job.lease)])

    async def _drain(self) -> None:
        for _ in range(200):
            counts = await self._backend.reader.count_jobs(JobFilter())
            if not sum(count for state, count in counts.items() if state not in FINAL):
                return
            self.clock.ahead += timedelta(seconds=10)
            for act in (self._reap, self._finish):
                with suppress(DibsError):
                    await act("last")
