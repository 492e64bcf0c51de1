"""Storing jobs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from dibs.backends.redis.rows import build_job, instant, pack, pack_fixed
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.job import Job
from dibs.engine.store.moves import StoreRequest
from dibs.errors import DuplicateJob
from dibs.kit.clock import span_micros, to_micros

STORED, KEPT = 1, 0


class Storing:
    """New jobs come in here."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs as pending."""
        now, answers = await self._store(request)
        if not answers:
            return [request.as_told(index, now) for index in range(len(request.jobs))]
        return [_read_answer(answer, request, index, now) for index, answer in enumerate(answers)]

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs, without building them again."""
        await self._store(request)
        return len(request.jobs)

    async def _store(self, request: StoreRequest) -> tuple[datetime, Sequence[Any]]:
        head, jobs = store_arguments(request)
        word, *facts = await self._lines.run("moves/store", [*head, *jobs])
        if word == b"duplicate":
            raise DuplicateJob.of(facts[0].decode())
        return instant(facts[0]), facts[1]


def store_arguments(request: StoreRequest) -> tuple[Sequence[Word], Sequence[Word]]:
    """Tell a script how to store, and what."""
    return _rules(request), list(_pack_jobs(request))


def _rules(request: StoreRequest) -> tuple[int, str, int, str]:
    has_keys = any(job.unique_key is not None for job in request.jobs)
    rule = request.unique
    delay = -1 if request.delay is None else span_micros(request.delay)
    window = 0 if rule.window is None else span_micros(rule.window)
    return delay, rule.hold.value if has_keys else "", window, rule.on_conflict.value


def _pack_jobs(request: StoreRequest) -> Iterator[bytes]:
    for job, encoded in zip(request.jobs, request.inputs, strict=True):
        run_at = False if job.run_at is None else to_micros(job.run_at)
        key = False if job.unique_key is None else unique_name(job.tenant, job.job_type, job.unique_key)
        if job.source is None and job.concurrency_key is None:
            yield pack((job.id, f"{job.queue}\x1f{job.job_type}", job.tenant, job.priority, run_at, key))
        else:
            yield pack((job.id, governed_lane(job), job.tenant, job.priority, run_at, key, True))
        yield pack_fixed(job)
        yield encoded


def governed_lane(job: Job) -> str:
    """Name the lane of a job that more than a gate of its queue or type may hold back."""
    names = (job.queue, job.job_type, job.tenant, job.source or "", job.concurrency_key or "")
    return "\x1f".join((*names, str(job.max_cost_microcents)))


def unique_name(tenant: str, job_type: str, unique_key: str) -> str:
    """Name a unique key in its scope."""
    return f"{tenant}\x1f{job_type}\x1f{unique_key}"


def _read_answer(answer: Any, request: StoreRequest, index: int, now: datetime) -> Job | None:
    if answer == KEPT:
        return None
    return request.as_told(index, now) if answer == STORED else build_job(answer)
