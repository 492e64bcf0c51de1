"""Reading for dashboards and operators."""

from datetime import timedelta

import pytest

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, PageRequest
from dibs.errors import JobNotFound
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, Ground, claim, failure, store, store_and_claim


async def fill(backend: Backend) -> None:
    """Store a job for every state, twelve in all, in two queues and for two tenants."""
    jobs = [
        Job(id=f"j-{n:02}", job_type="mail" if n % 3 else "crawl", queue=f"q{n % 2}", tenant=f"t{n % 2}")
        for n in range(12)
    ]
    await backend.store_jobs(jobs)
    claimed = await backend.claim_pending_jobs(6)
    await backend.complete_jobs([backend.completion(job.lease) for job in claimed[:2]])
    await backend.fail_jobs([failure(claimed[2], retry_in=MINUTE)])
    await backend.cancel_jobs([claimed[3].id, "j-11"], actor="op", reason="test")


async def read_all(backend: Backend, wanted: JobFilter, limit: int, reach: int | None = None) -> list[str]:
    """Follow the pages to the end."""
    ids: list[str] = []
    cursor: int | None = None
    while True:
        page = await backend.reader.list_jobs(wanted, PageRequest(cursor=cursor, limit=limit, reach=reach))
        assert len(page.items) <= limit
        ids += [job.id for job in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return ids


class Reading(Ground):
    """Find, list, count, history, audit."""

    async def test_jobs_are_found_by_id_in_the_order_asked(self, backend: Backend) -> None:
        await fill(backend)
        found = await backend.reader.find_jobs(["j-05", "nowhere", "j-00", "j-11"])
        assert [job.id if job else None for job in found] == ["j-05", None, "j-00", "j-11"]
        with pytest.raises(JobNotFound, match="nowhere"):
            await backend.get_job("nowhere")

    @pytest.mark.parametrize("limit", [1, 5, 12, 100])
    async def test_pages_hold_every_job_once_the_last_stored_first(self, backend: Backend, limit: int) -> None:
        await fill(backend)
        assert await read_all(backend, JobFilter(), limit) == [f"j-{n:02}" for n in reversed(range(12))]

    @pytest.mark.parametrize("reach", [1, 3, 5, 1_000])
    async def test_pages_that_look_only_so_far_hold_the_same_jobs(self, backend: Backend, reach: int) -> None:
        await fill(backend)
        for wanted in (JobFilter(), JobFilter(queue="q1"), JobFilter(states=frozenset({State.SUCCEEDED}))):
            assert await read_all(backend, wanted, 4, reach) == await read_all(backend, wanted, 4)
        assert await read_all(backend, JobFilter(queue="nowhere"), 4, reach) == []

    async def test_a_page_is_not_disturbed_by_new_jobs(self, backend: Backend) -> None:
        await fill(backend)
        first = await backend.reader.list_jobs(JobFilter(), PageRequest(limit=4))
        await store(backend, "newcomer")
        second = await backend.reader.list_jobs(JobFilter(), PageRequest(cursor=first.next_cursor, limit=4))
        assert [job.id for job in second.items] == ["j-07", "j-06", "j-05", "j-04"]

    async def test_listed_jobs_are_whole(self, backend: Backend) -> None:
        await fill(backend)
        page = await backend.reader.list_jobs(JobFilter(), PageRequest(limit=100))
        assert page.items == await backend.reader.find_jobs([job.id for job in page.items])

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            (JobFilter(states=frozenset({State.SUCCEEDED})), ["j-01", "j-00"]),
            (JobFilter(states=frozenset({State.RUNNING, State.RETRYABLE})), ["j-05", "j-04", "j-02"]),
            (
                JobFilter(states=frozenset({State.CANCELLED, State.PENDING}), queue="q1"),
                ["j-11", "j-09", "j-07", "j-03"],
            ),
            (JobFilter(states=frozenset()), []),
            (JobFilter(tenant="t0", job_type="crawl"), ["j-06", "j-00"]),
            (JobFilter(locked_by="worker-1", states=frozenset({State.RUNNING})), ["j-05", "j-04"]),
            (JobFilter(tenant="nobody"), []),
        ],
    )
    async def test_filters_choose_jobs(self, backend: Backend, wanted: JobFilter, expected: list[str]) -> None:
        await fill(backend)
        assert await read_all(backend, wanted, 2) == expected
        assert sum((await backend.reader.count_jobs(wanted)).values()) == len(expected)

    async def test_family_source_and_key_can_be_filtered(self, backend: Backend) -> None:
        await store(backend, "parent")
        await store(backend, "child", parent_id="parent", source="ebay", unique_key="k")
        for wanted in (JobFilter(parent_id="parent"), JobFilter(source="ebay"), JobFilter(unique_key="k")):
            assert await read_all(backend, wanted, 10) == ["child"]

    async def test_counts_name_every_state_that_is_meant(self, backend: Backend) -> None:
        assert await backend.reader.count_jobs(JobFilter()) == dict.fromkeys(State, 0)
        await fill(backend)
        assert await backend.reader.count_jobs(JobFilter(states=frozenset({State.FAILED}))) == {State.FAILED: 0}
        assert await backend.reader.count_jobs(JobFilter(states=frozenset())) == {}
        assert await backend.reader.count_jobs(JobFilter()) == {
            State.PENDING: 5,
            State.RUNNING: 2,
            State.RETRYABLE: 1,
            State.SUCCEEDED: 2,
            State.FAILED: 0,
            State.CANCELLED: 2,
        }

    async def test_unfinished_jobs_are_counted_by_queue(self, backend: Backend) -> None:
        assert await backend.reader.count_queues() == {}
        await fill(backend)
        assert await backend.reader.count_queues() == {
            "q0": {State.PENDING: 3, State.RUNNING: 1, State.RETRYABLE: 1},
            "q1": {State.PENDING: 2, State.RUNNING: 1, State.RETRYABLE: 0},
        }

    async def test_a_tenants_unfinished_jobs_are_counted_by_queue(self, backend: Backend) -> None:
        await fill(backend)
        await store(backend, "theirs", queue="q0", tenant="t1")
        own = {"q1": {State.PENDING: 2, State.RUNNING: 1, State.RETRYABLE: 0}}
        own["q0"] = {State.PENDING: 1, State.RUNNING: 0, State.RETRYABLE: 0}
        assert await backend.reader.count_queues("t1") == own
        assert await backend.reader.count_queues("nobody") == {}

    async def test_the_running_attempt_is_part_of_the_history(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        [attempt] = await backend.reader.list_attempts("job")
        assert (attempt.number, attempt.token, attempt.worker) == (1, job.lease_token, "worker-1")
        assert (attempt.started_at, attempt.ended_at, attempt.error) == (job.locked_at, None, None)
        assert await backend.reader.list_attempts("nowhere") == []

    async def test_the_audit_log_is_read_newest_first_in_pages(self, backend: Backend) -> None:
        await fill(backend)
        everything = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=100))).items
        assert len(everything) == 4
        sequences = [entry.sequence for entry in everything]
        assert sequences == sorted(sequences, reverse=True)
        first = await backend.reader.list_audit(AuditFilter(), PageRequest(limit=3))
        rest = await backend.reader.list_audit(AuditFilter(), PageRequest(cursor=first.next_cursor, limit=3))
        assert first.items + rest.items == everything
        assert rest.next_cursor is None

    async def test_the_audit_log_can_be_filtered(self, backend: Backend) -> None:
        await fill(backend)
        by_actor = await backend.reader.list_audit(AuditFilter(actor="op"), PageRequest())
        assert {entry.subject for entry in by_actor.items} == {"job:j-03", "job:j-11"}
        by_action = await backend.reader.list_audit(AuditFilter(action="JOB_SUCCEEDED", tenant="t1"), PageRequest())
        assert [entry.subject for entry in by_action.items] == ["job:j-01"]

    async def test_an_action_can_be_left_out_of_the_audit_log(self, backend: Backend) -> None:
        await fill(backend)
        wanted = AuditFilter(without="JOB_SUCCEEDED")
        everything = (await backend.reader.list_audit(AuditFilter(), PageRequest())).items
        others = [entry for entry in everything if entry.action != "JOB_SUCCEEDED"]
        assert 0 < len(others) < len(everything)
        assert (await backend.reader.list_audit(wanted, PageRequest())).items == others
        by_subject = AuditFilter(without="JOB_SUCCEEDED", subject="job:j-01")
        assert (await backend.reader.list_audit(by_subject, PageRequest())).items == []

    async def test_a_page_of_the_audit_log_looks_back_as_far_as_it_reaches(self, backend: Backend) -> None:
        await fill(backend)
        found: list[AuditEntry] = []
        cursor, pages = None, 0
        while pages == 0 or cursor is not None:
            request = PageRequest(cursor=cursor, reach=1)
            page = await backend.reader.list_audit(AuditFilter(without="JOB_SUCCEEDED"), request)
            found, cursor, pages = [*found, *page.items], page.next_cursor, pages + 1
            assert len(page.items) <= 1
        assert pages >= 4
        assert found == (await backend.reader.list_audit(AuditFilter(without="JOB_SUCCEEDED"), PageRequest())).items

    async def test_the_clock_that_decides_can_be_read(self, backend: Backend, harness: StoreHarness) -> None:
        before = await backend.reader.now()
        await harness.advance(timedelta(hours=5))
        passed = await backend.reader.now() - before
        assert timedelta(hours=5) <= passed < timedelta(hours=5, minutes=2)

    async def test_reading_does_not_move_anything(self, backend: Backend) -> None:
        await store(backend, "job")
        await backend.reader.list_jobs(JobFilter(), PageRequest())
        await backend.reader.count_jobs(JobFilter())
        assert (await claim(backend)).id == "job"
