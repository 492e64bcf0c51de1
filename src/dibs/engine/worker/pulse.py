"""The thread that keeps a worker's leases alive, whatever its event loop does."""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from dibs.engine import events
from dibs.engine.executors.threads import LeftThreads
from dibs.engine.job import Lease
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.worker.health import Health
from dibs.engine.worker.health_server import serve_health
from dibs.engine.worker.holdings import Holdings, StopReason
from dibs.engine.worker.reach import Doing, Reach
from dibs.engine.worker.watching import Watching, WorkerLoop
from dibs.errors import BadInput, StoreAccessDenied, StoreError
from dibs.kit.log import get_logger
from dibs.kit.waiting import wait_set

log = get_logger("dibs.pulse")

MOST_AT_ONCE = 5_000
REOPEN_SECONDS = 1.0
START_SECONDS, STOP_SECONDS = 10.0, 5.0
# A store that is away must not keep a worker from leaving.
WITHDRAW_SECONDS, CLOSING_SECONDS = 1.0, 3.0


class PulseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How often, and where health is shown; `left` are threads that got stuck."""

    left: LeftThreads = msgspec.field(default_factory=LeftThreads)
    beat: timedelta = timedelta(seconds=20)
    look: timedelta = timedelta(seconds=5)
    health_file: Path | None = None
    health_port: int | None = None
    health_host: str = "127.0.0.1"


class Pulse:
    """One heartbeat statement for all jobs, from a thread and a connection of its own. Make it on the worker's loop.

    The same thread keeps the worker's card fresh, and watches its event loop.
    """

    def __init__(
        self,
        open_backend: Callable[[], Awaitable[Backend]],
        holdings: Holdings,
        reach: Reach,
        settings: PulseSettings,
        make_card: Callable[[], WorkerCard],
        on_death: Callable[[], None],
    ) -> None:
        self.health = Health(left=settings.left)
        self._open_backend = open_backend
        self._holdings = holdings
        self._reach = reach
        self._settings = settings
        self._make_card = make_card
        self._worker_loop = WorkerLoop()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._beat_now: asyncio.Event | None = None
        self._is_hurried = False
        self._failure: Exception | None = None
        self._on_death = on_death

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._main, name="dibs-pulse", daemon=True)
        self._thread.start()

    async def started(self) -> None:
        """Wait until the thread is at work; raise what kept it from that."""
        await asyncio.to_thread(self._ready.wait, START_SECONDS)
        self.raise_failure()

    def raise_failure(self) -> None:
        """Raise what the thread has died of, if it has: a worker without it must not end as if all were well."""
        if isinstance(self._failure, BadInput | StoreAccessDenied):
            raise self._failure
        if self._failure is not None:
            message = f"the worker cannot keep its leases alive: {self._failure}. Look at its log, and start it again."
            raise StoreError(message) from self._failure

    async def stop(self) -> None:
        """End the thread and withdraw the card."""
        if self._thread is None:
            return
        await asyncio.to_thread(self._ready.wait, STOP_SECONDS)
        with contextlib.suppress(RuntimeError):
            # A loop that is closed already has nothing left to stop.
            if self._loop is not None and self._stop is not None:
                self._loop.call_soon_threadsafe(self._stop.set)
        await asyncio.to_thread(self._thread.join, STOP_SECONDS)

    def beat_now(self) -> None:
        """Renew the leases at once; any thread may ask."""
        self._is_hurried = True
        if self._loop is not None and self._beat_now is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._beat_now.set)

    def _main(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as error:  # noqa: BLE001 - the worker must hear of it, whatever it is
            self._failure = error
            log.critical("engine.pulse.failed", error=f"{type(error).__name__}: {error}")
            self._worker_loop.call_soon(self._on_death)
        finally:
            self._ready.set()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop, self._beat_now = asyncio.Event(), asyncio.Event()
        watching = Watching(self._worker_loop, self.health, self._reach, self._settings.health_file)
        watching.begin_file()
        async with contextlib.AsyncExitStack() as stack:
            if self._settings.health_port is not None:
                port, host = self._settings.health_port, self._settings.health_host
                await stack.enter_async_context(serve_health(self.health, host=host, port=port))
            self._ready.set()
            loops = [asyncio.create_task(work()) for work in (self._keep_beating, watching.run)]
            stopping = asyncio.create_task(self._stop.wait())
            ended, _ = await asyncio.wait([stopping, *loops], return_when=asyncio.FIRST_COMPLETED)
            for task in (stopping, *loops):
                task.cancel()
            await asyncio.gather(stopping, *loops, return_exceptions=True)
            for task in ended - {stopping}:
                # Neither of them ends by itself: without them the leases would lapse unseen.
                task.result()

    async def _keep_beating(self) -> None:
        assert self._beat_now is not None  # noqa: S101 - set before this task starts
        backend = await self._open_patiently()
        next_beat = time.monotonic() + self._settings.beat.total_seconds()
        try:
            await self._look_for_namesake(backend)
            # Who may not write when it begins would claim nothing for ever, and only look alive.
            await self._ask(self._announce(backend), fatal=StoreAccessDenied)
            while True:
                if not self._is_hurried:
                    await wait_set(
                        self._beat_now, min(self._settings.look.total_seconds(), next_beat - time.monotonic())
                    )
                is_due = time.monotonic() >= next_beat
                if is_due or self._is_hurried:
                    self._is_hurried = False
                    self._beat_now.clear()
                    await self._beat(backend)
                    next_beat = time.monotonic() + self._settings.beat.total_seconds()
                else:
                    await self._look(backend)
        finally:
            await self._part_from(backend)

    async def _part_from(self, backend: Backend) -> None:
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(WITHDRAW_SECONDS):
                await backend.workers.withdraw(self._make_card().worker_id)
        if backend.capabilities.shared:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await backend.close()

    async def _look_for_namesake(self, backend: Backend) -> None:
        """Tokens keep two workers of one name apart; people and cards cannot, so say it."""
        own = self._make_card()
        with contextlib.suppress(StoreError):
            for card in await backend.workers.list_workers():
                if card.worker_id == own.worker_id and _is_another(card, own):
                    facts = {"worker": card.worker_id, "host": card.host, "pid": card.pid}
                    self._worker_loop.call_soon(partial(self._reach.tell.emit, events.WORKER_ID_SHARED, **facts))

    async def _open_patiently(self) -> Backend:
        while True:
            try:
                return await self._open_backend()
            except StoreError as error:
                self._note_fault(error)
                await asyncio.sleep(REOPEN_SECONDS)

    async def _beat(self, backend: Backend) -> None:
        await self._ask(self._renew(backend))

    async def _look(self, backend: Backend) -> None:
        # A write, because a store that only answers questions cannot serve a worker.
        await self._ask(self._announce(backend))

    async def _ask(self, work: Coroutine[Any, Any, None], *, fatal: type[StoreError] | tuple[()] = ()) -> None:
        try:
            await work
        except fatal:
            raise
        except StoreError as error:
            self._note_fault(error)
        else:
            self.health.saw_store()
            self._worker_loop.call_soon(lambda: self._reach.answered(Doing.BEATING))

    def _note_fault(self, error: StoreError) -> None:
        self._worker_loop.call_soon(lambda: self._reach.failed(error, Doing.BEATING))

    async def _renew(self, backend: Backend) -> None:
        leases = self._holdings.leases()
        for start in range(0, len(leases), MOST_AT_ONCE):
            chunk = leases[start : start + MOST_AT_ONCE]
            holds = await backend.heartbeat_jobs(chunk)
            self._lose([lease for lease, is_held in zip(chunk, holds, strict=True) if not is_held])
        await self._announce(backend)

    async def _announce(self, backend: Backend) -> None:
        await backend.workers.announce(self._make_card(), 3 * self._settings.beat)

    def _lose(self, leases: list[Lease]) -> None:
        if not leases:
            return

        def stop_them() -> None:
            for lease in leases:
                held = self._holdings.find(lease)
                # One whose handler has ended is being written right now; the write itself will tell.
                if held is not None and not held.is_over:
                    held.stop(StopReason.LOST)

        self._worker_loop.call_soon(stop_them)


def _is_another(card: WorkerCard, own: WorkerCard) -> bool:
    """Whether a card is somebody else's, as far as one can see: one who died on this machine is not meant."""
    if card.host != own.host:
        return True
    return card.pid != own.pid and _is_process(card.pid)


def _is_process(pid: int) -> bool:
    """Whether there is a process of this number on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # It is somebody else's.
        return True
    return True
