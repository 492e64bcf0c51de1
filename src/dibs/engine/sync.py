"""The app for code that is not async."""

import asyncio
import os
import threading
from collections.abc import Coroutine, Sequence
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from dibs.engine.job import Job
from dibs.errors import BadInput

if TYPE_CHECKING:
    from dibs.engine.app import App

Answer = TypeVar("Answer")


class SyncApp:
    """The same verbs without await. They run on an event loop in a thread of their own, started when first needed."""

    def __init__(self, app: "App") -> None:
        self._app = app
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._left_behind: list[asyncio.AbstractEventLoop] = []
        _renew_after_forks(self)

    def enqueue(self, job_type: str, given: Any = None, **options: Any) -> Job | None:
        """Store a job by the name of its task."""
        return self.run(self._app.enqueue(job_type, given, **options))

    def enqueue_many(self, job_type: str, many: Sequence[Any], **options: Any) -> list[Job | None]:
        """Store a job for each input, all or none."""
        return self.run(self._app.enqueue_many(job_type, many, **options))

    def wait_for(self, job_id: str, *, timeout: timedelta | float | None = None) -> Job:
        """Wait until a job is final, and give it."""
        return self.run(self._app.wait_for(job_id, timeout=timeout))

    def find_job(self, job_id: str) -> Job | None:
        """Read a job, or None."""
        return self.run(self._app.find_job(job_id))

    def close(self) -> None:
        """Close the store and end the thread."""
        with self._lock:
            if self._loop is None or self._thread is None:
                return
            asyncio.run_coroutine_threadsafe(self._app.close(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop = self._thread = None

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run anything of the app's to its end."""
        _refuse_inside_a_loop(work)
        return asyncio.run_coroutine_threadsafe(work, self._get_loop()).result()

    def _get_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name="dibs-sync", daemon=True)
                self._thread.start()
            return self._loop

    def _renew(self) -> None:
        """Begin anew in a forked child: the thread is not here, and the lock may be held by one that is not either."""
        self._lock = threading.Lock()
        # Closing the copied loop would disturb the parent's.
        self._left_behind += [self._loop] if self._loop is not None else []
        self._loop = self._thread = None


_living: WeakSet[SyncApp] = WeakSet()


def _renew_after_forks(app: SyncApp) -> None:
    _living.add(app)
    _watch_forks()


@cache
def _watch_forks() -> None:
    os.register_at_fork(after_in_child=_renew_all)


def _renew_all() -> None:
    for app in list(_living):
        app._renew()  # noqa: SLF001 - a part of the class that must be called from outside of it


def _refuse_inside_a_loop(work: Coroutine[Any, Any, Any]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    work.close()
    owner, _, verb = getattr(work, "__qualname__", "").rpartition(".")
    instead = f"await app.{verb}(…)" if owner == "App" else "await the coroutine itself"
    message = f"app.sync was called in async code, where it would block the event loop. Write instead: {instead}."
    raise BadInput(message)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()
