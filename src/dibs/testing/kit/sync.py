"""The kit for tests that are not async."""

import asyncio
from collections.abc import Coroutine
from datetime import datetime, timedelta
from typing import Any, Self, TypeVar

from dibs.engine.app import App
from dibs.engine.job import Attempt, Job
from dibs.errors import BadInput
from dibs.testing.harness import StoreHarness
from dibs.testing.kit.bench import NO_TIME
from dibs.testing.kit.checks import Checks
from dibs.testing.kit.faults import Moment
from dibs.testing.kit.kit import MOST_EXECUTIONS, Kit, Work

Answer = TypeVar("Answer")


class SyncKit(Checks):
    """`with SyncKit(app) as kit:` is `Kit` without await. It runs handlers on an event loop of its own."""

    def __init__(self, app: App, *, store: StoreHarness | None = None, at: datetime | None = None) -> None:
        self._kit = Kit(app, store=store, at=at)
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        super().__init__(self._kit.ledger)

    def __enter__(self) -> Self:
        _refuse_inside_a_loop()
        try:
            self._wait_for(self._kit.__aenter__())
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for(self._kit.__aexit__())
        finally:
            self._runner.close()

    @property
    def now(self) -> datetime:
        """The store's time."""
        return self._kit.now

    def advance(self, span: timedelta = NO_TIME, /, **units: float) -> None:
        """Move the store's clock."""
        self._wait_for(self._kit.advance(span, **units))

    def find(self, job: Job | str, /) -> Job:
        """Read a job as it stands now."""
        return self._wait_for(self._kit.find(job))

    def history(self, job: Job | str, /) -> list[Attempt]:
        """Read the attempts of a job, oldest first."""
        return self._wait_for(self._kit.history(job))

    def run(self, work: Work, /, **arguments: Any) -> Job:
        """Run one job now, and give it as it stands after that."""
        return self._wait_for(self._kit.run(work, **arguments))

    def fire_schedules(self) -> list[Job]:
        """Fire the schedules that are due, and give their jobs."""
        return self._wait_for(self._kit.fire_schedules())

    def drain(self, *, until: timedelta | datetime | None = None, most: int = MOST_EXECUTIONS) -> list[Job]:
        """Run everything that is due, and with `until` what becomes due."""
        return self._wait_for(self._kit.drain(until=until, most=most))

    def crash(self, job: Job | str, /, *, when: Moment | str) -> Job:
        """Run a job on a worker that dies, and have it reclaimed."""
        return self._wait_for(self._kit.crash(job, when=when))

    def lose_lease(self, job: Job | str, /, *, when: Moment | str = Moment.AFTER_EFFECT) -> Job:
        """Run a job on a worker that is overtaken by another one."""
        return self._wait_for(self._kit.lose_lease(job, when=when))

    def deliver_twice(self, job: Job | str, /) -> Job:
        """Let two workers run the same job at the same time."""
        return self._wait_for(self._kit.deliver_twice(job))

    def reclaim(self, job: Job | str, /) -> Job:
        """Let the lease of a running job lapse, and have the job taken back."""
        return self._wait_for(self._kit.reclaim(job))

    def _wait_for(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return self._runner.run(work)


def _refuse_inside_a_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    message = "this test is async, and SyncKit would block its event loop. Use: async with Kit(app) as kit."
    raise BadInput(message)
