"""How a worker works, as whoever starts it says."""

import os
from datetime import timedelta
from pathlib import Path

import msgspec

from dibs.engine.store.checks.values import check_names, check_span, check_whole_number
from dibs.engine.tasks.task import Mode
from dibs.errors import BadInput

MOST_SLOTS = 100_000


class WorkerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a worker works. Slots: `concurrency` for async handlers, `threads` and `processes` for the others.

    One that does not claim runs no job: it fires schedules, and keeps the house.
    """

    concurrency: int = 100
    threads: int = 10
    processes: int = os.cpu_count() or 1
    queues: tuple[str, ...] | None = None
    job_types: tuple[str, ...] | None = None
    tenant: str | None = None
    worker_id: str | None = None
    poll: timedelta = timedelta(seconds=1)
    beat: timedelta = timedelta(seconds=20)
    sweep: timedelta = timedelta(seconds=60)
    schedule_poll: timedelta = timedelta(seconds=1)
    grace: timedelta = timedelta(seconds=30)
    health_file: Path | None = None
    health_port: int | None = None
    until_drained: bool = False
    claims: bool = True

    def __post_init__(self) -> None:
        for field in ("concurrency", "threads", "processes"):
            check_whole_number(getattr(self, field), field, 1, MOST_SLOTS)
        for field in ("poll", "beat", "sweep", "schedule_poll"):
            check_span(getattr(self, field), field, least=timedelta(milliseconds=1))
        check_span(self.grace, "grace")
        for field in ("queues", "job_types"):
            check_names(getattr(self, field), field)
            if getattr(self, field) is not None and not getattr(self, field):
                message = f"{field} is empty: such a worker would never do anything. Leave it out, or name some."
                raise BadInput(message)

    def slots(self, mode: Mode) -> int:
        """How many jobs of this mode run at once."""
        return {Mode.ASYNC: self.concurrency, Mode.THREAD: self.threads, Mode.PROCESS: self.processes}[mode]
