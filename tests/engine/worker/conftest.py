"""An app in memory, and a worker that a test can start and stop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from dibs import Job, State
from dibs.assembly import Dibs
from dibs.engine.app import App
from dibs.engine.worker.worker import Worker

SOON = 60.0


@pytest.fixture
async def app() -> AsyncIterator[App]:
    async with Dibs("memory://") as app:
        yield app


@asynccontextmanager
async def at_work(app: App, **options: Any) -> AsyncIterator[Worker]:
    """Run a worker for the length of a block."""
    worker = app.make_worker(**{"poll": timedelta(milliseconds=20), "grace": timedelta(seconds=5), **options})
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await asyncio.wait_for(running, SOON)


async def run_all(app: App, **options: Any) -> None:
    """Run a worker until nothing is left to claim."""
    await asyncio.wait_for(app.make_worker(until_drained=True, **options).run(), SOON)


async def finish(app: App, job: Job | None) -> Job:
    """Wait until a job is final."""
    assert job is not None
    return await app.wait_for(job.id, timeout=SOON)


async def reach(app: App, job: Job | None, state: State) -> Job:
    """Wait until a job is in a state."""
    assert job is not None

    async def look() -> Job | None:
        found = await (await app.backend()).get_job(job.id)
        return found if found.state is state else None

    found: Job = await eventually(look)
    return found


async def eventually(look: Callable[[], Awaitable[Any]], seconds: float = SOON) -> Any:
    """Look until something is there."""
    async with asyncio.timeout(seconds):
        while not (found := await look()):
            await asyncio.sleep(0.005)
        return found
