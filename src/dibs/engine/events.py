"""What happened, for those who watch: logs, metrics, tests."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from dibs.kit.log import get_logger, trace_of

log = get_logger("dibs")

JOB_ENQUEUED: Final = "engine.job.enqueued"
JOB_CLAIMED: Final = "engine.job.claimed"
JOB_SUCCEEDED: Final = "engine.job.succeeded"
JOB_ERRORED: Final = "engine.job.errored"
JOB_SNOOZED: Final = "engine.job.snoozed"
JOB_DROPPED: Final = "engine.job.dropped"
JOB_RELEASED: Final = "engine.job.released"
JOB_RECLAIMED: Final = "engine.job.reclaimed"
SCHEDULE_FIRED: Final = "engine.schedule.fired"
SCHEDULE_MISFIRED: Final = "engine.schedule.misfired"
SCHEDULE_BROKEN: Final = "engine.schedule.broken"
LEASE_LOST: Final = "engine.lease.lost"
SEALING_REFUSED: Final = "engine.sealing.refused"
STORE_FAULTED: Final = "engine.store.faulted"
STORE_LOST: Final = "engine.store.lost"
STORE_REGAINED: Final = "engine.store.regained"
CLAIMING_HALTED: Final = "engine.claiming.halted"
CLAIMING_RESUMED: Final = "engine.claiming.resumed"
THREAD_LEFT: Final = "engine.thread.left_behind"
LOOP_LAGGED: Final = "engine.loop.lagged"
WORKER_ID_SHARED: Final = "engine.worker.id_shared"
WORKER_STARTED: Final = "engine.worker.started"
WORKER_STOPPING: Final = "engine.worker.stopping"
WORKER_STOPPED: Final = "engine.worker.stopped"

EVENTS: Final = tuple(sorted(value for name, value in globals().items() if name.isupper() and isinstance(value, str)))


class Event(msgspec.Struct, frozen=True):
    """One thing that happened, with its facts. Never a payload."""

    name: str
    facts: dict[str, Any]


Watcher = Callable[[Event], None]


class Events:
    """Tells every watcher, in order. A watcher that fails harms nobody."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []

    def watch(self, watcher: Watcher) -> Watcher:
        """Add a watcher; also usable as a decorator."""
        self._watchers.append(watcher)
        return watcher

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches: where events are many, facts need not be gathered for nobody."""
        return bool(self._watchers)

    def emit(self, name: str, **facts: Any) -> None:
        """Tell what happened."""
        if not self._watchers:
            return
        event = Event(name, facts)
        for watcher in self._watchers:
            try:
                watcher(event)
            except Exception as error:  # noqa: BLE001 - telemetry must never stop the work it watches
                log.warning("engine.watcher.failed", event_name=name, **trace_of(error))
