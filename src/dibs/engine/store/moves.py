"""What is asked of a store: one record for each thing that can happen to jobs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import AttemptOutcome, Job, Lease
from dibs.engine.states import FINAL, UNFINISHED, State
from dibs.kit.codec import NULL, Json, decode_json

DEFAULT_LEASE = timedelta(seconds=300)
DEFAULT_WORKER_DEATHS = 3


class UniqueWhile(StrEnum):
    """For how long a job keeps others with its unique key out."""

    PENDING = "pending"
    UNFINISHED = "unfinished"
    WINDOW = "window"


class OnConflict(StrEnum):
    """What to do with a job whose unique key is taken."""

    KEEP = "keep"
    RETURN = "return"
    REPLACE = "replace"


class UniqueRule(msgspec.Struct, frozen=True, kw_only=True):
    """How `unique_key` is enforced, within one tenant and job type.

    `pending`: the key is taken while a job with it is pending. `unfinished`: while one is pending, retryable or
    running. `window`: while one was created less than `window` ago, whatever became of it.
    """

    hold: UniqueWhile = UniqueWhile.UNFINISHED
    window: timedelta | None = None
    on_conflict: OnConflict = OnConflict.KEEP

    def is_held_by(self, job: Job, now: datetime) -> bool:
        """Tell whether a stored job keeps its unique key from others under this rule."""
        if self.window is not None:
            return job.created_at is not None and job.created_at > now - self.window
        return job.state is State.PENDING if self.hold is UniqueWhile.PENDING else job.state in UNFINISHED


class StoreRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs to store, all or none. `inputs` are their inputs as JSON, already checked."""

    jobs: Sequence[Job]
    inputs: Sequence[Json]
    unique: UniqueRule = UniqueRule()
    delay: timedelta | None = None
    connection: Any = None

    def due_at(self, job: Job, now: datetime) -> datetime:
        """Tell when a job is due that is stored now."""
        return (job.run_at or now) if self.delay is None else now + self.delay

    def as_stored(self, place: int, now: datetime, given: Any) -> Job:
        """Give a job as the store keeps it from now on, with its input in whatever form is wanted."""
        job = self.jobs[place]
        return Job(
            id=job.id,
            job_type=job.job_type,
            tenant=job.tenant,
            queue=job.queue,
            priority=job.priority,
            input=given,
            max_retries=job.max_retries,
            run_at=self.due_at(job, now),
            unique_key=job.unique_key,
            concurrency_key=job.concurrency_key,
            source=job.source,
            parent_id=job.parent_id,
            max_cost_microcents=job.max_cost_microcents,
            created_at=now,
        )

    def as_told(self, place: int, now: datetime) -> Job:
        """Give the same job as those are told of it who store it: with its input as it will be read."""
        return self.as_stored(place, now, decode_json(self.inputs[place]))


class ClaimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A worker asking for jobs. None means any; an empty tuple means none."""

    worker: str
    limit: int = 1
    lease: timedelta = DEFAULT_LEASE
    queues: tuple[str, ...] | None = None
    job_types: tuple[str, ...] | None = None
    tenant: str | None = None

    def wants(self, job: Job) -> bool:
        """Tell whether a job is one of those asked for."""
        fits_queue = self.queues is None or job.queue in self.queues
        fits_type = self.job_types is None or job.job_type in self.job_types
        return fits_queue and fits_type and self.tenant in (None, job.tenant)


class Completion(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The holder is done. Made by `Backend.completion`, which checks and encodes the output, and says that it did."""

    lease: Lease
    output: Json = NULL
    cost_microcents: int = 0
    is_checked: bool = False


class Failure(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The holder's handler raised, or its child process died (`crash`)."""

    lease: Lease
    error: ErrorInfo
    kind: FailureKind = FailureKind.TRANSIENT
    retry_in: timedelta = timedelta(0)
    cost_microcents: int = 0
    max_worker_deaths: int = DEFAULT_WORKER_DEATHS


class Deferral(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The holder gives the job back, at no cost: for a while (snoozed), or because it is leaving (released)."""

    lease: Lease
    delay: timedelta = timedelta(0)
    outcome: AttemptOutcome = AttemptOutcome.SNOOZED
    cost_microcents: int = 0


class Drop(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The holder's handler says that the job need not be done any more: it becomes cancelled."""

    lease: Lease
    reason: str = ""
    cost_microcents: int = 0


class Progress(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The holder tells how far it is. `value` is JSON, already checked."""

    lease: Lease
    value: Json


class PayloadField(StrEnum):
    """Which payload of a job is meant. An error stands in its attempt as well, and means both."""

    INPUT = "input"
    OUTPUT = "output"
    PROGRESS = "progress"
    ERROR = "error"


class Rewrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The same payload, written otherwise: with another key, say. Both are the JSON that the store keeps."""

    job_id: str
    field: PayloadField
    before: Json
    after: Json


class OperatorAct(msgspec.Struct, frozen=True, kw_only=True):
    """Who does something to jobs from outside, and why. Both go into the audit log."""

    actor: str
    reason: str


class RetryVerdict(StrEnum):
    """What became of an operator's retry."""

    RETRIED = "retried"
    MISSING = "missing"
    NOT_REVIVABLE = "not_revivable"
    KEY_TAKEN = "key_taken"


class CancelVerdict(StrEnum):
    """What became of an operator's cancel."""

    CANCELLED = "cancelled"
    MISSING = "missing"
    ALREADY_FINAL = "already_final"


class ReapRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Take back at most `limit` jobs whose lease has lapsed, those that lapsed first first."""

    limit: int = 500
    max_worker_deaths: int = DEFAULT_WORKER_DEATHS


class Reclaimed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A job taken from a worker that vanished; `state` is pending, or failed when it was quarantined."""

    lease: Lease
    worker: str
    state: State


class PruneRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Forget at most `limit` jobs that finished longer than `older_than` ago, oldest first."""

    older_than: timedelta
    states: frozenset[State] = FINAL
    job_types: tuple[str, ...] | None = None
    tenant: str | None = None
    limit: int = 1_000
    dry_run: bool = False
    act: OperatorAct | None = None

    def meets(self, job: Job, horizon: datetime) -> bool:
        """Tell whether a job is old enough, and one of those meant."""
        is_meant = job.state in self.states and self.tenant in (None, job.tenant)
        is_old = job.finished_at is not None and job.finished_at < horizon
        return is_old and is_meant and (self.job_types is None or job.job_type in self.job_types)
