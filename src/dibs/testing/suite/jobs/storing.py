"""Promise 1: an acknowledged job is there, whole."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter
from dibs.errors import DuplicateJob
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, SECOND, Ground, claim_ids, store, store_and_claim

TRICKY_INPUT = {
    "text": "naïve 日本 🙂 \\ \" ' \u0000 \u2028 </script>",
    "numbers": [0, -1, 2**63 - 1, -(2**63), 2**70, 1.5, 1e-300, 1e300],
    "nested": {"list": [[], [{}], [None, True, False]], "": "empty key"},
}


class Storing(Ground):
    """What storing a job means."""

    async def test_a_stored_job_reads_back_as_it_was_given(self, backend: Backend) -> None:
        given = Job(
            id="whole", job_type="mail", tenant="acme", queue="slow", priority=-7, input=TRICKY_INPUT, max_retries=9,
            run_at=datetime(2031, 5, 6, 7, 8, 9, 123456, tzinfo=UTC), unique_key="k", concurrency_key="c",
            source="board", parent_id="parent",
        )  # fmt: skip
        stored = await backend.store_job(given)
        assert stored == await backend.get_job("whole")
        for field in ("id", "job_type", "tenant", "queue", "priority", "input", "max_retries", "run_at"):
            assert getattr(stored, field) == getattr(given, field), field
        for field in ("unique_key", "concurrency_key", "source", "parent_id"):
            assert getattr(stored, field) == getattr(given, field), field

    async def test_a_new_job_is_pending_and_untouched(self, backend: Backend) -> None:
        await store(backend, "fresh")
        job = await backend.get_job("fresh")
        assert (job.state, job.attempts, job.worker_deaths, job.cost_microcents) == (State.PENDING, 0, 0, 0)
        assert (job.output, job.error, job.progress, job.locked_by, job.lease_expires_at) == (None,) * 5
        assert (job.started_at, job.finished_at, job.locked_at, job.heartbeat_at) == (None,) * 4

    async def test_the_store_dates_a_job_by_its_own_clock(self, backend: Backend, harness: StoreHarness) -> None:
        await harness.advance(timedelta(days=3))
        before = await backend.reader.now()
        job = await store(backend, "dated")
        after = await backend.reader.now()
        assert job.created_at is not None
        assert before - SECOND <= job.created_at <= after + SECOND
        assert job.run_at == job.created_at

    async def test_what_the_caller_writes_into_the_stores_own_fields_is_ignored(self, backend: Backend) -> None:
        await backend.store_job(
            Job(id="sly", job_type="test", state=State.SUCCEEDED, attempts=5, lease_token=99, locked_by="me", output=1)
        )
        job = await backend.get_job("sly")
        assert (job.state, job.attempts, job.locked_by, job.output) == (State.PENDING, 0, None, None)

    async def test_an_input_may_be_any_json(self, backend: Backend) -> None:
        values = [None, True, 0, -3, 2.5, "", "text", [], [1, [2]], {}, {"a": {"b": None}}]
        jobs = [Job(id=f"any-{index}", job_type="test", input=value) for index, value in enumerate(values)]
        await backend.store_jobs(jobs)
        found = await backend.reader.find_jobs([job.id for job in jobs])
        assert [job.input for job in found if job] == values
        claimed = await backend.claim_pending_jobs(100)
        assert [job.input for job in claimed] == values

    async def test_an_id_can_be_stored_only_once(self, backend: Backend) -> None:
        await store(backend, "one", input={"first": True})
        with pytest.raises(DuplicateJob, match="one"):
            await store(backend, "one", input={"first": False})
        assert (await backend.get_job("one")).input == {"first": True}

    async def test_the_id_of_a_finished_job_stays_taken(self, backend: Backend) -> None:
        job = await store_and_claim(backend, "one")
        await backend.complete_job(job.lease)
        with pytest.raises(DuplicateJob):
            await store(backend, "one")
        with pytest.raises(DuplicateJob):
            await backend.copy_jobs([Job(id="one", job_type="test")])
        assert (await backend.get_job("one")).state is State.SUCCEEDED

    async def test_a_batch_is_stored_whole_or_not_at_all(self, backend: Backend) -> None:
        await store(backend, "taken")
        for many in (backend.store_jobs, backend.copy_jobs):
            with pytest.raises(DuplicateJob):
                await many([Job(id="new", job_type="test"), Job(id="taken", job_type="test")])
            assert await backend.find_job("new") is None
        assert sum((await backend.reader.count_jobs(JobFilter())).values()) == 1

    async def test_a_batch_keeps_its_order(self, backend: Backend) -> None:
        stored = await backend.store_jobs([Job(id=f"b-{number}", job_type="test") for number in (3, 1, 2)])
        assert [job.id for job in stored if job] == ["b-3", "b-1", "b-2"]
        assert await claim_ids(backend) == ["b-3", "b-1", "b-2"]

    async def test_copying_stores_like_storing(self, backend: Backend) -> None:
        given = [Job(id=f"c-{number}", job_type="test", priority=number, input={"n": number}) for number in range(5)]
        assert await backend.copy_jobs(given) == 5
        copied = await backend.get_job("c-3")
        assert (copied.state, copied.input, copied.priority) == (State.PENDING, {"n": 3}, 3)
        assert copied.created_at is not None
        assert copied.run_at == copied.created_at
        assert await claim_ids(backend) == ["c-4", "c-3", "c-2", "c-1", "c-0"]

    async def test_an_empty_batch_does_nothing(self, backend: Backend) -> None:
        assert await backend.store_jobs([]) == []
        assert await backend.copy_jobs([]) == 0
        assert await backend.complete_jobs([]) == []

    async def test_a_delayed_job_waits_for_the_stores_clock(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.store_job(Job(id="later", job_type="test"), delay=5 * MINUTE)
        await backend.copy_jobs([Job(id="copied-later", job_type="test")], delay=5 * MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(4 * MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend) == ["later", "copied-later"]

    async def test_a_job_for_a_certain_instant_waits_until_then(self, backend: Backend, harness: StoreHarness) -> None:
        due = await backend.reader.now() + timedelta(days=400)
        await store(backend, "next-year", run_at=due)
        assert await backend.claim_pending_job() is None
        await harness.advance(timedelta(days=401))
        assert await claim_ids(backend) == ["next-year"]

    async def test_a_job_for_the_past_is_due_at_once(self, backend: Backend) -> None:
        await store(backend, "overdue", run_at=datetime(1999, 1, 1, tzinfo=UTC))
        assert await claim_ids(backend) == ["overdue"]
