"""What can be seen of a worker from outside: events, metrics, logs, health, its card."""

import asyncio
import json
import os
import socket
import time
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from dibs import Retryable, RetryPolicy
from dibs.engine import events
from dibs.engine.app import App
from dibs.engine.events import Event, Events
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.telemetry import metrics
from dibs.engine.telemetry.logs import bind_logs
from dibs.engine.telemetry.metrics import bind_metrics
from dibs.engine.worker.health import Health
from dibs.testing.servers.ports import find_free_port
from tests.engine.worker.conftest import at_work, eventually, run_all


def declare(app: App) -> None:
    @app.task("FLAKY", retry=RetryPolicy(base=timedelta(0)))
    async def flaky(ctx: Any) -> str:
        if ctx.attempt == 1:
            message = "secret payload"
            raise Retryable(message)
        return "fine"


async def test_events_tell_the_story_of_a_job_without_its_payload(app: App) -> None:
    declare(app)
    seen: list[Event] = []
    app.events.watch(seen.append)
    job = await app.enqueue("FLAKY", id="one")
    await run_all(app)
    assert job is not None
    story = [event.name for event in seen if event.facts.get("job_id") == "one"]
    assert story == [
        events.JOB_ENQUEUED,
        events.JOB_CLAIMED,
        events.JOB_ERRORED,
        events.JOB_CLAIMED,
        events.JOB_SUCCEEDED,
    ]
    assert seen[0].name == events.JOB_ENQUEUED
    assert (seen[1].name, seen[-1].name) == (events.WORKER_STARTED, events.WORKER_STOPPED)
    assert "secret" not in str(seen)


def test_a_watcher_that_fails_harms_nobody() -> None:
    tell = Events()
    seen: list[Event] = []

    @tell.watch
    def broken(event: Event) -> None:
        raise RuntimeError

    tell.watch(seen.append)
    with capture_logs() as logs:
        tell.emit(events.LEASE_LOST, job_id="x")
    assert [event.name for event in seen] == [events.LEASE_LOST]
    assert logs[0]["event"] == "engine.watcher.failed"


async def test_metrics_count_and_time_jobs(app: App) -> None:
    declare(app)
    registry = CollectorRegistry()
    bind_metrics(app.events, registry)
    await app.enqueue("FLAKY")
    await run_all(app)
    labels = {"job_type": "FLAKY", "queue": "default"}
    assert registry.get_sample_value("dibs_jobs_enqueued_total", labels) == 1
    assert registry.get_sample_value("dibs_jobs_claimed_total", labels) == 2
    assert registry.get_sample_value("dibs_jobs_ended_total", {**labels, "outcome": "errored"}) == 1
    assert registry.get_sample_value("dibs_jobs_ended_total", {**labels, "outcome": "succeeded"}) == 1
    assert registry.get_sample_value("dibs_job_seconds_count", labels) == 2


def test_whoever_makes_names_up_makes_no_more_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_SERIES", 3)
    tell, registry = Events(), CollectorRegistry()
    bind_metrics(tell, registry)
    for number in range(10):
        tell.emit(events.JOB_ENQUEUED, job_id="x", job_type=f"T{number}", queue="default", tenant="acme")
        tell.emit(events.JOB_SUCCEEDED, job_id="x", job_type=f"T{number}", queue="default", tenant="acme", seconds=1)
    other = {"job_type": metrics.OTHER, "queue": metrics.OTHER}
    assert registry.get_sample_value("dibs_jobs_enqueued_total", other) == 7
    assert registry.get_sample_value("dibs_jobs_ended_total", {**other, "outcome": "succeeded"}) == 7
    assert registry.get_sample_value("dibs_job_seconds_count", other) == 7
    assert registry.get_sample_value("dibs_jobs_enqueued_total", {"job_type": "T0", "queue": "default"}) == 1


async def test_logs_name_events_and_carry_facts(app: App) -> None:
    declare(app)
    bind_logs(app.events)
    with capture_logs() as logs:
        await app.enqueue("FLAKY", id="one")
        await run_all(app)
    levels = {entry["event"]: entry["log_level"] for entry in logs}
    assert levels[events.JOB_ERRORED] == "warning"
    assert levels[events.JOB_SUCCEEDED] == "debug"
    assert "secret" not in str(logs)


async def test_a_worker_shows_a_card_and_takes_it_away_when_it_leaves(app: App) -> None:
    release = asyncio.Event()

    @app.task("HOLD")
    async def hold() -> None:
        await release.wait()

    backend = await app.backend()
    job = await hold.enqueue()
    assert job is not None

    async def holding() -> Any:
        cards = await backend.workers.list_workers()
        return [card for card in cards if card.holding == (job.id,)]

    async with at_work(app, worker_id="ann", queues=("default",), beat=timedelta(milliseconds=20)):
        [card] = await eventually(holding)
        assert (card.worker_id, card.job_types, card.queues, card.state) == ("ann", ("HOLD",), ("default",), "working")
        assert (card.held, card.slots) == (1, 100)
        release.set()
    assert await backend.workers.list_workers() == []


@pytest.mark.parametrize(
    ("host", "pid", "is_told"), [("elsewhere", 1, True), (None, 1, True), (None, 2**22 + 1, False)]
)
async def test_a_live_worker_of_the_same_name_is_told(app: App, host: str | None, pid: int, is_told: bool) -> None:
    declare(app)
    seen: list[Event] = []
    app.events.watch(seen.append)
    card = WorkerCard(
        worker_id="ann", host=host or socket.gethostname(), pid=pid, state="working", job_types=(), slots=1
    )
    backend = await app.backend()
    await backend.workers.announce(card, timedelta(minutes=1))

    async def has_announced() -> bool:
        return (await backend.workers.list_workers())[0].pid == os.getpid()

    async with at_work(app, worker_id="ann"):
        await eventually(has_announced)
    told = [event.facts for event in seen if event.name == events.WORKER_ID_SHARED]
    assert told == ([{"worker": "ann", "host": card.host, "pid": pid}] if is_told else [])


def ask(port: int) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as answer:
        return answer.code, json.load(answer)


async def test_health_is_served_and_written(app: App, tmp_path: Path) -> None:
    declare(app)
    port, file = find_free_port(), tmp_path / "health.json"

    async def look() -> Any:
        try:
            return await asyncio.to_thread(ask, port)
        except OSError:
            return None

    async with at_work(app, health_port=port, health_file=file):
        status, report = await eventually(look)
        assert (status, report["status"], report["complaints"]) == (200, "green", [])
        written = await eventually(lambda: asyncio.to_thread(lambda: file.exists() and json.loads(file.read_text())))
        assert written["status"] == "green"


def test_health_turns_red_when_a_sign_of_life_is_too_old() -> None:
    now = [0.0]
    health = Health(red_after=timedelta(seconds=10), monotonic=lambda: now[0])
    assert health.is_well
    now[0] = 11.0
    health.saw_loop()
    assert health.complaints() == ["the store has not answered for 11 s"]
    health.saw_store()
    assert health.is_well
    now[0] = 30.0
    assert health.report()["status"] == "red"


async def test_a_loop_that_lags_is_named_with_the_place_that_blocks_it(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.engine.worker.watching.LAG_TO_TELL_SECONDS", 0.1)
    monkeypatch.setattr("dibs.engine.worker.watching.WATCH_SECONDS", 0.05)
    seen: list[Event] = []
    app.events.watch(seen.append)

    @app.task("BLOCK")
    async def block_the_loop() -> None:
        time.sleep(0.6)  # noqa: ASYNC251 - blocking the loop is the point

    await block_the_loop.enqueue()
    async with at_work(app):
        async with asyncio.timeout(60):
            while not any(event.name == events.LOOP_LAGGED for event in seen):
                await asyncio.sleep(0.01)
    [first, *_] = [event for event in seen if event.name == events.LOOP_LAGGED]
    assert "block_the_loop" in first.facts["at"]
