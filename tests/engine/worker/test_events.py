"""What a worker tells those who watch."""

import asyncio
from datetime import timedelta

from prometheus_client import CollectorRegistry

from dibs import Cancel, Snooze
from dibs.engine.app import App
from dibs.engine.events import Event
from dibs.engine.telemetry.metrics import bind_metrics
from tests.engine.worker.conftest import run_all


def watch(app: App) -> list[Event]:
    seen: list[Event] = []
    app.events.watch(seen.append)
    return seen


def names(seen: list[Event]) -> list[str]:
    return [event.name for event in seen if event.name.startswith("engine.job.")]


async def test_each_ending_has_its_event(app: App) -> None:
    endings = {"result": 1, "snooze": Snooze(timedelta(hours=1)), "cancel": Cancel("not needed")}

    @app.task("END", max_retries=0)
    async def end(how: str) -> object:
        return endings[how]

    seen = watch(app)
    for how in (*endings, "error"):
        await end.enqueue(how=how)
    await run_all(app, concurrency=1)
    assert names(seen)[:4] == ["engine.job.enqueued"] * 4
    ended = {event.name: event.facts for event in seen if "seconds" in event.facts}
    assert sorted(ended) == [
        "engine.job.dropped",
        "engine.job.errored",
        "engine.job.snoozed",
        "engine.job.succeeded",
    ]
    assert (ended["engine.job.errored"]["error"], ended["engine.job.errored"]["kind"]) == ("KeyError", "transient")


async def test_a_job_that_a_leaving_worker_hands_back_is_released_not_snoozed(app: App) -> None:
    begun = asyncio.Event()

    @app.task("HANG")
    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    registry = CollectorRegistry()
    bind_metrics(app.events, registry)
    seen = watch(app)
    await hang.enqueue()
    worker = app.make_worker(grace=timedelta(0))
    running = asyncio.create_task(worker.run())
    await begun.wait()
    worker.stop()
    await running
    assert names(seen) == ["engine.job.enqueued", "engine.job.claimed", "engine.job.released"]
    labels = {"job_type": "HANG", "queue": "default", "outcome": "released"}
    assert registry.get_sample_value("dibs_jobs_ended_total", labels) == 1
