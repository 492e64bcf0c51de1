"""A SQLite file that another connection keeps write-locked: the worker says so, and can still leave."""

import asyncio
import json
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from dibs import Job, State
from dibs.assembly import Dibs, open_backend
from dibs.engine import events
from dibs.engine.app import App
from dibs.engine.events import Event
from dibs.engine.telemetry.logs import bind_logs
from dibs.errors import StoreUnavailable
from tests.engine.worker.conftest import SOON, at_work, eventually, finish

SOON_LOST = "busy_timeout=0.05"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.rollback()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.db"


@pytest.fixture
async def stubborn(path: Path) -> AsyncIterator[App]:
    """An app whose store waits for a lock for as long as it takes."""
    async with Dibs(f"sqlite:///{path}?synchronous=normal") as app:
        yield app


@pytest.fixture
async def hasty(path: Path) -> AsyncIterator[App]:
    """An app whose store gives up at once."""
    async with Dibs(f"sqlite:///{path}?synchronous=normal&{SOON_LOST}") as app:
        yield app


def watch(app: App) -> list[str]:
    seen: list[str] = []

    def note(event: Event) -> None:
        seen.append(event.name)

    app.events.watch(note)
    return seen


async def test_a_close_does_not_wait_for_somebody_elses_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dibs.backends.sqlite.threads.connections.CLOSING_SECONDS", 0.1)
    backend = await open_backend(f"sqlite:///{path}?busy_timeout=600")
    with locked(path):
        waking = asyncio.create_task(backend.notices.wake(["default"]))
        await asyncio.sleep(0)
        async with asyncio.timeout(SOON):
            await backend.close()
            with pytest.raises(StoreUnavailable):
                await waking


async def test_what_waits_when_a_store_is_closed_is_still_done(path: Path) -> None:
    backend = await open_backend(f"sqlite:///{path}")
    other = await open_backend(f"sqlite:///{path}?busy_timeout=60")
    with locked(path):
        waking = asyncio.create_task(backend.notices.wake(["default"]))
        await asyncio.sleep(0)
        closing_it = asyncio.create_task(backend.close())
        await asyncio.sleep(0.05)
    await asyncio.gather(waking, closing_it)
    assert [one.exception() for one in (waking, closing_it)] == [None, None]
    await other.close()


async def test_a_worker_leaves_in_time_and_says_that_an_ending_is_not_written(
    stubborn: App, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FAREWELL_SECONDS", "SHORTEST_FAREWELL_SECONDS"):
        monkeypatch.setattr(f"dibs.engine.worker.worker.{name}", 0.1)
    started, go_on = asyncio.Event(), asyncio.Event()

    @stubborn.task("HOLD")
    async def hold() -> None:
        started.set()
        await go_on.wait()

    seen = watch(stubborn)
    job = await hold.enqueue()
    worker = stubborn.make_worker(grace=timedelta(milliseconds=100))
    running = asyncio.create_task(worker.run())
    await asyncio.wait_for(started.wait(), SOON)
    with locked(path):
        go_on.set()
        worker.stop()
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match="how 1 of its jobs ended"):
            await asyncio.wait_for(running, SOON)
        assert time.monotonic() - began < SOON / 2
    assert seen.count(events.WORKER_STOPPING) == 1
    # A write that was under way may still go through, now that the lock is gone; the job is not harmed either way.
    assert job is not None
    found = await stubborn.find_job(job.id)
    assert found is not None
    assert (found.state in {State.RUNNING, State.SUCCEEDED}, found.attempts) == (True, 0)


async def test_a_worker_that_starts_on_a_locked_store_goes_on_when_it_is_free(hasty: App, path: Path) -> None:
    @hasty.task("GREET")
    async def greet() -> str:
        return "hello"

    job = await greet.enqueue()
    seen = watch(hasty)
    with locked(path):
        worker = at_work(hasty, beat=timedelta(milliseconds=50))
        await worker.__aenter__()

        async def is_lost() -> bool:
            return seen.count(events.STORE_FAULTED) > 3

        await eventually(is_lost)
    assert (await finish(hasty, job)).output == "hello"

    async def is_regained() -> bool:
        return events.STORE_REGAINED in seen

    await eventually(is_regained)
    await worker.__aexit__(None, None, None)


async def test_a_lost_store_is_logged_once_and_once_when_it_is_back(hasty: App, path: Path) -> None:
    @hasty.task("GREET")
    async def greet() -> str:
        return "hello"

    bind_logs(hasty.events)
    with capture_logs() as logs:

        def count(name: str) -> int:
            return sum(entry["event"] == name for entry in logs)

        async def has_failed_often() -> bool:
            return count(events.STORE_FAULTED) > 5

        async def is_back() -> bool:
            return count(events.STORE_REGAINED) > 0

        async with at_work(hasty, beat=timedelta(milliseconds=50), sweep=timedelta(milliseconds=50)):
            with locked(path):
                await eventually(has_failed_often)
            await eventually(is_back)
    loud = [entry for entry in logs if entry["log_level"] != "debug"]
    assert sum(entry["event"] == events.STORE_LOST for entry in loud) == 1
    assert sum(entry["event"] == events.STORE_REGAINED for entry in loud) == 1
    assert not [entry for entry in loud if entry["event"] == events.STORE_FAULTED]


WORKER = """
import asyncio, sys
from datetime import timedelta
from pathlib import Path
import dibs

app = dibs.Dibs(sys.argv[1])

@app.task("SLEEP")
async def sleep() -> None:
    print("in", flush=True)
    await asyncio.sleep(1)

options = {"grace": timedelta(seconds=2), "health_file": Path(sys.argv[2])}
asyncio.run(app.run_worker(**options))
"""


@pytest.mark.system
async def test_health_turns_red_within_15_seconds_and_sigterm_is_heeded(path: Path, tmp_path: Path) -> None:
    health = tmp_path / "health.json"
    url = f"sqlite:///{path}"
    async with await open_backend(url) as backend:
        await backend.store_job(Job(id="job", job_type="SLEEP"))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER, url, str(health)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    await asyncio.wait_for(process.stdout.readline(), SOON)
    with locked(path):

        async def is_red() -> Any:
            return health.exists() and json.loads(health.read_text())["status"] == "red"

        await eventually(is_red, 15)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 2 + 10) != 0
