"""CPU-bound handlers in processes of their own."""

import asyncio

from dibs import AttemptOutcome, AuditFilter, PageRequest, State
from dibs.engine.app import App
from tests.engine.worker.conftest import finish
from tests.engine.worker.handlers.deadly import add_up, blueprint, die, spin


async def work(app: App) -> None:
    async with asyncio.timeout(60):
        await app.make_worker(until_drained=True, processes=2).run()


async def test_a_job_that_takes_its_process_down_is_quarantined_at_the_limit_and_the_others_go_on(app: App) -> None:
    app.include(blueprint)
    deadly, harmless = await die.enqueue(), await add_up.enqueue(most=1_000)
    await work(app)
    dead = await finish(app, deadly)
    assert (dead.state, dead.attempts, dead.worker_deaths) == (State.FAILED, 3, 3)
    assert dead.error is not None
    assert "SIGABRT" in dead.error.message
    backend = await app.backend()
    history = await backend.reader.list_attempts(dead.id)
    assert [attempt.outcome for attempt in history] == [AttemptOutcome.CRASHED] * 3
    audit = (await backend.reader.list_audit(AuditFilter(subject=f"job:{dead.id}"), PageRequest())).items
    assert [entry.action for entry in audit] == ["JOB_QUARANTINED"]
    assert (await finish(app, harmless)).output == 499_500


async def test_one_that_runs_past_its_time_is_killed_and_its_process_replaced(app: App) -> None:
    app.include(blueprint)
    endless, harmless = await spin.enqueue(), await add_up.enqueue(most=10)
    await work(app)
    ended = await finish(app, endless)
    assert ended.error is not None
    assert (ended.state, ended.error.type, ended.worker_deaths) == (State.FAILED, "TimeoutError", 0)
    assert (await finish(app, harmless)).output == 45
