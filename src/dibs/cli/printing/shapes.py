"""What `--json` prints: names and nesting that stay as they are. docs/reference/command-line.md describes them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from dibs.engine.job import Attempt, Job
from dibs.engine.schedules.keeping import FireVerdict
from dibs.engine.schedules.schedule import Fire, Schedule
from dibs.engine.store.checkup import Finding, Severity
from dibs.engine.store.protocols import SchemaState, WorkerCard
from dibs.engine.store.reading import AuditEntry, Page

JOB_FIELDS = (
    "id",
    "tenant",
    "queue",
    "job_type",
    "state",
    "priority",
    "input",
    "output",
    "error",
    "cost_cents",
    "attempts",
    "tries",
    "max_retries",
    "worker_deaths",
    "run_at",
    "unique_key",
    "concurrency_key",
    "source",
    "lease_token",
    "locked_by",
    "locked_at",
    "heartbeat_at",
    "lease_expires_at",
    "progress",
    "parent_id",
    "created_at",
    "started_at",
    "finished_at",
)


def shape_job(job: Job) -> dict[str, Any]:
    """One job."""
    return {name: getattr(job, name) for name in JOB_FIELDS}


def shape_page(page: Page[Job]) -> dict[str, Any]:
    """One page of jobs, and where the next begins."""
    return {"jobs": [shape_job(job) for job in page.items], "next_cursor": page.next_cursor}


def shape_history(job: Job, attempts: Sequence[Attempt], audit: Sequence[AuditEntry]) -> dict[str, Any]:
    """One job and everything that is known of it."""
    return {
        "job": shape_job(job),
        "attempts": [_fields(attempt) for attempt in attempts],
        "audit": [_fields(entry) for entry in audit],
    }


def shape_workers(cards: Sequence[WorkerCard]) -> dict[str, Any]:
    """All workers that are alive."""
    return {"workers": [_fields(card) for card in cards]}


def shape_schema(state: SchemaState, applied: Sequence[int] | None = None) -> dict[str, Any]:
    """The schema, and which versions were applied just now."""
    shown = {**_fields(state), "is_usable": state.is_usable}
    return shown if applied is None else {**shown, "applied": list(applied)}


def shape_tables(state: Any) -> dict[str, Any]:
    """The tables of services and apps."""
    return {**_fields(state), "is_usable": state.is_usable}


def shape_findings(findings: Sequence[Finding]) -> dict[str, Any]:
    """What the doctor found."""
    worst = max((finding.severity for finding in findings), key=list(Severity).index, default=Severity.OK)
    return {"worst": worst, "findings": [_fields(finding) for finding in findings]}


def shape_schedule(schedule: Schedule) -> dict[str, Any]:
    """One schedule."""
    return _fields(schedule)


def shape_schedules(schedules: Sequence[Schedule]) -> dict[str, Any]:
    """All schedules."""
    return {"schedules": [_fields(schedule) for schedule in schedules]}


def shape_schedule_history(schedule: Schedule, fires: Sequence[Fire], audit: Sequence[AuditEntry]) -> dict[str, Any]:
    """One schedule, its last fires, and its audit entries."""
    return {
        "schedule": _fields(schedule),
        "fires": [_fields(fire) for fire in fires],
        "audit": [_fields(entry) for entry in audit],
    }


def shape_verdict(verdict: FireVerdict) -> dict[str, Any]:
    """What came of firing by hand."""
    return _fields(verdict)


def _fields(record: msgspec.Struct) -> dict[str, Any]:
    return msgspec.structs.asdict(record)
