"""Completing by row number is a shortcut, and never a way around the fence."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

import dibs
from dibs.backends.sqlite.moves import completing
from dibs.backends.sqlite.moves.jobs import SqliteJobs


@pytest.fixture
async def backend(tmp_path: Path) -> AsyncIterator[dibs.Backend]:
    async with await dibs.open_backend(f"sqlite:///{tmp_path / 'jobs.db'}") as backend:
        await backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="t") for number in range(6)])
        yield backend


async def complete(backend: dibs.Backend, leases: list[dibs.Lease]) -> list[bool]:
    return await backend.complete_jobs([backend.completion(lease, "done") for lease in leases])


async def count_successes(backend: dibs.Backend) -> tuple[int, int]:
    found = await backend.reader.count_jobs(dibs.JobFilter())
    entries = await backend.reader.list_audit(dibs.AuditFilter(action="JOB_SUCCEEDED"), dibs.PageRequest())
    return found[dibs.State.SUCCEEDED], len(entries.items)


async def test_a_handle_that_claimed_nothing_completes_what_another_claimed(
    backend: dibs.Backend, tmp_path: Path
) -> None:
    leases = [job.lease for job in await backend.claim_pending_jobs(6)]
    async with await dibs.open_backend(f"sqlite:///{tmp_path / 'jobs.db'}") as other:
        assert all(await complete(other, leases))
    assert await count_successes(backend) == (6, 6)


async def test_places_that_are_not_right_any_more_cost_nothing_but_time(backend: dibs.Backend) -> None:
    leases = [job.lease for job in await backend.claim_pending_jobs(6)]
    seqs = cast("SqliteJobs", backend.jobs)._places._seqs
    first, second = leases[0].token, leases[1].token
    seqs[first], seqs[second], seqs[leases[2].token] = seqs[second], seqs[first], 999
    assert await complete(backend, leases) == [True] * 6
    assert await count_successes(backend) == (6, 6)


async def test_the_token_of_one_job_does_not_complete_another(backend: dibs.Backend) -> None:
    one, two = await backend.claim_pending_jobs(2)
    assert await complete(backend, [dibs.Lease(one.id, two.lease_token)]) == [False]
    assert await count_successes(backend) == (0, 0)
    assert await complete(backend, [one.lease, two.lease]) == [True, True]
    assert await complete(backend, [one.lease, two.lease]) == [False, False]
    assert await count_successes(backend) == (2, 2)


async def test_a_batch_with_a_lost_lease_tells_which(backend: dibs.Backend) -> None:
    leases = [job.lease for job in await backend.claim_pending_jobs(3)]
    await backend.cancel_job(leases[1].job_id, actor="op", reason="not needed")
    assert await complete(backend, leases) == [True, False, True]
    assert await count_successes(backend) == (2, 2)


async def test_places_are_forgotten_before_they_are_too_many(
    backend: dibs.Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completing, "MOST_PLACES", 1)
    claimed = [(await backend.claim_pending_jobs(1))[0].lease for _ in range(6)]
    assert len(cast("SqliteJobs", backend.jobs)._places._seqs) <= 2
    assert all(await complete(backend, claimed))
