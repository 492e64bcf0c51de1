"""What two stores that lived through the same history must agree on."""

import re
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.engine.admission.gate import Gate
from dibs.engine.admission.rules import Rule
from dibs.engine.admission.source import Source
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import NamedLease
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, PageRequest
from dibs.testing.machine.values import LOCKS

EVERYTHING = PageRequest(limit=1_000)

# Times and tokens differ from store to store; everything else must not.
AGREED_FIELDS = (
    "id", "job_type", "tenant", "queue", "priority", "input", "max_retries", "unique_key", "concurrency_key", "source",
    "parent_id", "max_cost_microcents",
    "state", "output", "error", "progress", "cost_microcents", "attempts", "worker_deaths", "locked_by",
)  # fmt: skip
PRESENT_FIELDS = ("locked_at", "heartbeat_at", "lease_expires_at", "started_at", "finished_at")
PAST_FIELDS = ("run_at", "lease_expires_at")


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be seen of a store at one moment. What must agree is in `agreed`."""

    agreed: dict[str, Any]
    jobs: list[Job]
    locks: list[NamedLease]


def view_job(job: Job, now: datetime | None = None) -> dict[str, Any]:
    """Take from a job what must be the same in every store; of its instants, whether they have come."""
    seen = {field: getattr(job, field) for field in AGREED_FIELDS}
    seen |= {f"has {field}": getattr(job, field) is not None for field in PRESENT_FIELDS}
    if now is not None:
        seen |= {f"{field} has come": (getattr(job, field) or now) <= now for field in PAST_FIELDS}
    return seen


async def view_store(backend: Backend) -> Sight:
    """Look at everything."""
    jobs = (await backend.reader.list_jobs(JobFilter(), EVERYTHING)).items
    locks = [lease for name in LOCKS if (lease := await backend.leases.find(name))]
    now = await backend.reader.now()
    agreed = {
        "jobs": [view_job(job, now) for job in jobs],
        # A job without a token was never claimed, and has no history to look at.
        "attempts": {job.id: await view_attempts(backend, job.id) for job in jobs if job.lease_token},
        "counts": await backend.reader.count_jobs(JobFilter()),
        "queues": await backend.reader.count_queues(),
        "audit": await view_audit(backend),
        "locks": [(lease.name, lease.owner) for lease in locks],
        "workers": await view_workers(backend),
        "rules": [view_rule(rule) for rule in await backend.admission.list_rules()],
        "sources": [view_source(source, now) for source in await backend.sources.list_sources()],
        "standings": {job.id: await view_standing(backend, job.id, now) for job in jobs if not job.is_final},
        "seals": [(head.tenant, head.position) for head in await backend.audit.list_heads()],
        "unsealed": await backend.audit.count_unsealed(),
    }
    return Sight(agreed=agreed, jobs=jobs, locks=locks)


async def view_attempts(backend: Backend, job_id: str) -> list[tuple[Any, ...]]:
    """Look at the history of a job."""
    return [(one.number, one.worker, one.outcome, one.error) for one in await backend.reader.list_attempts(job_id)]


async def view_audit(backend: Backend) -> list[tuple[str, ...]]:
    """Look at the audit log, in no order: entries of one instant may come in any."""
    entries = (await backend.reader.list_audit(AuditFilter(), EVERYTHING)).items
    return sorted((one.tenant, one.actor, one.action, one.subject, one.reason, view_detail(one)) for one in entries)


def view_detail(entry: AuditEntry) -> str:
    """Look at the detail of an entry, without its instants."""
    return re.sub(r"'\d{4}-\d\d-\d\dT[^']*'", "an instant", str(entry.detail))


async def view_workers(backend: Backend) -> list[tuple[Any, ...]]:
    """Look at the cards, by name: on a clock that stands, all were shown first at the same instant."""
    return sorted((one.worker_id, one.state, one.held, one.queues) for one in await backend.workers.list_workers())


def view_rule(rule: Rule) -> Any:
    """Look at a rule; when a gate was set and expires is another instant in every store."""
    if not isinstance(rule, Gate):
        return rule
    return replace(rule, set_at=None, expires_at=None), rule.expires_at is None


def view_source(source: Source, now: datetime) -> dict[str, Any]:
    """Look at a source; of its instants, whether they have come."""
    seen = {name: getattr(source, name) for name in source.__struct_fields__}
    for name in ("paused_until", "held_until", "next_free_at", "limited_until"):
        seen[name] = None if seen[name] is None else seen[name] <= now
    for name in ("last_success_at", "last_failure_at", "quota_day", "earlier_day"):
        seen[name] = seen[name] is not None
    seen["lone_probe"] = seen["lone_probe"] != 0
    return seen


async def view_standing(backend: Backend, job_id: str, now: datetime) -> dict[str, Any]:
    """Look at all that decides whether a job may run."""
    standing = await backend.admission.find_standing(job_id)
    assert standing is not None
    seen = {name: getattr(standing, name) for name in standing.__struct_fields__}
    gates = [view_rule(gate) for gate in standing.gates]
    return {**seen, "gates": gates, "source": standing.source and view_source(standing.source, now)}


async def follow_pages(backend: Backend, wanted: JobFilter, limit: int) -> list[str]:
    """Read the ids of all jobs that are meant, page by page."""
    ids: list[str] = []
    page = PageRequest(limit=limit)
    while True:
        found = await backend.reader.list_jobs(wanted, page)
        ids += [job.id for job in found.items]
        if found.next_cursor is None:
            return ids
        page = PageRequest(cursor=found.next_cursor, limit=limit)


def find_running(sight: Sight) -> dict[str, Job]:
    """Find the jobs that run."""
    return {job.id: job for job in sight.jobs if job.state is State.RUNNING}
