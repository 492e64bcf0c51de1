"""Call dibs on a job, and nobody else does it."""

from dibs.assembly import Dibs, open_backend
from dibs.engine.admission.explaining import Explanation, Reason, explain
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, TenantRule
from dibs.engine.admission.source import FetchReport, FetchVerdict, Permit, Source, SourceRule
from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Attempt, AttemptOutcome, Job, Lease
from dibs.engine.retry import RetryPolicy
from dibs.engine.schedules.keeping import FireStatus, FireVerdict
from dibs.engine.schedules.schedule import Backfill, Cron, Fire, Interval, Misfire, Overlap, Schedule
from dibs.engine.sealing import NewEntry, Seal
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import (
    CancelVerdict,
    Completion,
    Failure,
    OnConflict,
    PruneRequest,
    Reclaimed,
    RetryVerdict,
    UniqueRule,
    UniqueWhile,
)
from dibs.engine.store.protocols import Capabilities, NamedLease, WorkerCard
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context, SyncContext
from dibs.engine.tasks.outcome import Cancel, Fail, Snooze
from dibs.engine.tasks.task import Task
from dibs.engine.telemetry.logs import bind_logs
from dibs.engine.telemetry.metrics import bind_metrics
from dibs.engine.worker.worker import Worker, WorkerOptions
from dibs.errors import (
    BadInput,
    DibsError,
    DuplicateJob,
    HandlerError,
    JobConflict,
    JobNotFound,
    LeaseLost,
    MissingExtra,
    NotJson,
    NotSupported,
    OutcomeUnknown,
    PayloadTooLarge,
    Permanent,
    Retryable,
    ScheduleConflict,
    ScheduleNotFound,
    SchemaMismatch,
    SourceNotFound,
    StoreAccessDenied,
    StoreError,
    StoreUnavailable,
    UniqueKeyTaken,
    UnknownBackend,
)
from dibs.settings import Settings

__all__ = [
    "Attempt",
    "AttemptOutcome",
    "AuditEntry",
    "AuditFilter",
    "Backend",
    "Backfill",
    "BadInput",
    "Blueprint",
    "Cancel",
    "CancelVerdict",
    "Capabilities",
    "Completion",
    "Context",
    "Cron",
    "Dibs",
    "DibsError",
    "DuplicateJob",
    "ErrorInfo",
    "Explanation",
    "Fail",
    "Failure",
    "FailureKind",
    "FetchReport",
    "FetchVerdict",
    "Fire",
    "FireStatus",
    "FireVerdict",
    "Gate",
    "GateMode",
    "GateScope",
    "HandlerError",
    "Interval",
    "Job",
    "JobConflict",
    "JobFilter",
    "JobNotFound",
    "KeyRule",
    "Lease",
    "LeaseLost",
    "Misfire",
    "MissingExtra",
    "NamedLease",
    "NewEntry",
    "NotJson",
    "NotSupported",
    "OnConflict",
    "OutcomeUnknown",
    "Overlap",
    "Page",
    "PageRequest",
    "PayloadTooLarge",
    "Permanent",
    "Permit",
    "PruneRequest",
    "QueueRule",
    "Reason",
    "Reclaimed",
    "RetryPolicy",
    "RetryVerdict",
    "Retryable",
    "Schedule",
    "ScheduleConflict",
    "ScheduleNotFound",
    "SchemaMismatch",
    "Seal",
    "Settings",
    "Snooze",
    "Source",
    "SourceNotFound",
    "SourceRule",
    "State",
    "StoreAccessDenied",
    "StoreError",
    "StoreUnavailable",
    "SyncContext",
    "Task",
    "TenantRule",
    "UniqueKeyTaken",
    "UniqueRule",
    "UniqueWhile",
    "UnknownBackend",
    "Worker",
    "WorkerCard",
    "WorkerOptions",
    "bind_logs",
    "bind_metrics",
    "explain",
    "open_backend",
]
