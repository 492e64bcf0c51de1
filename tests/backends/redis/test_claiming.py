"""How claims stay exact and cheap on Redis."""

import asyncio
import sys
from datetime import timedelta

import pytest

import dibs
from dibs.backends.redis.moves import claiming
from dibs.engine.store.moves import ClaimRequest
from dibs.engine.store.reading import JobFilter

HOUR = timedelta(hours=1)


def jobs_of(job_type: str, count: int, **fields):
    return [dibs.Job(id=f"{job_type}-{number}", job_type=job_type, **fields) for number in range(count)]


async def commands_of_a_claim(backend, store, **wanted) -> int:
    """Count the commands that the server runs for one claim: a measure that no noise disturbs."""
    await store.lines.ask("CONFIG", "RESETSTAT")
    jobs = await backend.claim_pending_jobs(1, **wanted)
    assert len(jobs) == 1
    stats = (await store.lines.ask("INFO", "commandstats")).decode()
    lines = [line for line in stats.splitlines() if line.startswith("cmdstat_")]
    return sum(int(line.split("calls=")[1].split(",")[0]) for line in lines)


@pytest.mark.parametrize(
    "wanted",
    [{"job_types": ["mine"]}, {"job_types": ["mine"], "queues": ["q"]}, {"queues": ["q"]}, {}],
    ids=["type", "type and queue", "queue", "any"],
)
async def test_a_claim_costs_the_same_behind_many_jobs_of_other_lanes(backend, store, wanted):
    await backend.store_jobs(jobs_of("mine", 2, queue="q", priority=-1))
    await backend.claim_pending_jobs(1, **wanted)
    alone = await commands_of_a_claim(backend, store, **wanted)
    await backend.copy_jobs(jobs_of("other", 20_000, queue="elsewhere"))
    await backend.store_jobs(jobs_of("third", 1, queue="q", priority=-2))
    await backend.store_jobs([dibs.Job(id="again", job_type="mine", queue="q")])
    assert await commands_of_a_claim(backend, store, **wanted) <= alone + 4


async def test_delayed_jobs_do_not_slow_claims_down(backend, store):
    await backend.store_jobs(jobs_of("mine", 3))
    await backend.claim_pending_jobs(1)
    alone = await commands_of_a_claim(backend, store)
    await backend.copy_jobs(jobs_of("mine-later", 20_000), delay=HOUR)
    assert await commands_of_a_claim(backend, store) <= alone


async def test_an_empty_answer_writes_nothing(backend, store):
    await backend.claim_pending_jobs(5)
    before = (await store.lines.ask("INFO", "persistence")).decode().split("rdb_changes_since_last_save:")[1].split()[0]
    await backend.claim_pending_jobs(5)
    after = (await store.lines.ask("INFO", "persistence")).decode().split("rdb_changes_since_last_save:")[1].split()[0]
    assert before == after


async def test_a_job_due_behind_thousands_of_other_due_jobs_is_found(backend, store):
    await backend.copy_jobs(jobs_of("other", 3500), delay=timedelta(minutes=1))
    await backend.store_jobs(jobs_of("mine", 1), delay=timedelta(minutes=2))
    await store.advance(timedelta(minutes=3))
    claimed = await backend.claim_pending_jobs(5, job_types=["mine"])
    assert [job.id for job in claimed] == ["mine-0"]


async def test_a_tenant_behind_thousands_of_jobs_of_another_is_found_however_slow_the_store_is(backend, monkeypatch):
    monkeypatch.setattr(claiming, "MOST_SECONDS", 0.0)
    await backend.copy_jobs(jobs_of("test", 45_000, tenant="whale"))
    await backend.store_jobs([dibs.Job(id="small", job_type="test", tenant="minnow")])
    claimed = await backend.claim_pending_jobs(5, tenant="minnow")
    assert [job.id for job in claimed] == ["small"]
    whale = await backend.claim_pending_jobs(3, tenant="whale")
    assert [job.id for job in whale] == ["test-0", "test-1", "test-2"]


async def test_the_order_is_exact_over_hundreds_of_lanes(backend):
    jobs = [
        dibs.Job(id=f"{n}", job_type=f"t{n % 37}", queue=f"q{n % 11}", priority=(n * 7919) % 5 - 2) for n in range(2000)
    ]
    await backend.copy_jobs(jobs)
    expected = [job.id for job in sorted(jobs, key=lambda job: (-job.priority, int(job.id)))]
    claimed = []
    for limit in (1, 2, 3, 50, 500, 1000, 1000):
        claimed += [job.id for job in await backend.claim_pending_jobs(limit)]
    assert claimed == expected


async def test_the_order_is_exact_over_many_named_lanes_and_a_walk_alike(backend):
    queues, job_types = [f"q{n}" for n in range(30)], [f"t{n}" for n in range(30)]
    jobs = [dibs.Job(id=f"{n}", job_type=f"t{n % 30}", queue=f"q{n % 29}") for n in range(600)]
    await backend.copy_jobs(jobs)
    few = await backend.claim_pending_jobs(50, queues=queues[:5], job_types=job_types[:20])
    fits = [job.id for job in jobs if job.queue in queues[:5] and job.job_type in job_types[:20]]
    assert [job.id for job in few] == fits[:50]
    rest = await backend.claim_pending_jobs(1000, queues=queues, job_types=job_types)
    taken = {job.id for job in few}
    assert [job.id for job in rest] == [job.id for job in jobs if job.id not in taken]


async def test_lanes_whose_first_jobs_were_cancelled_do_not_hide_the_others(backend):
    await backend.store_jobs(jobs_of("a", 3, priority=5) + jobs_of("b", 3, priority=1))
    await backend.cancel_jobs(["a-0", "a-1", "b-0"], actor="op", reason="test")
    assert [job.id for job in await backend.claim_pending_jobs(2)] == ["a-2", "b-1"]
    await backend.cancel_jobs(["b-2"], actor="op", reason="test")
    assert await backend.claim_pending_jobs(2) == []
    await backend.store_jobs([dibs.Job(id="late", job_type="a")])
    assert [job.id for job in await backend.claim_pending_jobs(2)] == ["late"]


@pytest.mark.parametrize("priority", [-1000, 1000])
async def test_the_ends_of_the_range_of_priorities_keep_their_order(backend, store, priority):
    # So many jobs were stored before: the places are still exact.
    await store.lines.ask("SET", f"{store.lines.address.tag}:seq", 2**42 - 10)
    await backend.store_jobs(jobs_of("x", 5, priority=priority))
    assert [job.id for job in await backend.claim_pending_jobs(5)] == [f"x-{n}" for n in range(5)]


async def test_ten_thousand_jobs_and_twenty_claimers_in_four_processes(backend, store):
    jobs = jobs_of("test", 10_000)
    await backend.copy_jobs(jobs)
    command = [sys.executable, "-m", "tests.backends.redis.claimer", store.url, "5"]
    pipe = asyncio.subprocess.PIPE
    processes = [await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe) for _ in range(4)]
    assert [await process.stdout.readline() for process in processes if process.stdout] == [b"ready\n"] * 4
    outputs = [out for out, _ in await asyncio.gather(*(process.communicate(b"go\n") for process in processes))]
    assert [process.returncode for process in processes] == [0] * 4
    assert all(outputs), "every process took part"
    claimed = [line for output in outputs for line in output.decode().split()]
    assert len(claimed) == 10_000
    assert set(claimed) == {job.id for job in jobs}
    assert (await backend.reader.count_jobs(JobFilter()))["succeeded"] == 10_000


async def test_a_batch_of_a_hundred_thousand_is_stored_whole_or_not_at_all(backend):
    jobs = jobs_of("big", 100_000)
    assert await backend.copy_jobs(jobs) == 100_000
    with pytest.raises(dibs.DuplicateJob):
        await backend.copy_jobs([*jobs_of("new", 50_000), jobs[-1]])
    assert sum((await backend.reader.count_jobs(JobFilter())).values()) == 100_000
    request = ClaimRequest(worker="w", limit=20_000)
    assert len(await backend.jobs.claim(request)) == 20_000
