"""Odd callers: those who leave in the middle, come after the end, or ask for what cannot be."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Completion, Failure, OnConflict, UniqueRule, UniqueWhile
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest
from dibs.errors import BadInput, JobNotFound, StoreError
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import Ground, claim, failure, store, store_and_claim

NOWHERE = ["", "\x00", "\ud800", "a\nb", "x" * 201]
LEASE = Lease("job", 1)
Ask = Callable[[Backend], Awaitable[object]]
ODD: Any = object()

IMPOSSIBLE: dict[str, Ask] = {
    "a tenant without a name": lambda backend: backend.claim_pending_jobs(1, tenant=""),
    "one name for many types": lambda backend: backend.claim_pending_jobs(1, job_types="mail"),
    "a queue with NUL": lambda backend: backend.claim_pending_jobs(1, queues=["a\x00"]),
    "no jobs at all": lambda backend: backend.claim_pending_jobs(-1),
    "a batch without end": lambda backend: backend.heartbeat_jobs([Lease("job", n) for n in range(100_001)]),
    "a lease with a negative token": lambda backend: backend.complete_job(Lease("job", -1)),
    "a lease without a token": lambda backend: backend.complete_job(Lease("job", None)),  # type: ignore[arg-type]
    "a lease with a fraction for a token": lambda backend: backend.complete_job(Lease("job", 1.5)),  # type: ignore[arg-type]
    "a lease with a word for a token": lambda backend: backend.complete_job(Lease("job", "1")),  # type: ignore[arg-type]
    "a lease with a huge token": lambda backend: backend.heartbeat_jobs([Lease("job", 2**63)]),
    "a lease without a job": lambda backend: backend.snooze_job(Lease("\x00", 1), timedelta(0)),
    "a cost that is not a number": lambda backend: backend.complete_job(LEASE, cost_cents=math.nan),
    "a cost without end": lambda backend: backend.complete_job(LEASE, cost_cents=math.inf),
    "a negative cost": lambda backend: backend.drop_job(LEASE, "x", cost_cents=-1),
    "an output that was not checked": lambda backend: backend.complete_jobs([Completion(lease=LEASE, output=ODD)]),
    "an error that is none": lambda backend: backend.fail_job(Failure(lease=LEASE, error=ODD)),
    "a kind of failure that does not exist": lambda backend: backend.fail_job(
        Failure(lease=LEASE, error=ErrorInfo(type="E"), kind=ODD)
    ),
    "a job that is none": lambda backend: backend.store_job(ODD),
    "a page of nothing": lambda backend: backend.reader.list_jobs(JobFilter(), PageRequest(limit=0)),
    "a page without end": lambda backend: backend.reader.list_jobs(JobFilter(), PageRequest(limit=10**9)),
    "a cursor from nowhere": lambda backend: backend.reader.list_audit(AuditFilter(), PageRequest(cursor=-1)),
    "a filter by a state that does not exist": lambda backend: backend.reader.count_jobs(
        JobFilter(states=frozenset({ODD}))
    ),
    "a filter by a name that cannot be": lambda backend: backend.reader.list_jobs(
        JobFilter(queue="\x00"), PageRequest()
    ),
    "a lock without a name": lambda backend: backend.leases.acquire("", "me", timedelta(seconds=1)),
    "a lock without an owner": lambda backend: backend.leases.acquire("lock", "\x00", timedelta(seconds=1)),
    "a lock for ever": lambda backend: backend.leases.acquire("lock", "me", timedelta.max),
    "a lock for no time": lambda backend: backend.leases.acquire("lock", "me", timedelta(0)),
    "a lock for five": lambda backend: backend.leases.acquire("lock", "me", ODD),
    "a reason of nothing": lambda backend: backend.cancel_job("job", actor="op", reason=" "),
}


class Misusing(Ground):
    """What a store owes to callers who do not keep to the rules."""

    @pytest.mark.parametrize("name", IMPOSSIBLE)
    async def test_what_cannot_be_is_refused_alike_everywhere(self, backend: Backend, name: str) -> None:
        job = await store_and_claim(backend)
        with pytest.raises(BadInput):
            await IMPOSSIBLE[name](backend)
        assert await backend.get_job("job") == job

    async def test_what_cannot_be_an_id_is_not_found(self, backend: Backend) -> None:
        assert await backend.reader.find_jobs(NOWHERE) == [None] * len(NOWHERE)
        assert await backend.reader.list_attempts("\x00") == []
        with pytest.raises(JobNotFound):
            await backend.get_job("\ud800")

    async def test_an_error_is_cleaned_of_what_a_store_cannot_keep(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        odd = ErrorInfo(type="E", message="a\x00b\ud800", traceback="x" * 100_000)
        await backend.fail_job(failure(job, error=odd, retry_in=timedelta(0)))
        again = await claim(backend)
        assert again.error is not None
        assert (again.error.message[:2], len(again.error.traceback) <= 10_000) == ("a�", True)
        await backend.drop_job(again.lease, "gone\x00\ud800")
        assert (await backend.get_job("job")).state is State.CANCELLED

    async def test_words_are_taken_for_what_they_mean(self, backend: Backend) -> None:
        word: Any = "permanent"
        job = await store_and_claim(backend)
        assert await backend.fail_job(failure(job, kind=word)) is State.FAILED
        hold: Any = "pending"
        conflict: Any = "return"
        rule = UniqueRule(hold=hold, on_conflict=conflict)
        first = await backend.store_job(Job(id="first", job_type="test", unique_key="k"), unique=rule)
        second = await backend.store_job(Job(id="second", job_type="test", unique_key="k"), unique=rule)
        assert first is not None
        assert second == first
        assert (FailureKind("permanent"), UniqueWhile("pending")) == (FailureKind.PERMANENT, UniqueWhile.PENDING)
        assert OnConflict("return") is OnConflict.RETURN

    async def test_what_a_caller_does_to_a_payload_does_not_reach_the_store(self, backend: Backend) -> None:
        mine = {"list": [1]}
        stored = await store(backend, "job", input=mine)
        mine["list"].append(2)
        stored.input["list"].append(3)
        (await backend.get_job("job")).input["list"].append(4)
        job = await claim(backend)
        assert job.input == {"list": [1]}
        await backend.complete_job(job.lease, {"list": [1]})
        (await backend.get_job("job")).output["list"].append(2)
        assert (await backend.get_job("job")).output == {"list": [1]}

    async def test_jobs_of_a_claimer_who_left_in_the_middle_are_given_back(self, backend: Backend) -> None:
        await backend.store_jobs([Job(id=f"j-{n}", job_type="test") for n in range(50)])
        for turn in range(50):
            claiming = asyncio.create_task(backend.claim_pending_jobs(1))
            await asyncio.sleep(0.0002 * (turn % 5))
            claiming.cancel()
            await asyncio.gather(claiming, return_exceptions=True)
            if not claiming.cancelled():
                await backend.release_jobs([job.lease for job in claiming.result()])
        # That none is running would not do: a claim that was sent may still be on its way.
        async with asyncio.timeout(60):
            while (await backend.reader.count_jobs(JobFilter()))[State.PENDING] < 50:
                await asyncio.sleep(0.01)

    async def test_a_backend_that_was_closed_says_so(self, backend: Backend, harness: StoreHarness) -> None:
        handle = await harness.open()
        await handle.close()
        await handle.close()
        for ask in (
            handle.store_job(Job(job_type="test")),
            handle.claim_pending_job(),
            handle.find_job("job"),
            handle.leases.find("lock"),
        ):
            with pytest.raises(StoreError, match="closed"):
                await ask
        assert await backend.claim_pending_job() is None
