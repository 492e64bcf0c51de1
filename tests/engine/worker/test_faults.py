"""Worker processes that die, freeze, or lose their store: on SQLite, PostgreSQL and Redis."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import dibs
from dibs import AuditFilter, Backend, Job, JobFilter, PageRequest, State
from dibs.engine.job import AttemptOutcome
from dibs.testing.servers import PostgresServer, ValkeyServer
from tests.engine.worker.crew import Crew

Server = PostgresServer | ValkeyServer


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'jobs.db'}"
    name = f"t{uuid4().hex[:12]}"
    if request.param == "postgres":
        return f"{request.getfixturevalue('postgres_url')}?schema={name}"
    return f"{request.getfixturevalue('redis_url')}?namespace={name}"


@pytest.fixture
async def backend(url: str) -> AsyncIterator[Backend]:
    async with await dibs.open_backend(url) as backend:
        yield backend


@pytest.fixture
def crew(url: str, tmp_path: Path) -> Iterator[Crew]:
    with Crew(url, tmp_path) as crew:
        yield crew


async def until(look: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not await look():
            await asyncio.sleep(0.02)


async def finish(backend: Backend, job_id: str) -> Job:
    async def is_final() -> bool:
        return (await backend.get_job(job_id)).is_final

    await until(is_final)
    return await backend.get_job(job_id)


async def test_two_workers_share_twenty_jobs_and_run_each_once(backend: Backend, crew: Crew) -> None:
    """The manual test of the worker audit."""
    await backend.store_jobs([Job(id=f"job-{n}", job_type="COUNT", input={"n": n}) for n in range(20)])
    crew.start("worker-1")
    crew.start("worker-2")

    async def is_done() -> bool:
        return (await backend.reader.count_jobs(JobFilter()))[State.SUCCEEDED] == 20

    await until(is_done)
    ran = Counter(note.split()[1] for note in crew.notes() if note.startswith("ran"))
    assert ran == Counter(f"job-{n}" for n in range(20))
    jobs = (await backend.reader.list_jobs(JobFilter(), PageRequest())).items
    assert {job.locked_by for job in jobs} <= {"worker-1", "worker-2"}


async def test_the_job_of_a_killed_worker_is_finished_by_another(backend: Backend, crew: Crew) -> None:
    """The dead-worker test of the worker audit."""
    await backend.store_job(Job(id="job", job_type="HOLD"))
    crew.start("worker-1")
    await crew.until("in job 1")
    crew.send("worker-1", signal.SIGKILL)
    await crew.ended("worker-1")
    crew.start("worker-2")
    job = await finish(backend, "job")
    assert (job.state, job.output, job.locked_by) == (State.SUCCEEDED, "second", "worker-2")
    assert (job.attempts, job.worker_deaths) == (1, 1)
    [entry] = (await backend.reader.list_audit(AuditFilter(action="JOB_RECLAIMED"), PageRequest())).items
    assert entry.detail == {"locked_by": "worker-1"}
    outcomes = [attempt.outcome for attempt in await backend.reader.list_attempts("job")]
    assert outcomes == [AttemptOutcome.LOST, AttemptOutcome.SUCCEEDED]


async def wait_again(backend: Backend) -> None:
    """The job was taken back and waits."""


async def run_elsewhere(backend: Backend) -> None:
    """The job was taken back, and another worker runs it."""
    assert await backend.claim_pending_job(worker="other")


async def be_done(backend: Backend) -> None:
    """The job was taken back, and another worker has finished it."""
    job = await backend.claim_pending_job(worker="other")
    assert job is not None
    await backend.complete_job(job.lease, "by the other")


@pytest.mark.parametrize("meanwhile", [wait_again, run_elsewhere, be_done], ids=lambda one: one.__name__)
async def test_every_late_write_of_a_frozen_worker_is_refused(
    backend: Backend, crew: Crew, meanwhile: Callable[[Backend], Awaitable[None]]
) -> None:
    await backend.store_job(Job(id="taken", job_type="HOLD"))
    # No sweep of its own may hide what the fence does: only this test takes jobs back.
    crew.start("frozen")
    await crew.until("in taken 1")
    await backend.store_job(Job(id="kept", job_type="HOLD"))
    await crew.until("in kept 1")
    crew.send("frozen", signal.SIGSTOP)

    async def take_back() -> bool:
        return any(one.lease.job_id == "taken" for one in await backend.reap_jobs(1))

    await until(take_back)
    await backend.cancel_job("taken", actor="test", reason="hold it still") if meanwhile is wait_again else None
    await meanwhile(backend)
    before = await backend.get_job("taken")
    crew.send("frozen", signal.SIGCONT)
    await crew.until("stopped taken")
    crew.go_on()
    kept = await finish(backend, "kept")
    assert kept.state is State.SUCCEEDED
    assert await backend.get_job("taken") == before
    assert "out taken" not in crew.notes()


async def test_a_blocked_event_loop_does_not_lose_its_lease(backend: Backend, crew: Crew) -> None:
    await backend.store_job(Job(id="job", job_type="BLOCK", input={"seconds": 3}))
    crew.start("worker-1")
    await crew.until("in job 1")
    crew.start("worker-2")
    job = await finish(backend, "job")
    assert (job.output, job.attempts, job.locked_by) == ("done", 0, "worker-1")


async def test_a_worker_that_is_told_to_leave_finishes_what_it_has(backend: Backend, crew: Crew) -> None:
    await backend.store_job(Job(id="job", job_type="HOLD"))
    crew.start("worker-1")
    await crew.until("in job 1")
    crew.send("worker-1", signal.SIGTERM)
    await backend.store_job(Job(id="new", job_type="HOLD"))
    crew.go_on()
    assert await crew.ended("worker-1") == 0
    assert (await backend.get_job("job")).output == "first"
    assert (await backend.get_job("new")).state is State.PENDING


async def test_what_is_not_finished_within_the_grace_time_is_handed_back(backend: Backend, crew: Crew) -> None:
    await backend.store_job(Job(id="job", job_type="HOLD"))
    crew.start("worker-1", GRACE="0.2")
    await crew.until("in job 1")
    crew.send("worker-1", signal.SIGTERM)
    assert await crew.ended("worker-1") == 0
    job = await backend.get_job("job")
    assert (job.state, job.attempts) == (State.PENDING, 0)
    [attempt] = await backend.reader.list_attempts("job")
    assert attempt.outcome is AttemptOutcome.RELEASED


async def test_a_second_signal_is_hard(backend: Backend, crew: Crew) -> None:
    await backend.store_job(Job(id="job", job_type="HOLD"))
    crew.start("worker-1", GRACE="60")
    await crew.until("in job 1")
    crew.send("worker-1", signal.SIGTERM)
    while (code := await asyncio.wait_for(asyncio.shield(asyncio.create_task(knock(crew))), 60)) is None:
        pass
    assert code == 128 + signal.SIGTERM
    assert (await backend.get_job("job")).state is State.RUNNING


async def knock(crew: Crew) -> int | None:
    """Send the signal again, and see whether the worker has left."""
    crew.send("worker-1", signal.SIGTERM)
    await asyncio.sleep(0.05)
    return crew._workers["worker-1"].poll()


@pytest.fixture(params=["postgres", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    kind: Server = PostgresServer(durable=True) if request.param == "postgres" else ValkeyServer(persistence="always")
    with kind as server:
        yield server


async def test_a_store_that_restarts_under_load_loses_nothing_and_doubles_nothing(
    server: Server, tmp_path: Path
) -> None:
    async with await dibs.open_backend(server.url) as backend:
        await backend.store_jobs([Job(id=f"job-{n}", job_type="COUNT", input={"n": n}) for n in range(3_000)])
    with Crew(server.url, tmp_path) as crew:
        crew.start("worker-1", JOB_LOCK_TIMEOUT_SECONDS="5")
        crew.start("worker-2", JOB_LOCK_TIMEOUT_SECONDS="5")
        await crew.until("ran")
        await asyncio.to_thread(server.restart)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        async with await dibs.open_backend(server.url) as backend:

            async def is_done() -> bool:
                counts = await backend.reader.count_jobs(JobFilter())
                return counts[State.SUCCEEDED] + counts[State.FAILED] == 3_000

            await until(is_done, 60)
            assert (await backend.reader.count_jobs(JobFilter()))[State.SUCCEEDED] == 3_000
