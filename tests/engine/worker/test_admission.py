"""A worker and the rules: gates while handlers run, costs, the pace of sources."""

import asyncio
from datetime import date, timedelta
from itertools import pairwise

from dibs import (
    AuditFilter,
    Context,
    Gate,
    GateMode,
    GateScope,
    PageRequest,
    Permanent,
    SourceRule,
    State,
    SyncContext,
    TenantRule,
    explain,
)
from dibs.engine.app import App
from dibs.engine.job import AttemptOutcome
from tests.engine.worker.conftest import at_work, eventually, finish, reach, run_all

ACT = {"actor": "op", "reason": "repairs"}


async def turn_gate(app: App, mode: GateMode, scope: GateScope = GateScope.GLOBAL, name: str = "") -> None:
    backend = await app.backend()
    await backend.admission.set_rule(Gate(scope=scope, name=name, mode=mode), **ACT)


async def test_a_closed_gate_asks_running_handlers_to_hand_back_at_no_cost(app: App) -> None:
    @app.task()
    async def sleep() -> None:
        await asyncio.sleep(60)

    job = await sleep.enqueue()
    async with at_work(app):
        await reach(app, job, State.RUNNING)
        await turn_gate(app, GateMode.CLOSED, GateScope.JOB_TYPE, "sleep")
        waiting = await reach(app, job, State.PENDING)
    assert (waiting.attempts, waiting.worker_deaths) == (0, 0)
    backend = await app.backend()
    [attempt] = await backend.reader.list_attempts(waiting.id)
    assert attempt.outcome is AttemptOutcome.RELEASED


async def test_behind_a_draining_gate_a_running_handler_finishes(app: App) -> None:
    may_end = asyncio.Event()

    @app.task()
    async def wait() -> str:
        await may_end.wait()
        return "done"

    first, second = await wait.enqueue(), await wait.enqueue()
    async with at_work(app, concurrency=1):
        await reach(app, first, State.RUNNING)
        await turn_gate(app, GateMode.DRAIN)
        may_end.set()
        assert (await finish(app, first)).output == "done"
        explanation = await explain(await app.backend(), second.id if second else "")
        # The worker's card may still say that its only slot is busy.
        assert explanation.reasons[0].code == "gate"
        assert "op: repairs" in explanation.summary
        await turn_gate(app, GateMode.OPEN)
        await finish(app, second)


async def test_a_handler_behind_another_gate_goes_on(app: App) -> None:
    may_end = asyncio.Event()

    @app.task()
    async def wait() -> None:
        await may_end.wait()

    job = await wait.enqueue()
    async with at_work(app):
        await reach(app, job, State.RUNNING)
        await turn_gate(app, GateMode.CLOSED, GateScope.QUEUE, "other")
        await asyncio.sleep(0.05)
        may_end.set()
        assert (await finish(app, job)).state is State.SUCCEEDED


async def test_what_a_handler_cost_is_charged_however_it_ends(app: App) -> None:
    @app.task("COST", max_retries=0, max_cost=5)
    async def cost(ctx, cents: float, *, fails: bool) -> None:
        ctx.add_cost(cents)
        if fails:
            raise Permanent("no")

    @app.task("COST_IN_A_THREAD")
    def cost_in_a_thread(ctx, cents: float) -> None:
        ctx.add_cost(cents)
        ctx.add_cost(cents)

    backend = await app.backend()
    await backend.admission.set_rule(TenantRule(name="default", daily_budget_microcents=100_000_000), **ACT)
    good, bad = await cost.enqueue(cents=1.25, fails=False), await cost.enqueue(cents=2, fails=True)
    threaded = await cost_in_a_thread.enqueue(cents=0.5)
    await run_all(app)
    assert [(await finish(app, job)).cost_cents for job in (good, bad, threaded)] == [1.25, 2, 1]
    standing = await backend.admission.find_standing(good.id if good else "")
    assert standing is not None
    assert (standing.spent_today_microcents, standing.reserved_microcents) == (4_250_000, 0)


async def test_jobs_of_a_paced_source_start_at_its_pace_while_others_run(app: App) -> None:
    backend = await app.backend()
    await backend.sources.declare(SourceRule(name="slow", rate_limit_per_minute=600), actor="op", reason="terms")
    started: list[float] = []

    @app.task(source="slow")
    async def fetch(ctx) -> None:
        permit = await backend.sources.take_permit("slow", ctx.job.lease)
        assert permit.granted
        started.append(asyncio.get_running_loop().time())

    jobs = [await fetch.enqueue() for _ in range(4)]
    async with at_work(app, poll=timedelta(seconds=30)):
        for job in jobs:
            await finish(app, job)
    gaps = [later - sooner for sooner, later in pairwise(started)]
    # The store's clock decides; the loop's own may be read a little later or sooner.
    assert all(gap > 0.08 for gap in gaps)


async def test_a_key_made_of_arguments_keeps_two_jobs_apart(app: App) -> None:
    running: set[int] = set()
    most = 0

    @app.task(concurrency_key="account:{account}")
    async def book(account: int, number: int) -> None:
        nonlocal most
        assert account not in running, f"two bookings of account {account} at once, the second is {number}"
        running.add(account)
        most = max(most, len(running))
        await asyncio.sleep(0.01)
        running.remove(account)

    jobs = await book.enqueue_many([{"account": n % 3, "number": n} for n in range(12)])
    async with at_work(app):
        for job in jobs:
            assert (await finish(app, job)).state is State.SUCCEEDED
    assert most > 1


async def test_a_key_takes_the_defaults_of_arguments_that_were_left_out(app: App) -> None:
    @app.task("BOOK", concurrency_key="account:{account}:{day}")
    async def book(account: int, day: date = date(2027, 1, 31)) -> None: ...

    given = await book.enqueue(account=7)
    named = await app.enqueue("BOOK", {"account": 7, "day": "2027-02-01"})
    assert [job.concurrency_key for job in (given, named) if job] == ["account:7:2027-01-31", "account:7:2027-02-01"]


async def test_why_names_everything_that_holds_a_job_back(app: App) -> None:
    backend = await app.backend()
    job = await app.enqueue("NOBODY", {}, source="ebay", tenant="acme", delay=timedelta(hours=1))
    await backend.sources.pause("ebay", actor="op", reason="they asked")
    await backend.admission.set_rule(TenantRule(name="acme", max_running=0), **ACT)
    explanation = await explain(backend, job.id if job else "")
    codes = [reason.code for reason in explanation.reasons]
    assert codes == ["not_due", "source_disabled", "tenant_cap", "no_worker"]
    assert explanation.reasons[0].until is not None


async def test_why_says_that_a_job_asks_for_more_than_a_whole_budget(app: App) -> None:
    backend = await app.backend()
    await backend.admission.set_rule(TenantRule(name="acme", daily_budget_microcents=10_000_000), **ACT)
    dear = await app.enqueue("NOBODY", {}, tenant="acme", max_cost=20)
    [reason, _] = (await explain(backend, dear.id if dear else "")).reasons
    assert (reason.code, reason.until) == ("daily_budget", None)
    assert "more than all of tenant 'acme'" in reason.sentence


async def test_why_says_of_a_job_without_a_cost_that_its_tenant_is_over_its_budget(app: App) -> None:
    @app.task("COST")
    async def cost(ctx) -> None:
        ctx.add_cost(12)

    backend = await app.backend()
    await backend.admission.set_rule(TenantRule(name="acme", daily_budget_microcents=10_000_000), **ACT)
    await cost.options(tenant="acme").enqueue()
    await run_all(app)
    waiting = await cost.options(tenant="acme").enqueue()
    reasons = (await explain(backend, waiting.id if waiting else "")).reasons
    [sentence] = [one.sentence for one in reasons if one.code == "daily_budget"]
    said = "tenant 'acme' is over its budget today, so that nothing of it starts"
    assert sentence == f"{said}: 12 cents spent and 0 reserved of 10."


async def test_why_names_the_job_that_stands_before_another(app: App) -> None:
    first, second = [await app.enqueue("NOBODY", {}, source="ebay") for _ in range(2)]
    assert first is not None
    assert second is not None
    reasons = (await explain(await app.backend(), second.id)).reasons
    assert [reason.code for reason in reasons] == ["behind", "no_worker"]
    assert first.id in reasons[0].sentence
    assert [reason.job_id for reason in reasons] == [first.id, None]


async def test_why_of_a_finished_job_says_so(app: App) -> None:
    @app.task()
    async def nothing() -> None:
        return None

    job = await nothing.enqueue()
    await run_all(app)
    assert "succeeded" in (await explain(await app.backend(), job.id if job else "")).summary


async def test_a_worker_that_cron_starts_seals_and_prunes_before_it_leaves(app: App) -> None:
    @app.task()
    async def nothing() -> None: ...

    await nothing.enqueue()
    await run_all(app)
    assert await (await app.backend()).audit.count_unsealed() == 0


async def test_a_handler_adds_entries_of_its_own(app: App) -> None:
    @app.task("MAIL")
    async def mail(ctx: Context) -> None:
        await ctx.audit("EMAIL_SENT", subject="message:7", detail={"to": "person:3"})

    @app.task("PRINT")
    def print_it(ctx: SyncContext) -> None:
        ctx.audit("LETTER_PRINTED")

    @app.task("FORGE", max_retries=0)
    async def forge(ctx: Context) -> None:
        await ctx.audit("JOB_CANCELLED")

    jobs = [await task.options(tenant="acme").enqueue() for task in (mail, print_it, forge)]
    await run_all(app)
    backend = await app.backend()
    entries = (await backend.reader.list_audit(AuditFilter(tenant="acme"), PageRequest())).items
    by_action = {entry.action: entry for entry in entries}
    assert by_action["EMAIL_SENT"].subject == "message:7"
    assert by_action["LETTER_PRINTED"].subject == f"job:{jobs[1].id if jobs[1] else ''}"
    assert by_action["LETTER_PRINTED"].actor == by_action["JOB_SUCCEEDED"].actor
    assert "JOB_CANCELLED" not in by_action


async def test_a_worker_seals_the_audit_log(app: App, monkeypatch) -> None:
    monkeypatch.setattr("dibs.engine.worker.housekeeping.SEALING_INTERVAL", timedelta(milliseconds=20))

    @app.task()
    async def nothing() -> None:
        return None

    job = await nothing.enqueue()
    backend = await app.backend()
    async with at_work(app):
        await finish(app, job)

        async def look() -> bool:
            return await backend.audit.count_unsealed() == 0

        await eventually(look)
    assert [head.tenant for head in await backend.audit.list_heads()] == ["default"]
