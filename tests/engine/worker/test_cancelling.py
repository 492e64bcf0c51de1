"""A worker whose task is cancelled leaves nothing behind that goes on without it."""

import asyncio
import threading

from dibs.engine import events
from dibs.engine.app import App
from dibs.engine.events import Event


def declare(app: App) -> None:
    @app.task("NOTHING")
    async def do_nothing() -> None:
        pass


def list_pulses() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "dibs-pulse"]


async def cancel(work: "asyncio.Task[None]") -> None:
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert work.cancelled()


async def test_who_is_cancelled_while_it_opens_leaves_no_heartbeat_behind(app: App) -> None:
    declare(app)
    await app.backend()
    told: list[Event] = []
    app.events.watch(told.append)
    work = asyncio.create_task(app.run_worker(handle_signals=False))
    while not list_pulses():
        await asyncio.sleep(0)
    await cancel(work)
    assert list_pulses() == []
    assert told == []


async def test_who_is_cancelled_while_it_works_claims_nothing_more(app: App) -> None:
    declare(app)
    await app.backend()
    before, is_at_work = asyncio.all_tasks(), asyncio.Event()
    app.events.watch(lambda event: is_at_work.set() if event.name == events.JOB_SUCCEEDED else None)
    work = asyncio.create_task(app.run_worker(handle_signals=False))
    await app.enqueue("NOTHING")
    await asyncio.wait_for(is_at_work.wait(), 30)
    await cancel(work)
    assert asyncio.all_tasks() - before == set()
    assert list_pulses() == []
