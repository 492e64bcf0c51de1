"""What the audit log says of jobs and schedules."""

from enum import StrEnum


class JobAction(StrEnum):
    """The entries that the engine itself writes, each in the transaction of the move that it records."""

    SUCCEEDED = "JOB_SUCCEEDED"
    FAILED = "JOB_FAILED"
    EXHAUSTED_RETRIES = "JOB_EXHAUSTED_RETRIES"
    QUARANTINED = "JOB_QUARANTINED"
    DROPPED = "JOB_DROPPED"
    RECLAIMED = "JOB_RECLAIMED"
    CANCELLED = "JOB_CANCELLED"
    RETRIED = "JOB_RETRIED"
    PURGED = "JOBS_PURGED"
    ERASED = "JOB_ERASED"


class ScheduleAction(StrEnum):
    """What is done to schedules from outside, each entry in the transaction of the act that it records."""

    CREATED = "SCHEDULE_CREATED"
    CHANGED = "SCHEDULE_CHANGED"
    PAUSED = "SCHEDULE_PAUSED"
    RESUMED = "SCHEDULE_RESUMED"
    RUN_NOW = "SCHEDULE_RUN_NOW"
    BACKFILLED = "SCHEDULE_BACKFILLED"
    REMOVED = "SCHEDULE_REMOVED"


class AuditAction(StrEnum):
    """What is done to the log itself."""

    FORGOTTEN = "AUDIT_FORGOTTEN"
    KEY_CHANGED = "AUDIT_KEY_CHANGED"


class EncryptionAction(StrEnum):
    """What is done to how things are kept."""

    RENEWED = "ENCRYPTION_RENEWED"


REAPER = "dibs:reaper"
SEALER = "dibs:sealer"
SCHEDULER = "dibs:scheduler"
DECLARATION = "dibs:declaration"
ALL_JOBS = "jobs"
ALL_TENANTS = "*"


def state_change(before: str, after: str) -> dict[str, str]:
    """Tell what an operator's act did to a job."""
    return {"before": str(before), "after": str(after)}


def job_subject(job_id: str) -> str:
    """Name a job as the subject of an audit entry."""
    return f"job:{job_id}"


def schedule_subject(name: str) -> str:
    """Name a schedule as the subject of an audit entry; whose it is, the entry's tenant says."""
    return f"schedule:{name}"
