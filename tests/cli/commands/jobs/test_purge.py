"""Forgetting finished jobs."""

import asyncio
from datetime import timedelta

import pytest

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job
from dibs.engine.store.moves import Failure
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.testing.stores.sqlite import SqliteStore


async def finish_some(backend):
    """Three jobs succeed, one fails, one stays."""
    types = ["MAIL", "MAIL", "CRAWL", "MAIL"]
    await backend.store_jobs([Job(id=f"job-{n}", job_type=kind) for n, kind in enumerate(types)])
    await backend.store_job(Job(id="acme", job_type="MAIL", tenant="acme"))
    jobs = await backend.claim_pending_jobs(4)
    await backend.complete_jobs([backend.completion(job.lease) for job in jobs[:3]])
    error = ErrorInfo(type="Boom")
    await backend.fail_jobs([Failure(lease=jobs[3].lease, error=error, kind=FailureKind.PERMANENT)])
    await backend.cancel_job("acme", actor="op", reason="test")
    await backend.store_job(Job(id="waiting", job_type="MAIL"))


@pytest.fixture
def aged(room, monkeypatch):
    """A store whose jobs finished eight days ago."""
    store = SqliteStore(room)
    monkeypatch.setenv("DIBS_URL", store.url)

    async def prepare():
        async with await store.open() as backend:
            await finish_some(backend)
        await store.advance(timedelta(days=8))

    asyncio.run(prepare())
    return store


def count(dibs) -> int:
    return sum(dibs("stats", "--json").json["states"].values())


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], 5),
        (["--state", "succeeded"], 3),
        (["--state", "failed", "--state", "cancelled"], 2),
        (["--type", "CRAWL"], 1),
        (["--tenant", "acme"], 1),
    ],
)
def test_a_dry_run_tells_how_many_and_changes_nothing(dibs, aged, arguments, found):
    done = dibs("jobs", "purge", "--older-than", "7d", "--dry-run", "--json", *arguments)
    assert done.json == {"found": found, "forgotten": 0, "dry_run": True}
    assert count(dibs) == 6


def test_young_jobs_stay(dibs, aged):
    done = dibs("jobs", "purge", "--older-than", "9d", "--yes")
    assert (done.code, done.out) == (0, "0 jobs forgotten\n")
    assert count(dibs) == 6


def test_old_jobs_are_forgotten(dibs, aged):
    done = dibs("jobs", "purge", "--older-than", "7d", "--yes")
    assert (done.code, done.out) == (0, "5 jobs forgotten\n")
    assert count(dibs) == 1


def test_the_audit_log_says_by_whom_and_why(dibs, aged, store):
    dibs("jobs", "purge", "--older-than", "7d", "--yes", "--actor", "ada")

    async def read_audit(backend):
        return (await backend.reader.list_audit(AuditFilter(action="JOBS_PURGED"), PageRequest())).items

    [entry] = store(read_audit)
    assert (entry.actor, entry.reason, entry.detail) == ("ada", "finished more than 7 d ago", {"count": 5})


def test_without_somebody_to_ask_nothing_is_forgotten(dibs, aged):
    done = dibs("jobs", "purge", "--older-than", "7d")
    assert done.code == 2
    assert "5 jobs would be forgotten, and there is nobody to ask. Add --yes." in done.err
    assert count(dibs) == 6


@pytest.mark.parametrize(("answer", "said", "left"), [("y", "5 jobs forgotten", 1), ("n", "nothing was forgotten", 6)])
def test_a_person_is_asked(terminal, dibs, aged, answer, said, left):
    asked = terminal("jobs", "purge", "--older-than", "7d")
    asked.read_until("Forget 5 jobs?")
    asked.type(f"{answer}\n")
    assert said in asked.finish()
    assert count(dibs) == left


@pytest.mark.parametrize("state", ["running", "pending"])
def test_unfinished_jobs_cannot_be_forgotten(dibs, aged, state):
    done = dibs("jobs", "purge", "--older-than", "7d", "--state", state, "--yes")
    assert done.code == 2
    assert "only finished ones" in done.err
