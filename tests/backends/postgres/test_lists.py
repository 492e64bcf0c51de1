"""Pages of a large table of unfinished jobs: by windows, and the same as by sorting all of them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

import dibs
from dibs.backends.postgres import reader
from dibs.engine.states import UNFINISHED, State
from dibs.engine.store.reading import JobFilter, PageRequest

WAITING = 12_000
FILL = f"""
INSERT INTO dibs.jobs (id, tenant, queue, job_type, priority, input, max_retries, run_at, created_at, ready,
    parent_id, state)
SELECT 'waiting-' || n, 'tenant-' || (n % 3), 'default', 'T' || (n % 50), 0, '{{}}', 3, now(), now(), true,
    CASE WHEN n % 1000 = 0 THEN 'mother' END, CASE WHEN n % 4000 = 7 THEN 'retryable' ELSE 'pending' END
FROM generate_series(1, {WAITING}) AS n
"""
WAITS = frozenset({State.PENDING})
FILTERS = {
    "all": JobFilter(),
    "unfinished": JobFilter(states=UNFINISHED),
    "waiting-of-a-tenant": JobFilter(states=WAITS, tenant="tenant-1"),
    "of-a-type": JobFilter(job_type="T7"),
    "children": JobFilter(parent_id="mother"),
    "to-be-tried-again": JobFilter(states=frozenset({State.RETRYABLE})),
    "succeeded": JobFilter(states=frozenset({State.SUCCEEDED})),
    "succeeded-or-running": JobFilter(states=frozenset({State.SUCCEEDED, State.RUNNING})),
    "of-nobody": JobFilter(tenant="nobody"),
}


@pytest_asyncio.fixture
async def crowd(backend: dibs.Backend, sql: Any) -> AsyncIterator[dibs.Backend]:
    """Finished jobs, running ones, and many that wait."""
    await sql.execute("TRUNCATE dibs.jobs, dibs.finished_jobs")
    await backend.store_jobs([dibs.Job(job_type="T7", tenant="tenant-1") for _ in range(300)])
    done = await backend.claim_pending_jobs(200)
    await backend.complete_jobs([backend.completion(job.lease) for job in done[:150]])
    await sql.execute(FILL)
    await sql.execute("VACUUM ANALYZE dibs.jobs")
    yield backend
    await sql.execute("TRUNCATE dibs.jobs, dibs.finished_jobs")


async def read_all(backend: dibs.Backend, wanted: JobFilter, limit: int, reach: int | None = None) -> list[str]:
    """Follow the pages to their end."""
    ids: list[str] = []
    page = PageRequest(limit=limit, reach=reach)
    while True:
        found = await backend.reader.list_jobs(wanted, page)
        ids += [job.id for job in found.items]
        if found.next_cursor is None:
            return ids
        assert page.cursor is None or found.next_cursor < page.cursor
        page = PageRequest(limit=limit, reach=reach, cursor=found.next_cursor)


@pytest.mark.parametrize("wanted", FILTERS.values(), ids=FILTERS)
async def test_windows_give_the_same_pages_as_sorting_everything(
    crowd: dibs.Backend, wanted: JobFilter, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = await read_all(crowd, wanted, limit=1_000)
    monkeypatch.setattr(reader, "MANY_BYTES", 0)
    monkeypatch.setattr(reader, "FIRST_WINDOW", 100)
    assert await read_all(crowd, wanted, limit=1_000) == plain
    assert await read_all(crowd, wanted, limit=1_000, reach=3_000) == plain
    assert len(plain) == len(set(plain))


async def test_the_newest_of_many_are_found_without_reading_the_others(
    crowd: dibs.Backend, sql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MANY_BYTES", 0)
    # Were more looked for than the first window, this would be asked again.
    asked = []
    listing = reader.PostgresReader._list_down_to

    async def count(self: Any, floor: int | None, *rest: Any) -> Any:
        asked.append(floor)
        return await listing(self, floor, *rest)

    monkeypatch.setattr(reader.PostgresReader, "_list_down_to", count)
    found = await crowd.reader.list_jobs(JobFilter(states=WAITS), PageRequest(limit=50))
    assert [job.id for job in found.items] == [f"waiting-{n}" for n in range(WAITING, WAITING - 50, -1)]
    assert len(asked) == 1
    plan = await sql.fetchval(
        f"EXPLAIN (FORMAT JSON) SELECT * FROM dibs.jobs WHERE seq >= {asked[0]} ORDER BY seq DESC"
    )
    assert "jobs_by_seq" in str(plan)
