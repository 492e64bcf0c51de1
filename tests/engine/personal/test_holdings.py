"""What the engine and the cache hold about a person."""

import asyncio
from typing import Any

import msgspec
import pytest

import dibs
from dibs.assembly import load_holdings
from dibs.engine.admission.rules import KeyRule, TenantRule
from dibs.engine.admission.source import SourceRule
from dibs.engine.personal.acting import erase_person, export_person, find_person
from dibs.engine.personal.holding import Erased, Held
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.personal.jobs import JobsHolding
from dibs.engine.schedules.declaring import make_timing
from dibs.engine.store.moves import OperatorAct
from tests.engine.personal.slow import Slow

ADA = Inquiry("acme", ["ada@example.com"])
ACT = OperatorAct(actor="ann", reason="asked")


@pytest.fixture
async def app():
    async with dibs.Dibs("memory://") as opened:

        @opened.task("GREET", max_retries=0)
        async def greet(to: str) -> str:
            raise dibs.Permanent(f"nobody called {to}")

        yield opened


async def erase(app):
    return await erase_person(await load_holdings(app, None), ADA, ACT, await app.backend())


async def test_a_running_job_is_taken_from_its_worker_and_erased(app):
    backend = await app.backend()
    job = await app.enqueue("GREET", {"to": "ada@example.com"}, tenant="acme")
    running = await backend.claim_pending_job()
    erasure = await erase(app)
    assert (erasure.counts["jobs"], erasure.left) == (1, 0)
    assert await backend.find_job(job.id) is None
    with pytest.raises(dibs.LeaseLost):
        await backend.complete_job(running.lease, "hello ada@example.com")


async def test_others_are_served_while_jobs_are_searched(app):
    backend, inquiry = await app.backend(), Slow("acme", "ada@example.com")
    await app.enqueue("GREET", {"to": "ada@example.com"}, tenant="acme")
    erasing = asyncio.create_task(JobsHolding(backend).erase(inquiry, ACT))
    await asyncio.to_thread(inquiry.begun.wait, 10)
    await app.enqueue("GREET", {"to": "bert@example.com"}, tenant="acme")
    inquiry.may_go_on.set()
    assert (await erasing).count == 1


async def test_a_job_is_found_by_an_error_of_an_attempt_that_it_shows_no_more(app):
    backend = await app.backend()
    job = await app.enqueue("GREET", {"to": "x"}, tenant="acme")
    held = await backend.claim_pending_job()
    error = dibs.ErrorInfo(type="Boom", message="no ada@example.com")
    await backend.fail_job(dibs.Failure(lease=held.lease, error=error, kind=dibs.FailureKind.PERMANENT))
    await backend.retry_job(job.id, actor="ann", reason="again")
    assert (await erase(app)).counts["jobs"] == 1


async def test_a_schedule_that_names_the_person_is_removed_and_what_the_log_says_is_told(app):
    backend = await app.backend()
    schedule = dibs.Schedule(
        name="nightly",
        tenant="acme",
        job_type="GREET",
        timing=make_timing("0 3 * * *"),
        input={"to": "ada@example.com"},
    )
    await backend.schedules.create(schedule, actor="ann", reason="for ada@example.com")
    erasure = await erase(app)
    assert erasure.counts["schedules"] == 1
    assert await backend.schedules.list_schedules() == []
    assert any("of the audit log" in said for said in erasure.kept)


@pytest.mark.parametrize("field", ["id", "queue", "job_type", "source", "concurrency_key", "unique_key", "parent_id"])
async def test_a_job_is_found_by_what_it_is_called(app, field):
    backend = await app.backend()
    facts: dict[str, Any] = {"id": "job-1", "job_type": "GREET", field: "for ada@example.com"}
    await backend.store_job(dibs.Job(tenant="acme", **facts))
    assert (await erase(app)).counts["jobs"] == 1


@pytest.mark.parametrize("field", ["queue", "job_type", "source", "concurrency_key"])
async def test_a_schedule_is_found_by_what_its_jobs_are_called(app, field):
    backend = await app.backend()
    facts: dict[str, Any] = {"job_type": "GREET", field: "for ada@example.com"}
    schedule = dibs.Schedule(name="nightly", tenant="acme", timing=make_timing("0 3 * * *"), **facts)
    await backend.schedules.create(schedule, actor="ann", reason="new")
    assert (await erase(app)).counts["schedules"] == 1


async def test_rules_and_sources_that_name_the_person_stay_and_are_told(app):
    backend = await app.backend()
    say = {"actor": "ann", "reason": "too many"}
    await backend.admission.set_rule(KeyRule(name="ada@example.com", max_running=1), **say)
    await backend.admission.set_rule(TenantRule(name="of ada@example.com", max_running=1), **say)
    await backend.sources.declare(SourceRule(name="site of ada@example.com"), **say)
    erasure = await erase(app)
    # The second is the rule of another tenant, and nobody's business here.
    assert [said.partition(":")[0] for said in erasure.kept] == [
        "2 gates, limits or sources",
        "2 entries of the audit log",
    ]
    assert erasure.left == 4
    assert len(await backend.admission.list_rules()) == 2


async def test_the_log_says_that_somebody_was_erased_but_not_who(app):
    backend = await app.backend()
    await app.enqueue("GREET", {"to": "ada@example.com"}, tenant="acme")
    erasure = await erase(app)
    page = await backend.reader.list_audit(dibs.AuditFilter(action="PERSON_ERASED"), dibs.PageRequest())
    [entry] = page.items
    assert (entry.subject, entry.actor, entry.reason) == (f"person:{erasure.id}", "ann", "asked")
    assert not ADA.names(msgspec.to_builtins(entry))


@pytest.mark.parametrize("do", [erase_person, export_person])
async def test_a_reason_that_names_the_person_is_refused_before_anything_is_done(app, do):
    backend = await app.backend()
    await app.enqueue("GREET", {"to": "ada@example.com"}, tenant="acme")
    act = OperatorAct(actor="ann", reason="asked by ADA%40example.com")
    with pytest.raises(dibs.BadInput, match="without naming"):
        await do(await load_holdings(app, None), ADA, act, backend)
    found = await find_person(await load_holdings(app, None), ADA)
    assert (len(found["jobs"]), found["audit"]) == (1, [])


class Growing:
    """Holds one thing more each time it is erased, a few times, as a queue does that others write to."""

    name = "growing"

    def __init__(self):
        self.things = [1]
        self.comes = [2, 3]

    async def trace(self, inquiry):
        return ["key-of-ada"] if inquiry.names("ada@example.com") else ["another-key"]

    async def find(self, inquiry):
        return [Held(kind="thing", id=str(thing), data=inquiry.references) for thing in self.things]

    async def erase(self, inquiry, act):
        count, self.things = len(self.things), self.comes[:1]
        del self.comes[:1]
        return Erased(count=count)


async def test_what_comes_meanwhile_is_erased_in_another_round(app):
    growing = Growing()
    erasure = await erase_person([growing], ADA, ACT, await app.backend())
    assert (erasure.counts, erasure.left) == ({"growing": 3}, 0)


async def test_one_reference_leads_to_the_next():
    found = await find_person([Growing()], ADA)
    assert found["growing"][0].data == ("ada@example.com", "key-of-ada")


async def test_when_a_schedule_fired_is_forgotten_where_it_is_called_after_the_person(app):
    backend = await app.backend()
    by = {"tenant": "acme", "actor": "ann", "reason": "new"}
    timing = make_timing("0 3 * * *", timezone=None, anchor=None)
    for name, given in (("mail of ada@example.com", {}), ("nightly", {"to": "ada@example.com"})):
        schedule = dibs.Schedule(name=name, tenant="acme", job_type="GREET", timing=timing, input=given)
        await backend.schedules.create(schedule, actor="ann", reason="new")
        await backend.schedules.run_now(name, **by)
    assert (await erase(app)).counts["schedules"] == 2
    assert await backend.schedules.list_fires("mail of ada@example.com", tenant="acme") == []
    assert len(await backend.schedules.list_fires("nightly", tenant="acme")) == 1
