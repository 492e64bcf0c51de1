"""The columns of a copy: those that some job fills otherwise than the table does by itself."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from dibs.engine.store.moves import StoreRequest

# As in the table of jobs.
_DEFAULTS = {
    "tenant": "default",
    "queue": "default",
    "priority": 0,
    "max_retries": 3,
    "concurrency_key": None,
    "source": None,
    "parent_id": None,
    "max_cost_microcents": 0,
}


def is_due_at_once(request: StoreRequest) -> bool:
    """Whether no job says when it is due."""
    return request.delay is None and not any(job.run_at for job in request.jobs)


def is_governed(request: StoreRequest) -> bool:
    """Whether some job waits in a lane, whatever the rules are."""
    return any(job.source is not None or job.concurrency_key is not None for job in request.jobs)


def fill_columns(request: StoreRequest, now: datetime | None) -> dict[str, Sequence[Any]]:
    """Give the columns by name; without `now`, the table dates the jobs, and they are due."""
    columns: dict[str, Sequence[Any]] = {
        "id": [job.id for job in request.jobs],
        "job_type": [job.job_type for job in request.jobs],
        "input": [encoded.decode() for encoded in request.inputs],
    }
    for name, default in _DEFAULTS.items():
        values = list(map(attrgetter(name), request.jobs))
        if set(values) != {default}:
            columns[name] = values
    if now is not None:
        dues = [request.due_at(job, now) for job in request.jobs]
        columns |= {"run_at": dues, "ready": [due <= now for due in dues], "created_at": [now] * len(dues)}
    return columns
