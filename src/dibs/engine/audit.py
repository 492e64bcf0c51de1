"""What the audit log says of jobs."""

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


REAPER = "dibs:reaper"
ALL_JOBS = "jobs"
ALL_TENANTS = "*"


def job_subject(job_id: str) -> str:
    """Name a job as the subject of an audit entry."""
    return f"job:{job_id}"
