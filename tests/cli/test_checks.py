"""What the doctor finds in any store."""

from datetime import timedelta

import pytest

from dibs.cli.checks import Checkup
from dibs.engine.job import Job
from dibs.engine.store.checkup import Finding, Severity
from dibs.engine.store.protocols import SchemaState, WorkerCard
from dibs.errors import StoreAccessDenied
from dibs.kit.clock import utc_now
from dibs.testing.stores.memory import MemoryStore

CARD = WorkerCard(worker_id="w-1", host="h", pid=1, state="working", job_types=("MAIL",), queues=("default",))
TOPICS = ["schema", "clock", "notices", "durability", "lapsed jobs", "untaken jobs", "quarantine"]


@pytest.fixture
async def memory():
    return MemoryStore()


@pytest.fixture
async def backend(memory):
    return await memory.open(worker_id="w-1")


async def examine(memory, clock=utc_now) -> dict[str, Finding]:
    findings = await Checkup(await memory.open(), await memory.open(), clock).examine()
    return {finding.topic: finding for finding in findings}


async def test_an_empty_store_is_well_but_for_its_durability(memory):
    found = await examine(memory)
    assert list(found) == TOPICS
    assert {one.topic for one in found.values() if one.severity is not Severity.OK} == {"durability"}
    assert all(one.advice for one in found.values() if one.severity is not Severity.OK)


async def test_a_schema_that_does_not_fit_ends_the_look(memory, backend, monkeypatch):
    async def old_state(_: object) -> SchemaState:
        return SchemaState(found=1, wanted=2, oldest_code=1)

    monkeypatch.setattr(type(backend.schema), "state", old_state)
    found = await examine(memory)
    assert list(found) == ["schema"]
    assert found["schema"].severity is Severity.PROBLEM
    assert found["schema"].advice.startswith("Run dibs db migrate")


@pytest.mark.parametrize(("off", "side"), [(timedelta(seconds=90), "ahead of"), (timedelta(seconds=-90), "behind")])
async def test_a_clock_that_is_off_is_told(memory, off, side):
    found = await examine(memory, clock=lambda: utc_now() + off)
    assert found["clock"].severity is Severity.WARNING
    assert f"1 min 30 s {side} the store's" in found["clock"].message or "1 min 29 s" in found["clock"].message
    assert "NTP" in found["clock"].advice


async def test_a_slow_answer_is_no_wrong_clock(memory):
    ticks = iter([utc_now(), utc_now() + timedelta(seconds=8)])
    found = await examine(memory, clock=lambda: next(ticks))
    assert found["clock"].severity is Severity.OK


async def test_notices_that_do_not_arrive_are_told_with_the_reason(memory, monkeypatch):
    async def silence(*_: object) -> None:
        return None

    second = await memory.open()
    monkeypatch.setattr(second, "notices", type("Mute", (), {"wake": silence})())
    monkeypatch.setattr("dibs.cli.checks.LONGEST_NOTICE", timedelta(milliseconds=1))
    [found] = await Checkup(await memory.open(), second).check_notices()
    assert found.severity is Severity.WARNING
    assert "transaction pooler" in found.advice


async def test_running_jobs_that_nobody_takes_back_are_a_problem(memory, backend):
    await backend.store_jobs([Job(id=f"job-{n}", job_type="MAIL") for n in range(5)])
    await backend.claim_pending_jobs(5)
    await memory.advance(timedelta(seconds=400))
    assert (await examine(memory))["lapsed jobs"].severity is Severity.OK
    await memory.advance(timedelta(seconds=30))
    found = (await examine(memory))["lapsed jobs"]
    assert found.severity is Severity.PROBLEM
    assert "5 running jobs" in found.message
    assert "job-4, job-3, job-2 and 2 more" in found.message


@pytest.mark.parametrize(
    ("card", "is_taken"),
    [
        (CARD, True),
        (None, False),
        (WorkerCard(worker_id="w", host="h", pid=1, state="draining", job_types=("MAIL",)), False),
        (WorkerCard(worker_id="w", host="h", pid=1, state="working", job_types=("OTHER",)), False),
        (WorkerCard(worker_id="w", host="h", pid=1, state="working", job_types=("MAIL",), queues=("q",)), False),
        (WorkerCard(worker_id="w", host="h", pid=1, state="working", job_types=("MAIL",), tenant="acme"), False),
        (WorkerCard(worker_id="w", host="h", pid=1, state="working", job_types=("MAIL",), tenant="default"), True),
    ],
)
async def test_due_jobs_that_no_live_worker_takes_are_a_problem(memory, backend, card, is_taken):
    await backend.store_job(Job(job_type="MAIL"))
    await backend.store_job(Job(job_type="LATER"), delay=timedelta(days=1))
    await memory.advance(timedelta(minutes=2))
    if card is not None:
        await backend.workers.announce(card, timedelta(minutes=1))
    found = (await examine(memory))["untaken jobs"]
    assert (found.severity is Severity.OK) == is_taken
    if not is_taken:
        assert "1 MAIL in queue default for tenant default" in found.message


async def test_a_job_that_has_just_become_due_is_no_problem_yet(memory, backend):
    await backend.store_job(Job(job_type="MAIL"))
    assert (await examine(memory))["untaken jobs"].severity is Severity.OK


async def test_jobs_quarantined_lately_are_told(memory):
    backend = await memory.open(max_worker_deaths=1)
    await backend.store_job(Job(id="poison", job_type="MAIL"))
    await backend.claim_pending_job()
    await memory.advance(timedelta(minutes=6))
    await backend.reap_jobs()
    found = (await examine(memory))["quarantine"]
    assert found.severity is Severity.WARNING
    assert "1 job quarantined" in found.message
    assert "poison" in found.message
    await memory.advance(timedelta(days=2))
    assert (await examine(memory))["quarantine"].severity is Severity.OK


async def test_what_may_not_be_looked_at_becomes_a_warning(memory, backend, monkeypatch):
    async def refuse(*_: object) -> None:
        raise StoreAccessDenied("not for you")

    monkeypatch.setattr(type(backend.reader), "list_audit", refuse)
    found = (await examine(memory))["quarantine"]
    assert found.severity is Severity.WARNING
    assert "not for you" in found.message
