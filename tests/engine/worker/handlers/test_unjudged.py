"""Mistakes in what judges a handler, not in the handler: the job ends all the same, and nobody holds it for ever."""

import asyncio
import os
from datetime import timedelta
from typing import Any

import pytest

import dibs
from dibs.assembly import Dibs
from dibs.engine.app import App
from dibs.engine.failure import FailureKind
from dibs.errors import BadInput, StoreError
from tests.engine.worker.conftest import at_work, finish, run_all


def raise_attribute_error(_: BaseException) -> FailureKind:
    raise AttributeError("no response")


@pytest.mark.parametrize(
    "result",
    [dibs.Fail(5), dibs.Fail(None), dibs.Cancel(5)],  # type: ignore[arg-type]
    ids=["number", "nothing", "cancel"],
)
async def test_an_outcome_whose_reason_is_no_text_ends_its_job(app: App, result: Any) -> None:
    @app.task("ODD")
    async def odd() -> Any:
        return result

    job = await odd.enqueue()
    await run_all(app)
    assert (await finish(app, job)).is_final


async def test_a_policy_that_raises_fails_the_job_with_its_own_fault(app: App) -> None:
    @app.task("ODD", retry=dibs.RetryPolicy(classify=raise_attribute_error))
    async def odd() -> None:
        raise ValueError("of the handler")

    job = await odd.enqueue()
    await run_all(app)
    done = await finish(app, job)
    assert (done.state, done.error and done.error.type) == (dibs.State.FAILED, "AttributeError")


@pytest.mark.parametrize(
    "wrong",
    [
        {"base": 5},
        {"cap": 60},
        {"jitter": "x"},
        {"jitter": 5},
        {"factor": -2},
        {"base": timedelta(-1)},
        {"classify": 3},
    ],
    ids=str,
)
def test_a_policy_that_cannot_work_is_refused_where_it_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        dibs.RetryPolicy(**wrong)


async def test_a_lease_that_is_shorter_than_the_beat_is_renewed_in_time() -> None:
    settings = dibs.Settings(lease=timedelta(seconds=1))
    async with Dibs("memory://", settings=settings) as app:

        @app.task("SLOW")
        async def slow() -> str:
            await asyncio.sleep(2.5)
            return "done"

        job = await slow.enqueue()
        async with at_work(app, beat=timedelta(seconds=20), sweep=timedelta(milliseconds=100)):
            done = await finish(app, job)
    assert (done.output, done.attempts, done.worker_deaths) == ("done", 0, 0)


async def test_middleware_that_asks_the_context_of_a_plain_handler_is_told_not_to(app: App) -> None:
    @app.task("PLAIN", max_retries=0)
    def plain() -> None:
        return None

    @app.add_middleware
    async def ask(ctx: Any, call_next: Any) -> Any:
        ctx.report_progress(1)
        return await call_next()

    job = await plain.enqueue()
    await run_all(app)
    done = await finish(app, job)
    assert done.error is not None
    assert "from async code" in done.error.message


async def test_a_worker_whose_pulse_died_does_not_end_as_if_all_were_well(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    @app.task("NOTHING")
    async def nothing() -> None:
        return None

    worker = app.make_worker(grace=timedelta(seconds=1))
    running = asyncio.create_task(worker.run())
    await finish(app, await nothing.enqueue())

    async def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("dibs.engine.worker.pulse.Pulse._beat", fail, raising=False)
    monkeypatch.setattr("dibs.engine.worker.pulse.Pulse._look", fail, raising=False)
    with pytest.raises(StoreError, match="leases alive"):
        async with asyncio.timeout(60):
            await running


def fork_and_return() -> str:
    return "child" if os.fork() == 0 else "parent"


FORKING = dibs.Blueprint()
fork = FORKING.task("FORK", cpu_bound=True)(fork_and_return)


@FORKING.task("NAME", cpu_bound=True)
def give_name(name: str) -> str:
    return name


async def test_a_handler_that_forks_and_returns_in_its_copy_does_not_answer_for_others(app: App) -> None:
    app.include(FORKING)
    forked = await fork.enqueue()
    async with at_work(app, processes=1):
        assert (await finish(app, forked)).output == "parent"
        for name in ("ann", "ben", "cyd"):
            assert (await finish(app, await give_name.enqueue(name=name))).output == name


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": float("nan")},
        {"timeout": float("inf")},
        {"timeout": True},
        {"concurrency_key": 5},
        {"unique": "x"},
        {"keep": 5},
        {"retry": None},
    ],
    ids=str,
)
def test_a_setting_that_cannot_work_is_refused_where_the_task_is_declared(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        dibs.Blueprint().task("ODD", **wrong)(lambda: None)


@pytest.mark.parametrize(
    "wrong",
    [
        {"concurrency": 0},
        {"threads": -1},
        {"concurrency": "5"},
        {"queues": ()},
        {"job_types": "NOTHING"},
        {"job_types": ("NOPE",)},
        {"beat": timedelta(0)},
        {"speed": 9},
    ],
    ids=str,
)
def test_a_worker_that_would_never_work_is_refused(app: App, wrong: dict[str, Any]) -> None:
    @app.task("NOTHING")
    async def nothing() -> None:
        return None

    with pytest.raises(BadInput):
        app.make_worker(**wrong)


async def test_an_empty_id_is_refused_and_not_taken_for_none(app: App) -> None:
    with pytest.raises(BadInput, match="id ''"):
        await app.enqueue("ANY", {}, id="")
