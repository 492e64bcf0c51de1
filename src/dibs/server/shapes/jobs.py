"""Jobs over the wire."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from dibs.engine.job import AttemptOutcome
from dibs.engine.states import State
from dibs.engine.store.moves import OnConflict, UniqueWhile
from dibs.web.paging import LONGEST_CURSOR, PageQuery
from dibs.web.shapes.parts import WORD, Body, Cents, Instant, Name, Reason, Seconds

MOST_AT_ONCE = 1_000
EXAMPLE_ID = "019a8a3e-5b1c-7d2e-9f00-3c5a7e1b2d4f"
_OR_TASKS = "The task's if left out, where the server knows the task."
OfQueue = Annotated[Name | None, Field(description="Only jobs of this queue.")]
OfType = Annotated[Name | None, Field(description="Only jobs for this task.")]
OfSource = Annotated[Name | None, Field(description="Only jobs that are bound to this source.")]
OfParent = Annotated[Name | None, Field(description="Only jobs that this job has stored.")]
OfUniqueKey = Annotated[Name | None, Field(description="Only jobs with this unique key.")]
OfWorker = Annotated[Name | None, Field(description="Only jobs that this worker has.")]
EXAMPLE_JOB: dict[str, JsonValue] = {"job_type": "PING", "input": {"text": "hello"}, "queue": "default", "priority": 0}


class UniqueBody(Body):
    """How `unique_key` is enforced: while a job with it is pending or unfinished, or within a window."""

    hold: Annotated[UniqueWhile, WORD] = Field(
        UniqueWhile.UNFINISHED,
        description="While a job with the key is in this state; `window`: within `window_seconds`.",
    )
    window_seconds: Seconds | None = Field(
        None, description="So long after it was stored, whatever became of it; with `window` only."
    )
    on_conflict: Annotated[OnConflict, WORD] = Field(
        OnConflict.KEEP,
        description="Store nothing; answer with the job that has the key; or change that one while it is unclaimed.",
    )


ByRule = Annotated[UniqueBody | None, Field(description="How unique keys are enforced; by its defaults if left out.")]


class BulkItem(Body):
    """One of many jobs to store."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [EXAMPLE_JOB]})

    job_type: Name = Field(description="The name of its task.")
    input: Any = Field(default_factory=dict, description="What the task's handler takes; `{}` if left out.")
    queue: Name | None = Field(None, description=_OR_TASKS)
    priority: Annotated[int, Field(ge=-1000, le=1000)] | None = Field(None, description=f"Higher first. {_OR_TASKS}")
    max_retries: Annotated[int, Field(ge=0, le=1000)] | None = Field(None, description=_OR_TASKS)
    run_at: Instant | None = Field(None, description="Not before this instant.")
    unique_key: Name | None = Field(None, description="No second job of this type and tenant is stored under it.")
    concurrency_key: Name | None = Field(
        None, description=f"Of jobs with the same, one runs at a time, or as many as a limit says. {_OR_TASKS}"
    )
    source: Name | None = Field(None, description=f"Whose pace, quota and breaker it waits for. {_OR_TASKS}")
    max_cost_cents: Cents | None = Field(None, description="Reserved of the tenant's budget while it runs.")
    parent_id: Name | None = Field(None, description="The job that asks for this one.")


class EnqueueBody(BulkItem):
    """One job to store."""

    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant.")
    delay_seconds: Seconds | None = Field(None, description="Due so long after it is stored.")
    unique: ByRule = None


class BulkBody(Body):
    """Many jobs to store, all or none."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"jobs": [EXAMPLE_JOB]}]})

    jobs: Annotated[list[BulkItem], Field(min_length=1, max_length=MOST_AT_ONCE)] = Field(description="In this order.")
    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant.")
    unique: ByRule = None


class PurgeBody(Body):
    """Which finished jobs to forget, and why."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"older_than_seconds": 604_800, "states": ["succeeded"], "reason": "old"}]},
    )

    older_than_seconds: Seconds = Field(description="Only those that ended longer ago.")
    reason: Reason
    states: Annotated[list[Annotated[State, WORD]], Field(min_length=1, max_length=3)] | None = Field(
        None, description="Only those that ended so."
    )
    job_types: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Only those for these tasks."
    )
    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant; all tenants if left out.")
    limit: Annotated[int, Field(ge=1, le=100_000)] = Field(10_000, description="About how many at the most.")
    dry_run: bool = Field(default=False, description="Only tell how many there are, up to 1,000.")


class PurgeShape(BaseModel):
    """How many jobs were forgotten, or would be."""

    count: int
    dry_run: bool


class ActBody(Body):
    """Why something is done; goes into the audit log."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"reason": "the provider is back"}]}
    )

    reason: Reason


class ActOnAllBody(ActBody):
    """Which jobs are meant, what becomes of at most how many, and why; a job must fit every field that is given."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"queue": "mail", "job_type": "SEND", "reason": "the provider is back"}]},
    )

    states: Annotated[list[Annotated[State, WORD]], Field(min_length=1, max_length=3)] | None = Field(
        None, description="Retry: `failed` if left out, or `cancelled`. Cancel: all that are unfinished if left out."
    )
    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant; all tenants if left out.")
    queue: OfQueue = None
    job_type: OfType = None
    source: OfSource = None
    parent_id: OfParent = None
    unique_key: OfUniqueKey = None
    locked_by: OfWorker = None
    limit: Annotated[int, Field(ge=1, le=10_000)] = Field(1_000, description="How many are moved at the most.")
    cursor: str | None = Field(None, max_length=LONGEST_CURSOR, description="`next_cursor` of the answer before.")
    dry_run: bool = Field(default=False, description="Only count those that fit.")


class MovedShape(BaseModel):
    """How many jobs were moved, or would be; how many were not, by verdict. `next_cursor`: there may be more."""

    count: int
    left_alone: dict[str, int]
    next_cursor: str | None
    dry_run: bool


class JobQuery(PageQuery):
    """Which jobs are meant, and which page of them; a job must fit every field that is given."""

    state: Annotated[list[State] | None, Field(description="In these states; may be repeated.")] = None
    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant; all tenants if left out.")
    queue: OfQueue = None
    job_type: OfType = None
    source: OfSource = None
    parent_id: OfParent = None
    unique_key: OfUniqueKey = None
    locked_by: OfWorker = None


class ErrorShape(BaseModel):
    """What a handler raised."""

    type: str
    message: str = ""


class JobShape(BaseModel):
    """One job."""

    id: str
    tenant: str
    queue: str
    job_type: str
    state: State
    priority: int
    input: Any
    output: Any = Field(description="What its handler gave back.")
    error: ErrorShape | None = Field(description="What its last attempt ended with.")
    cost_cents: float = Field(description="What all its attempts have cost.")
    attempts: int = Field(description="Executions that ended in an error or with a lost worker.")
    tries: int = Field(description="Those, and the execution that runs, succeeded or was cancelled.")
    max_retries: int
    worker_deaths: int = Field(description="Workers that vanished while they had it.")
    run_at: datetime | None = Field(description="Not before; of a retryable job, when it is tried again.")
    unique_key: str | None
    concurrency_key: str | None
    source: str | None
    locked_by: str | None = Field(description="The worker that has it, or had it last.")
    progress: Any = Field(description="What its handler reported last.")
    parent_id: str | None = Field(description="The job that asked for it.")
    created_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class EnqueuedShape(BaseModel):
    """What became of an enqueue. `job` null: its unique key was taken, and nothing was stored."""

    job: JobShape | None


class BulkShape(BaseModel):
    """What became of each job, in order; null where its unique key was taken."""

    jobs: list[JobShape | None]
    stored: int


class JobPage(BaseModel):
    """One page of jobs, the one stored last first."""

    jobs: list[JobShape]
    next_cursor: str | None


class AttemptShape(BaseModel):
    """One execution of a job."""

    number: int
    worker: str
    started_at: datetime
    ended_at: datetime | None
    outcome: AttemptOutcome
    error: ErrorShape | None


class AttemptList(BaseModel):
    """The history of a job, oldest attempt first."""

    attempts: list[AttemptShape]


class ReasonShape(BaseModel):
    """One thing that keeps a job from running."""

    code: str
    sentence: str
    until: datetime | None
    job_id: str | None = Field(description="The job that has to run first, where one does.")


class WhyShape(BaseModel):
    """Where a job stands, and all that keeps it from running."""

    job_id: str
    state: State
    summary: str
    reasons: list[ReasonShape]
