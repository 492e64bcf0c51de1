"""The program that workers run while faults strike: `dibs worker --app dibs.torture.stage.program:app`.

Everything that it asks of the store, and everything that its handlers do, is written down.
"""

import asyncio
import ctypes
import os
import signal
import time
from datetime import timedelta
from functools import cached_property
from pathlib import Path

from dibs.assembly import Dibs
from dibs.engine.retry import RetryPolicy
from dibs.engine.store.backend import Backend
from dibs.engine.tasks.context import Context, SyncContext
from dibs.engine.tasks.outcome import Snooze
from dibs.errors import Retryable
from dibs.torture.history.diary import Diary
from dibs.torture.history.recording import record_backend
from dibs.torture.history.records import CHAFF, Began, Effected, Started

FOLDER, BOOK = "DIBS_TORTURE_FOLDER", "DIBS_TORTURE_BOOK"
SOON = RetryPolicy(base=timedelta(seconds=0.2), cap=timedelta(seconds=1))
LONG_ENOUGH = 1.0
LOCK_TTL = timedelta(seconds=3)


class RecordedApp(Dibs):
    """An app whose store writes everything down."""

    @cached_property
    def folder(self) -> Path:
        """Where diaries are."""
        return Path(os.environ[FOLDER])

    @cached_property
    def diary(self) -> Diary:
        """The diary of this process."""
        diary = Diary(self.folder, f"{self.settings.worker_id.replace('/', '-')}@{os.getpid()}")
        diary.write(Started(worker=self.settings.worker_id, pid=os.getpid(), at=time.monotonic()))
        return diary

    async def _open_store(self) -> Backend:
        return record_backend(await super()._open_store(), self.diary)

    def note_begin(self, ctx: Context | SyncContext) -> None:
        """Write down that a handler begins."""
        self.diary.write(Began(job=ctx.job.id, token=ctx.token, at=time.monotonic(), pid=os.getpid()))

    def note_effect(self, ctx: Context | SyncContext) -> None:
        """Write down that a handler has done its work."""
        self.diary.write(Effected(job=ctx.job.id, token=ctx.token, at=time.monotonic()))

    def may_go_on(self, job_id: str) -> bool:
        """Whether a job that waits for a sign has got it."""
        return (self.folder / f"{job_id}.go").exists()


app = RecordedApp()


@app.task("COUNT")
async def count(ctx: Context) -> None:
    """Do something outside of any transaction."""
    app.note_effect(ctx)
    await asyncio.sleep(0.002)


@app.task(CHAFF)
async def leave_nothing() -> None:
    """Be done, and purged by an operator."""


@app.task("BOOK")
async def book(ctx: Context) -> None:
    """Do something in the transaction that completes the job."""
    async with ctx.transaction() as connection:
        await connection.execute(f"INSERT INTO {os.environ[BOOK]} VALUES ('{ctx.job.id}', {ctx.token})")


@app.task("FLAKY", retry=SOON)
async def flaky(ctx: Context) -> None:
    """Fail the first time."""
    if ctx.job.errors == 0:
        raise Retryable("at the first try, as always")
    app.note_effect(ctx)


@app.task("NAP")
async def nap(ctx: Context) -> Snooze | None:
    """Give the job back once."""
    if ctx.job.progress is None:
        await ctx.report_progress("napped")
        return Snooze(timedelta(seconds=0.3))
    app.note_effect(ctx)
    return None


@app.task("LOCK", retry=SOON)
async def lock(ctx: Context, name: str) -> bool:
    """Work under a named lease, if it can be had."""
    leases = (await app.backend()).leases
    lease = await leases.acquire(name, app.settings.worker_id, LOCK_TTL)
    if lease is None:
        return False
    app.note_effect(ctx)
    await leases.renew(lease, LOCK_TTL)
    return await leases.release(lease)


@app.task("HOLD")
async def hold(ctx: Context) -> None:
    """Hold the job until there is a sign; a second execution only as long as a latecomer needs to get in its way."""
    app.note_begin(ctx)
    if ctx.attempt > 1:
        await asyncio.sleep(LONG_ENOUGH)
    while not app.may_go_on(ctx.job.id) and ctx.attempt == 1:  # noqa: ASYNC110 - the sign comes from another process
        await asyncio.sleep(0.02)


@app.task("BRINK")
async def stand_on_the_brink(ctx: Context) -> None:
    """Have the effect, and be slow to say so."""
    app.note_effect(ctx)
    await hold.handler(ctx)


@app.task("SLOW")
def sleep_long(ctx: SyncContext, seconds: float) -> None:
    """Take longer than a lease lasts, in a thread."""
    app.note_begin(ctx)
    time.sleep(seconds)


@app.task("BLOCK")
async def block(ctx: Context, seconds: float) -> None:
    """Take longer than a lease lasts, and let nobody else in this process do anything."""
    app.note_begin(ctx)
    time.sleep(seconds)  # noqa: ASYNC251 - blocking the loop is the point


@app.task("POISON", retry=SOON)
async def poison(ctx: Context) -> None:
    """Kill the worker, every time."""
    app.note_begin(ctx)
    os.kill(os.getpid(), signal.SIGKILL)


@app.task("CRASH", cpu_bound=True, retry=SOON)
def crash() -> None:
    """Crash the process that handles it."""
    ctypes.string_at(0)


@app.task("STARVE", cpu_bound=True, retry=SOON)
def starve() -> None:
    """End as the kernel ends whoever takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


@app.task("HUNGER", cpu_bound=True, retry=SOON)
def hunger() -> int:
    """Want more memory than there is."""
    return len(bytearray(1 << 60))


@app.task("SUM", cpu_bound=True)
def add_up(most: int) -> int:
    """Do honest work in the same processes."""
    return sum(range(most))
