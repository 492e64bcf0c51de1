"""The job, the lease on it, and the record of one attempt."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from dibs.engine.failure import ErrorInfo
from dibs.engine.states import FINAL, State
from dibs.kit.ids import new_id
from dibs.kit.money import to_cents


# Records hold plain values and never form cycles: untracked (gc=False), they cost the garbage collector nothing.
class Lease(msgspec.Struct, frozen=True, order=True, gc=False):
    """The right to write to a job, until somebody else is given a higher token."""

    job_id: str
    token: int


class Job(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A unit of work. The store fills in everything below `max_cost_microcents`."""

    id: str = msgspec.field(default_factory=new_id)
    job_type: str
    tenant: str = "default"
    queue: str = "default"
    priority: int = 0
    input: Any = msgspec.field(default_factory=dict)
    max_retries: int = 3
    run_at: datetime | None = None
    unique_key: str | None = None
    concurrency_key: str | None = None
    source: str | None = None
    parent_id: str | None = None
    max_cost_microcents: int = 0

    state: State = State.PENDING
    output: Any = None
    error: ErrorInfo | None = None
    progress: Any = None
    cost_microcents: int = 0
    attempts: int = 0
    worker_deaths: int = 0
    lease_token: int = 0
    locked_by: str | None = None
    locked_at: datetime | None = None
    heartbeat_at: datetime | None = None
    lease_expires_at: datetime | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def lease(self) -> Lease:
        """The lease that this claimed job carries."""
        return Lease(self.id, self.lease_token)

    @property
    def cost_cents(self) -> Decimal:
        """What all attempts have cost so far."""
        return to_cents(self.cost_microcents)

    @property
    def is_final(self) -> bool:
        """Whether only an operator can move it from here."""
        return self.state in FINAL

    @property
    def errors(self) -> int:
        """How many executions ended in an error of the handler; these use up retries, lost workers do not."""
        return self.attempts - self.worker_deaths

    @property
    def tries(self) -> int:
        """How many executions there were: those of `attempts`, and the one that runs, succeeded or was cancelled."""
        # Only those keep their holder without being counted: who fails is counted, who is put back has no holder.
        is_under_way = self.locked_by is not None and self.state is not State.FAILED
        return self.attempts + is_under_way

    @property
    def max_tries(self) -> int:
        """How many executions there may be: a lost worker uses up no retry, and so allows one more."""
        return self.max_retries + 1 + self.worker_deaths


class AttemptOutcome(StrEnum):
    """How one execution of a job ended."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    ERRORED = "errored"
    CRASHED = "crashed"
    LOST = "lost"
    SNOOZED = "snoozed"
    RELEASED = "released"
    CANCELLED = "cancelled"


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of a job: who, from when to when, and how it ended."""

    number: int
    token: int
    worker: str
    started_at: datetime
    ended_at: datetime | None
    outcome: AttemptOutcome
    error: ErrorInfo | None = None
