"""Events as log lines."""

import logging

from dibs.engine import events
from dibs.engine.events import Event, Events
from dibs.kit.log import get_logger

_LEVELS = {
    events.JOB_ENQUEUED: logging.DEBUG,
    events.JOB_CLAIMED: logging.DEBUG,
    events.JOB_SUCCEEDED: logging.DEBUG,
    events.JOB_ERRORED: logging.WARNING,
    events.JOB_RECLAIMED: logging.WARNING,
    events.SCHEDULE_MISFIRED: logging.WARNING,
    events.SCHEDULE_BROKEN: logging.WARNING,
    events.LEASE_LOST: logging.WARNING,
    events.STORE_FAULTED: logging.DEBUG,
    events.STORE_LOST: logging.WARNING,
    events.THREAD_LEFT: logging.WARNING,
    events.WORKER_ID_SHARED: logging.WARNING,
    events.CLAIMING_HALTED: logging.WARNING,
}


def bind_logs(tell: Events) -> None:
    """Log every event with its facts: the daily round at debug, trouble as a warning, the rest as info."""
    log = get_logger("dibs")

    @tell.watch
    def write(event: Event) -> None:
        log.log(_LEVELS.get(event.name, logging.INFO), event.name, **event.facts)
