"""One look at the store, and what follows from it. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from dibs.engine.audit.actions import JobAction
from dibs.engine.job import Job
from dibs.engine.states import WAITING, State
from dibs.engine.store.reading import AuditEntry

SUCCEEDED, FAILED, RECLAIMED = "succeeded", "failed", "reclaimed"
KINDS: dict[str, str] = {
    JobAction.SUCCEEDED: SUCCEEDED,
    JobAction.FAILED: FAILED,
    JobAction.EXHAUSTED_RETRIES: FAILED,
    JobAction.QUARANTINED: FAILED,
    JobAction.RECLAIMED: RECLAIMED,
}
Ended = dict[tuple[str, str], float]
Queues = dict[str, dict[State, int]]


class Latency(msgspec.Struct, frozen=True, gc=False):
    """How long one job waited and how long it ran, in seconds."""

    tenant: str
    waited: float
    ran: float


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What happened since the look before, and how things stood.

    `ended` counts by tenant and kind; `is_estimated`: there were more than were read. `queues` None: not counted.
    `stored` is about how many jobs were ever stored: the number of the newest. `counted_at`: of when the counts are; a
    large backlog is not counted at every look.
    """

    at: datetime
    seconds: float
    ended: Ended
    is_estimated: bool = False
    latencies: tuple[Latency, ...] = ()
    queues: Queues | None = None
    tenants: dict[str, int] | None = None
    stored: int = 0
    counted_at: datetime | None = None

    @property
    def waiting(self) -> int:
        """How many jobs waited, in all queues."""
        return sum(count_waiting(states) for states in (self.queues or {}).values())

    @property
    def running(self) -> int:
        """How many jobs ran."""
        return sum(states.get(State.RUNNING, 0) for states in (self.queues or {}).values())


def count_waiting(states: dict[State, int]) -> int:
    """Sum what waits."""
    return sum(states.get(state, 0) for state in WAITING)


def count_ended(entries: Iterable[AuditEntry], *, share: float = 1.0) -> Ended:
    """Count endings by tenant and kind; if only a share of the entries was read, for all of them."""
    counts = Counter((entry.tenant, KINDS[entry.action]) for entry in entries if entry.action in KINDS)
    return {key: count / share for key, count in counts.items()}


def measure(jobs: Iterable[Job | None]) -> tuple[Latency, ...]:
    """Measure the last attempt of jobs that succeeded."""
    return tuple(found for job in jobs if job is not None and (found := _measure(job)) is not None)


def _measure(job: Job) -> Latency | None:
    due = max((instant for instant in (job.created_at, job.run_at) if instant is not None), default=None)
    if job.locked_at is None or job.finished_at is None or due is None:
        return None
    waited, ran = (job.locked_at - due).total_seconds(), (job.finished_at - job.locked_at).total_seconds()
    return Latency(job.tenant, max(waited, 0.0), max(ran, 0.0))


def find_quantile(values: Sequence[float], part: float) -> float | None:
    """Give the value below which a part of them lies; None of nothing."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else None
