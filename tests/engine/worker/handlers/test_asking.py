"""Behind a closed gate a plain handler is asked to hand back. Nothing can stop its thread: its job stays with it."""

import asyncio
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from dibs import Gate, GateMode, GateScope, Job, LeaseLost, State, SyncContext
from dibs.assembly import Dibs
from dibs.engine.app import App
from dibs.engine.job import AttemptOutcome
from dibs.engine.worker.holdings import Held, StopReason
from tests.engine.worker.conftest import at_work, eventually, finish, reach

ACT = {"actor": "op", "reason": "repairs"}
PATIENCE = 60.0
NO_DESK = cast("Any", None)


class Desk:
    """What a handler in a thread and its test tell each other."""

    def __init__(self) -> None:
        self.contexts: list[SyncContext] = []
        self.may_go = threading.Event()

    def work(self, ctx: SyncContext) -> None:
        """Be at work until the test says so, deaf to everything."""
        self.contexts.append(ctx)
        assert self.may_go.wait(PATIENCE)


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def close_gate(app: App, desk: Desk) -> None:
    """Close the gate before a handler at work, and wait until the worker has asked it."""
    backend = await app.backend()
    await eventually(lambda: _has_begun(desk))
    await backend.admission.set_rule(Gate(scope=GateScope.GLOBAL, mode=GateMode.CLOSED), **ACT)
    await eventually(lambda: _was_asked(desk))


async def open_gate(app: App) -> None:
    backend = await app.backend()
    await backend.admission.set_rule(Gate(scope=GateScope.GLOBAL, mode=GateMode.OPEN), **ACT)


async def _has_begun(desk: Desk) -> bool:
    return bool(desk.contexts)


async def _was_asked(desk: Desk) -> bool:
    return desk.contexts[0]._is_asked  # to read `is_cancelled` here would count as having heard


async def find_outcomes(app: App, job_id: str) -> list[AttemptOutcome]:
    attempts = await (await app.backend()).reader.list_attempts(job_id)
    return [attempt.outcome for attempt in attempts]


async def test_a_deaf_plain_handler_keeps_its_job_and_its_completion_is_accepted(app: App, desk: Desk) -> None:
    @app.task()
    def deaf(ctx: SyncContext) -> str:
        desk.work(ctx)
        return "done"

    job = await deaf.enqueue()
    async with at_work(app):
        await close_gate(app, desk)
        await open_gate(app)
        desk.may_go.set()
        ended = await finish(app, job)
    assert (ended.state, ended.output, len(desk.contexts)) == (State.SUCCEEDED, "done", 1)
    assert await find_outcomes(app, ended.id) == [AttemptOutcome.SUCCEEDED]


async def test_while_its_thread_runs_its_job_is_nobody_elses(app: App, desk: Desk) -> None:
    @app.task()
    def deaf(ctx: SyncContext) -> None:
        desk.work(ctx)
        ctx.stop_if_cancelled()

    job = await deaf.enqueue()
    async with at_work(app):
        await close_gate(app, desk)
        assert (await reach(app, job, State.RUNNING)).attempts == 0
        desk.may_go.set()
        handed_back = await reach(app, job, State.PENDING)
    assert (handed_back.attempts, handed_back.worker_deaths, len(desk.contexts)) == (0, 0, 1)
    assert await find_outcomes(app, handed_back.id) == [AttemptOutcome.RELEASED]


@pytest.mark.parametrize("way", ["raises", "returns", "wraps", "reports"])
async def test_a_plain_handler_that_heeds_hands_its_job_back_at_no_cost(app: App, desk: Desk, way: str) -> None:
    @app.task()
    def heed(ctx: SyncContext) -> None:
        desk.work(ctx)
        if way == "raises":
            ctx.stop_if_cancelled()
        if way == "reports":
            ctx.report_progress(1)
        if ctx.is_cancelled and way == "wraps":
            raise ValueError("interrupted") from LeaseLost("asked")

    job = await heed.enqueue()
    async with at_work(app):
        await close_gate(app, desk)
        desk.may_go.set()
        handed_back = await reach(app, job, State.PENDING)
    assert handed_back.attempts == 0
    assert await find_outcomes(app, handed_back.id) == [AttemptOutcome.RELEASED]


async def test_one_that_knows_and_brings_a_result_has_completed_its_job(app: App, desk: Desk) -> None:
    @app.task()
    def nearly_done(ctx: SyncContext) -> str:
        desk.work(ctx)
        return "done all the same" if ctx.is_cancelled else "never asked"

    job = await nearly_done.enqueue()
    async with at_work(app):
        await close_gate(app, desk)
        desk.may_go.set()
        assert (await finish(app, job)).output == "done all the same"


async def test_a_fault_of_one_that_never_heard_counts_as_a_fault(app: App, desk: Desk) -> None:
    @app.task(max_retries=0)
    def faulty(ctx: SyncContext) -> None:
        desk.work(ctx)
        raise ValueError("of its own")

    job = await faulty.enqueue()
    async with at_work(app):
        await close_gate(app, desk)
        desk.may_go.set()
        assert (await finish(app, job)).state is State.FAILED


async def test_for_one_that_was_asked_whatever_stops_it_later_counts() -> None:
    job = Job(job_type="test")
    held = Held(job, lambda: None)
    held.facts = SyncContext(job, NO_DESK, asyncio.get_running_loop())
    held.ask()
    assert held.stop_reason is None
    held.stop(StopReason.TIMEOUT)
    assert held.stop_reason is StopReason.TIMEOUT


async def test_a_transaction_of_one_that_was_asked_still_commits(tmp_path: Path, desk: Desk) -> None:
    async with Dibs(f"sqlite:///{tmp_path}/store.db") as app:

        @app.task()
        def keep(ctx: SyncContext) -> None:
            desk.work(ctx)
            with ctx.transaction() as connection:
                connection.execute("CREATE TABLE kept (what TEXT)")
                ctx.output = "kept"

        job = await keep.enqueue()
        async with at_work(app):
            await close_gate(app, desk)
            desk.may_go.set()
            assert (await finish(app, job)).output == "kept"
