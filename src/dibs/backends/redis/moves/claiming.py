"""Giving jobs to workers."""

import time
from collections.abc import Sequence
from itertools import product
from typing import Any

from dibs.backends.redis.rows import FIRST_TIME, PLACES_A_PRIORITY, Hold, build_claimed, instant, pack
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.job import Job, Lease
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import span_micros

FROM_THE_FRONT = "-1"
# So many lanes are looked up by name; beyond that, all lanes are walked in the order of their first jobs.
MOST_NAMED_LANES = 500
# A claim that has only put lanes aside for so long comes back empty; the next one goes on where it ended.
MOST_SECONDS = 1.0
MOST_KNOWN = 100_000


class Known:
    """What this handle knows of jobs that it claimed, by their tokens, so that the server need not read it again.

    None of it ever changes. Jobs with a unique key, or that ran before, are not kept: the server has more to do there.
    """

    def __init__(self) -> None:
        self._facts: dict[int, tuple[int, str]] = {}
        self._worker = ""

    def note(self, rows: Sequence[Any], jobs: Sequence[Job], worker: str) -> None:
        """Remember what a claim gave. Only what the last claiming worker has is known."""
        if worker != self._worker or len(self._facts) > MOST_KNOWN:
            self._facts.clear()
            self._worker = worker
        for place, row, job in zip(rows[1::3], rows[2::3], jobs, strict=True):
            if len(row) == FIRST_TIME and job.unique_key is None:
                self._facts[job.lease_token] = (place % PLACES_A_PRIORITY, job.tenant)

    def take(self, lease: Lease) -> str:
        """Tell the number and the tenant of a job as `moves/complete.lua` wants them, and forget it."""
        facts = self._facts.pop(lease.token, None)
        return "" if facts is None else f"{facts[0]:016d}{facts[1]}"

    @property
    def worker(self) -> str:
        """Who claimed what is known."""
        return self._worker


class Claiming:
    """Due jobs go out here."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._known = Known()

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker. A script looks at a bounded number, so it may have to be asked again."""
        go_on: str | None = FROM_THE_FRONT
        until = time.monotonic() + MOST_SECONDS
        while go_on is not None:
            jobs, go_on = await self._claim_from(request, go_on)
            # Who walks on gets nearer. The next claim would begin from the front again, and never get there.
            if jobs or (go_on == FROM_THE_FRONT and time.monotonic() > until):
                return jobs
        return []

    async def _claim_from(self, request: ClaimRequest, place: str) -> tuple[list[Job], str | None]:
        rows, now, token, go_on = await self._lines.run("moves/claim", claim_arguments(request, place))
        hold = Hold(request.worker, instant(now), instant(now) + request.lease)
        triples = zip(rows[::3], rows[1::3], rows[2::3], strict=True)
        jobs = [build_claimed(*triple, token + index, hold) for index, triple in enumerate(triples)]
        self._known.note(rows, jobs, request.worker)
        return jobs, None if go_on is None else go_on.decode()


def claim_arguments(request: ClaimRequest, place: str) -> list[Word]:
    """Tell a script what is asked for, and from which place to look."""
    return [
        request.worker,
        request.limit,
        span_micros(request.lease),
        pack(False if request.tenant is None else request.tenant),
        place,
        *(pack(part) for part in _wanted(request)),
    ]


def _wanted(request: ClaimRequest) -> tuple[Any, Any, Any]:
    """Name the lanes when they are few, else what must be true of them."""
    queues, job_types = request.queues, request.job_types
    if queues is not None and job_types is not None and len(queues) * len(job_types) <= MOST_NAMED_LANES:
        return [f"{queue}\x1f{job_type}" for queue, job_type in product(queues, job_types)], False, False
    return False, False if queues is None else queues, False if job_types is None else job_types
