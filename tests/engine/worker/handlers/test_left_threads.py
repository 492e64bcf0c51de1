"""Threads whose handlers do not stop when told: counted, told, and limited."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry

from dibs import State
from dibs.engine import events
from dibs.engine.app import App
from dibs.engine.events import Event
from dibs.engine.executors.threads import HandlerThread, LeftThreads
from dibs.engine.telemetry.metrics import bind_metrics
from dibs.engine.worker.health import Health
from tests.engine.worker.conftest import at_work, eventually, finish, run_all


@pytest.fixture(autouse=True)
def short_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dibs.engine.executors.threads.LINGER", 0.05)
    monkeypatch.setattr("dibs.engine.loops.claiming.HALTED_LOOK", 0.02)


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def declare(app: App, let_go: threading.Event) -> list[Event]:
    seen: list[Event] = []
    app.events.watch(seen.append)

    # A wait without an end is not interrupted from outside: the thread learns nothing before it comes back. One that
    # has not come so far when its time is over does: on a busy machine, to begin takes longer than a moment.
    @app.task("STUCK", timeout=1.0, max_retries=0)
    def stuck() -> None:
        let_go.wait()

    @app.task("PLAIN")
    def plain() -> str:
        return "plain"

    @app.task("ASYNC")
    async def in_the_loop() -> str:
        return "async"

    return seen


async def test_at_the_limit_no_more_plain_handlers_are_claimed_until_threads_come_back(
    app: App, let_go: threading.Event
) -> None:
    seen = declare(app, let_go)
    registry = CollectorRegistry()
    bind_metrics(app.events, registry)
    stuck = [await app.enqueue("STUCK") for _ in range(2)]

    async def is_halted() -> bool:
        return any(event.name == events.CLAIMING_HALTED for event in seen)

    async with at_work(app, threads=2):
        for job in stuck:
            failed = await finish(app, job)
            assert failed.error is not None
            assert failed.error.type == "TimeoutError"
        await eventually(is_halted)
        waiting = await app.enqueue("PLAIN")
        assert (await finish(app, await app.enqueue("ASYNC"))).output == "async"
        assert waiting is not None
        assert (await (await app.backend()).get_job(waiting.id)).state is State.PENDING
        let_go.set()
        assert (await finish(app, waiting)).output == "plain"
    names = [event.name for event in seen]
    assert (names.count(events.CLAIMING_HALTED), names.count(events.CLAIMING_RESUMED)) == (1, 1)
    [halted] = [event for event in seen if event.name == events.CLAIMING_HALTED]
    assert "2 threads are left behind" in halted.facts["reason"]
    assert registry.get_sample_value("dibs_threads_left_behind_total") == 2


async def test_a_worker_that_drains_leaves_although_threads_are_stuck(app: App, let_go: threading.Event) -> None:
    declare(app, let_go)
    jobs = [await app.enqueue("STUCK") for _ in range(5)]
    await run_all(app, threads=1, grace=timedelta(seconds=1))
    states = [(await (await app.backend()).get_job(job.id)).state for job in jobs if job is not None]
    assert State.FAILED in states
    assert State.PENDING in states


async def test_a_handler_that_heeds_leaves_no_thread_behind(app: App) -> None:
    seen: list[Event] = []
    app.events.watch(seen.append)

    @app.task("PATIENT", timeout=0.02, max_retries=0)
    def patient() -> None:
        while True:
            threading.Event().wait(0.005)

    job = await patient.enqueue()
    async with at_work(app, threads=1):
        await finish(app, job)
        again = await patient.enqueue()
        await finish(app, again)
    assert events.CLAIMING_HALTED not in [event.name for event in seen]


async def test_health_counts_them_and_turns_red_at_the_limit(let_go: threading.Event) -> None:
    left = LeftThreads(2)
    health = Health(left=left)
    threads = [HandlerThread(), HandlerThread()]

    async def count() -> int:
        return left.count()

    left.add(threads[0])
    assert await eventually(count) == 1
    assert (health.report()["status"], health.report()["threads_left_behind"]) == ("green", 1)
    left.add(threads[1])

    async def is_red() -> bool:
        return not health.is_well

    await eventually(is_red)
    assert "2 threads are left behind" in health.complaints()[0]
    for thread in threads:
        thread.leave()
    assert await eventually(lambda: _is_well(health))


async def _is_well(health: Health) -> bool:
    return health.is_well
