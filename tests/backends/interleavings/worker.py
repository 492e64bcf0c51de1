"""A worker that does everything at random and writes down what it did: `python -m … url folder name seed`.

Some jobs are never ended, so that their leases lapse; sometimes the whole process dies without a word.
"""

import asyncio
import os
import random
import sys
import time
from datetime import timedelta
from pathlib import Path

import msgspec

import dibs
from dibs.errors import DibsError
from tests.backends.interleavings.operators import RandomOperator
from tests.backends.interleavings.records import Broke, Charged, Granted, Hold, Let, Record, Taken

LEASE = timedelta(seconds=1)
ERROR = dibs.ErrorInfo(type="Boom", message="at random")


class Diary:
    """Lines in a file, each written through before anything else happens."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, record: Record) -> None:
        os.write(self._file, msgspec.json.encode(record) + b"\n")


class RandomWorker:
    """Claims, fetches, reports and ends at random."""

    def __init__(self, backend: dibs.Backend, diary: Diary, name: str, chance: random.Random) -> None:
        self._backend = backend
        self._diary = diary
        self._name = name
        self._chance = chance
        self._operator = RandomOperator(backend, chance)

    async def run(self, until: float, *, may_die: bool) -> None:
        while time.time() < until:
            try:
                await self._go_round()
            except DibsError:
                await asyncio.sleep(0.01)
            if may_die and self._chance.random() < 0.004:
                os._exit(1)

    async def _go_round(self) -> None:
        asked_at = time.time()
        jobs = await self._backend.claim_pending_jobs(self._chance.randint(1, 4), worker=self._name, lease=LEASE)
        at = time.time()
        for job in jobs:
            self._note_claim(job, asked_at, at)
        for job in jobs:
            await self._work(job)
        if self._chance.random() < 0.2:
            await self._backend.reap_jobs()
        if self._chance.random() < 0.1:
            await self._operator.act()
        if not jobs:
            await asyncio.sleep(self._chance.random() * 0.02)

    def _note_claim(self, job: dibs.Job, asked_at: float, at: float) -> None:
        hold = Hold(
            job_id=job.id,
            token=job.lease_token,
            at=at,
            lapses_at=asked_at + LEASE.total_seconds(),
            tenant=job.tenant,
            key=job.concurrency_key,
            source=job.source,
            max_cost=job.max_cost_microcents,
        )
        self._diary.write(hold)
        if job.source is not None:
            self._diary.write(Taken(source=job.source, asked_at=asked_at, at=at))

    async def _work(self, job: dibs.Job) -> None:
        if job.source is not None:
            await self._fetch(job, job.source)
        await asyncio.sleep(self._chance.random() * 0.01)
        self._diary.write(Let(job_id=job.id, token=job.lease_token, at=time.time()))
        if self._chance.random() > 0.05:
            await self._end(job)

    async def _fetch(self, job: dibs.Job, source: str) -> None:
        asked_at = time.time()
        permit = await self._backend.sources.take_permit(source, job.lease)
        if not permit.granted:
            return
        self._diary.write(Granted(source=source, asked_at=asked_at, at=time.time()))
        is_well = self._chance.random() < 0.7
        verdict = dibs.FetchVerdict.OK if is_well else dibs.FetchVerdict.PROVIDER_FAULT
        report = dibs.FetchReport(source=source, verdict=verdict, token=job.lease_token)
        found = await self._backend.sources.report(report)
        if found.is_broken and found.paused_until is not None:
            self._diary.write(Broke(source=source, at=time.time(), until=found.paused_until.timestamp()))

    async def _end(self, job: dibs.Job) -> None:
        # What was reserved is never exceeded: then neither may the budget be.
        cost = self._chance.randint(0, job.max_cost_microcents)
        way = self._chance.choice(["complete", "complete", "complete", "fail", "snooze"])
        if way == "complete":
            done = msgspec.structs.replace(self._backend.completion(job.lease), cost_microcents=cost)
            moved = (await self._backend.complete_jobs([done]))[0]
        elif way == "fail":
            failure = dibs.Failure(lease=job.lease, error=ERROR, cost_microcents=cost)
            moved = (await self._backend.fail_jobs([failure]))[0] is not None
        else:
            cost, moved = 0, (await self._backend.release_jobs([job.lease]))[0]
        if moved and cost:
            self._diary.write(Charged(tenant=job.tenant, cost=cost, at=time.time()))


async def main(url: str, folder: str, name: str, seed: str) -> None:
    chance = random.Random(seed)
    diary = Diary(Path(folder) / f"{name}.log")
    async with await dibs.open_backend(url, migrate=False) as backend:
        until = time.time() + 60.0
        workers = [RandomWorker(backend, diary, f"{name}-{number}", chance) for number in range(3)]
        await asyncio.gather(*(worker.run(until, may_die=True) for worker in workers))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:5]))
