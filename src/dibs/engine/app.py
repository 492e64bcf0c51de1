"""The app: tasks on one side, a store on the other."""

import asyncio
import inspect
import os
import random
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, NoReturn, Self
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from dibs.engine import events
from dibs.engine.errands import Errand
from dibs.engine.events import Events
from dibs.engine.job import Job
from dibs.engine.retention import Retention
from dibs.engine.store.backend import Backend
from dibs.engine.sync import SyncApp
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.task import EnqueueOptions, Task, TaskSettings, make_jobs, make_options, without_id
from dibs.engine.worker.options import WorkerOptions
from dibs.engine.worker.running import Middleware, name_middleware
from dibs.engine.worker.signals import stop_on_signals
from dibs.engine.worker.worker import Worker
from dibs.errors import BadInput, JobNotFound, NotSupported, StoreError
from dibs.kit.backoff import exponential
from dibs.kit.log import get_logger
from dibs.settings import Settings

log = get_logger("dibs.app")
DEFAULTS = TaskSettings()
CLOSING_SECONDS = 5.0
FIRST_LOOK = timedelta(milliseconds=5)
LONGEST_LOOK = timedelta(milliseconds=500)


class App(Blueprint):
    """Declares tasks, stores jobs for them, and runs workers. Nothing is opened before it is needed."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]], settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.events = Events()
        self.middleware: list[Middleware] = []
        self.chance: Callable[[], float] = random.random
        self.sync = SyncApp(self)
        self.open_backend = open_backend
        # What its workers see to beside jobs.
        self.errands: list[Errand] = []
        # What was opened for its tasks, and is closed with it.
        self.closers: list[Callable[[], Awaitable[None]]] = []
        self._backends: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Backend]] = WeakKeyDictionary()
        self._only: Backend | None = None
        self._home = 0

    def add(self, task: Task[Any, Any]) -> None:
        """Take in a task, and be its app."""
        super().add(task)
        task.app = self

    def include(self, blueprint: Blueprint) -> None:
        """Collect the tasks and schedules of a blueprint."""
        for task in blueprint.tasks.values():
            self.add(task)
        for schedule in blueprint.schedules.values():
            self.add_schedule(schedule)

    def find_retention(self) -> Retention:
        """Tell for how long finished jobs are kept, as the settings and the tasks say."""
        by_type = {name: task.settings.keep for name, task in self.tasks.items() if task.settings.keep is not None}
        return replace(Retention.of(self.settings), by_type=by_type)

    def add_middleware(self, middleware: Middleware) -> Middleware:
        """Put something around every handler: `async def (ctx, call_next)`. Also usable as a decorator."""
        try:
            inspect.signature(middleware).bind(None, None)
        except TypeError as cause:
            message = f"middleware {name_middleware(middleware)} does not take (ctx, call_next): {cause}."
            raise BadInput(message) from cause
        self.middleware.append(middleware)
        return middleware

    async def backend(self) -> Backend:
        """Give the store, opened once an event loop."""
        if self._only is not None:
            self._refuse_in_child()
            return self._only
        loop = asyncio.get_running_loop()
        opening = self._backends.get(loop)
        if opening is not None and opening.done() and not opening.cancelled() and opening.exception() is None:
            return opening.result()
        if opening is None or (opening.done() and opening.exception() is not None):
            opening = self._backends[loop] = loop.create_task(self._open())
        return await asyncio.shield(opening)

    async def _open(self) -> Backend:
        backend = await self.open_backend()
        if not backend.capabilities.shared:
            self._only, self._home = backend, os.getpid()
        return backend

    def _refuse_in_child(self) -> None:
        if self._home != os.getpid():
            message = (
                "this store lives in the memory of the process that opened it, and a forked child has only a copy:"
                " what is stored here, no worker would see. Use a store that processes can share."
            )
            raise NotSupported(message)

    async def close(self) -> None:
        """Close the store of this event loop, and what was opened for the tasks."""
        for close in self.closers:
            await close()
        opening = self._backends.pop(asyncio.get_running_loop(), None)
        if opening is not None:
            await (await opening).close()
        self._only = None

    @contextmanager
    def on_store(self, open_backend: Callable[[], Awaitable[Backend]]) -> Iterator[None]:
        """Work on another store for a while, as tests do; what was open before is untouched, and comes back."""
        kept = self.open_backend, self.sync, self._backends, self._only
        self.open_backend, self.sync = open_backend, SyncApp(self)
        self._backends, self._only = WeakKeyDictionary(), None
        try:
            yield
        finally:
            self.open_backend, self.sync, self._backends, self._only = kept

    async def __aenter__(self) -> Self:
        await self.backend()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def enqueue(self, job_type: str, given: Any = None, **options: Any) -> Job | None:
        """Store a job by the name of its task. None: its unique key was taken.

        Options: tenant, queue, priority, max_retries, run_at, delay, unique_key, unique, concurrency_key, source,
        parent_id, id, connection. The input of a task that this app knows is checked here and now.
        """
        given = {} if given is None else given
        task = self.tasks.get(job_type)
        if task is not None:
            task.arguments.read(given)
        return (await self._store([given], job_type, task, make_options(options)))[0]

    async def enqueue_many(self, job_type: str, many: Sequence[Any], **options: Any) -> list[Job | None]:
        """Store a job for each input, all or none."""
        task = self.tasks.get(job_type)
        if task is not None:
            task.arguments.check_all(many)
        return await self._store(many, job_type, task, without_id(make_options(options)))

    async def enqueue_task(self, task: Task[Any, Any], given: Any, options: EnqueueOptions) -> Job | None:
        """Store a job for a task whose arguments are checked already."""
        return (await self._store([given], task.name, task, options))[0]

    async def enqueue_tasks(
        self, task: Task[Any, Any], many: Sequence[Any], options: EnqueueOptions
    ) -> list[Job | None]:
        """Store many jobs for a task whose arguments are checked already."""
        return await self._store(many, task.name, task, without_id(options))

    async def _store(
        self, many: Sequence[Any], job_type: str, task: Task[Any, Any] | None, options: EnqueueOptions
    ) -> list[Job | None]:
        settings = DEFAULTS if task is None else task.settings
        jobs = make_jobs(job_type, many, options, settings) if task is None else task.make_jobs(many, options)
        backend = await self.backend()
        stored = await backend.store_jobs(
            jobs,
            unique=options.unique or settings.unique,
            delay=options.delay,
            connection=options.connection,
        )
        if self.events.is_watched:
            for job in filter(None, stored):
                self.events.emit(
                    events.JOB_ENQUEUED, job_id=job.id, job_type=job_type, queue=job.queue, tenant=job.tenant
                )
        return stored

    async def find_job(self, job_id: str) -> Job | None:
        """Read a job, or None."""
        return await (await self.backend()).find_job(job_id)

    async def wait_for(self, job_id: str, *, timeout: timedelta | float | None = None) -> Job:
        """Wait until a job is final, and give it. Raises TimeoutError when the time is up."""
        backend = await self.backend()
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        async with asyncio.timeout(seconds):
            for look in range(2**31):
                job = await backend.find_job(job_id)
                if job is None:
                    message = f"no job has the id {job_id!r}; there is nothing to wait for."
                    raise JobNotFound(message)
                if job.is_final:
                    return job
                pause = exponential(FIRST_LOOK, factor=1.3, cap=LONGEST_LOOK, step=min(look, 60))
                await asyncio.sleep(pause.total_seconds())
        raise TimeoutError

    def make_worker(self, **options: Any) -> Worker:
        """Make a worker for this app's tasks."""
        unknown = sorted(set(options) - set(WorkerOptions.__struct_fields__))
        if unknown:
            known = ", ".join(WorkerOptions.__struct_fields__)
            message = f"a worker has no option {unknown[0]!r}. It has: {known}."
            raise BadInput(message)
        worker_options = WorkerOptions(**options)
        if not self.tasks and worker_options.claims:
            message = "this app has no tasks. Declare one with @app.task, or include a blueprint."
            raise BadInput(message)
        self._refuse_unknown_types(worker_options.job_types or ())
        return Worker(self, worker_options)

    def _refuse_unknown_types(self, job_types: Sequence[str]) -> None:
        strange = [name for name in job_types if name not in self.tasks]
        if strange:
            message = f"no task of this app is called {strange[0]!r}. It has: {', '.join(sorted(self.tasks))}."
            raise BadInput(message)

    async def run_worker(self, *, handle_signals: bool = True, **options: Any) -> None:
        """Run a worker until it is told to stop, by SIGTERM or SIGINT or `Worker.stop`."""
        await self.see_off(self.make_worker(**options), heed_signals=stop_on_signals if handle_signals else None)

    async def see_off(self, worker: Worker, *, heed_signals: Callable[[Worker], None] | None) -> None:
        """Run a worker to its end. If it heeds signals, this process is its own, and leaves with it, come what may."""
        was_open = asyncio.get_running_loop() in self._backends
        if heed_signals is not None:
            heed_signals(worker)
        try:
            await worker.run()
        finally:
            is_closed = was_open or await self._close_in_time()
            if heed_signals is not None and (worker.has_left_behind or not is_closed):
                # A handler that will not stop would keep the event loop, and with it this process, for ever.
                _leave_at_once()

    async def _close_in_time(self) -> bool:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self.close()
        except TimeoutError as error:
            log.warning("engine.store.not_closed", error=f"{type(error).__name__}: {error}")
            return False
        except StoreError as error:
            # It has answered, so nothing hangs: what ended the worker is told by whoever started it.
            log.warning("engine.store.not_closed", error=f"{type(error).__name__}: {error}")
        return True


def _leave_at_once() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(1)
