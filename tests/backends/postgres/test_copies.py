"""Batches that go in through COPY: the table fills in what a job would say, and nothing known goes in twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import dibs
from dibs.backends.postgres.moves.copying import fill_columns
from dibs.backends.postgres.moves.storing import FEWEST_TO_COPY
from dibs.engine.store.moves import StoreRequest
from dibs.kit.codec import NULL

PAST = datetime(2020, 1, 1, 12, tzinfo=UTC)


def plain_jobs(count: int = FEWEST_TO_COPY) -> list[dibs.Job]:
    return [dibs.Job(job_type="t") for _ in range(count)]


def odd_jobs() -> list[dibs.Job]:
    """One that differs in every way from what the table fills in, among plain ones."""
    odd = dibs.Job(
        id="odd",
        job_type="other",
        tenant="acme",
        queue="mail",
        priority=7,
        input={"n": [1, "\\N\t\n"]},
        max_retries=0,
        run_at=PAST,
        concurrency_key="key",
        source="ebay",
        parent_id="parent",
        max_cost_microcents=9,
    )
    return [*plain_jobs(), odd]


@pytest.mark.parametrize("jobs", [plain_jobs(), odd_jobs()], ids=["all plain", "one odd"])
async def test_jobs_stored_by_a_copy_are_told_as_the_store_keeps_them(
    backend: dibs.Backend, jobs: list[dibs.Job]
) -> None:
    stored = await backend.store_jobs(jobs)
    for job in (stored[0], stored[-1]):
        assert job is not None
        assert await backend.find_job(job.id) == job
        assert job.created_at is not None


async def test_a_copy_leaves_out_what_no_job_says_otherwise(backend: dibs.Backend, sql: Any) -> None:
    jobs = plain_jobs()
    request = StoreRequest(jobs=jobs, inputs=[NULL] * len(jobs))
    assert list(fill_columns(request, None)) == ["id", "job_type", "input"]
    await backend.copy_jobs(jobs)
    by_copy, by_row = jobs[0].id, (await backend.store_job(dibs.Job(job_type="t"))).id  # type: ignore[union-attr]
    own = ("id", "seq", "run_at", "created_at")
    rows = [dict(await sql.fetchrow("SELECT * FROM dibs.jobs WHERE id = $1", job_id)) for job_id in (by_copy, by_row)]
    assert len({tuple(value for name, value in row.items() if name not in own) for row in rows}) == 1


async def test_a_copy_with_the_id_of_a_finished_job_is_refused_as_a_whole(backend: dibs.Backend) -> None:
    known = await backend.store_job(dibs.Job(job_type="t"))
    assert known is not None
    await backend.cancel_job(known.id, actor="op", reason="test")
    with pytest.raises(dibs.DuplicateJob, match=known.id):
        await backend.store_jobs([*plain_jobs(), dibs.Job(id=known.id, job_type="t")])
    assert await backend.claim_pending_jobs(10) == []


async def test_a_copy_of_ids_older_than_finished_ones_goes_in(backend: dibs.Backend) -> None:
    await backend.store_job(dibs.Job(id="zzz", job_type="t"))
    await backend.cancel_job("zzz", actor="op", reason="test")
    assert await backend.copy_jobs(plain_jobs()) == FEWEST_TO_COPY


async def test_copied_jobs_of_a_source_wait_in_its_lane(backend: dibs.Backend, sql: Any) -> None:
    await backend.copy_jobs(odd_jobs())
    assert await sql.fetchval("SELECT array_agg(id) FROM dibs.jobs WHERE lane IS NOT NULL") == ["odd"]


async def test_copied_jobs_under_a_rule_wait_in_their_lanes(backend: dibs.Backend, sql: Any) -> None:
    await backend.admission.set_rule(dibs.QueueRule(name="default", fair=True), actor="op", reason="test")
    await backend.copy_jobs(plain_jobs())
    assert await sql.fetchval("SELECT count(*) FROM dibs.jobs WHERE lane IS NOT NULL") == FEWEST_TO_COPY


async def test_a_copy_with_a_delay_is_due_after_it(backend: dibs.Backend) -> None:
    stored = await backend.store_jobs(plain_jobs(), delay=timedelta(hours=1))
    assert stored[0] is not None
    assert stored[0].created_at is not None
    assert stored[0].run_at == stored[0].created_at + timedelta(hours=1)
    assert await backend.claim_pending_jobs(10) == []
