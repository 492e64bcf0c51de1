"""Jobs, for a caller who may see some of them."""

from datetime import timedelta
from typing import Any

from dibs.engine.admission.explaining import Explanation, explain
from dibs.engine.audit.actions import job_subject
from dibs.engine.events import JOB_ENQUEUED
from dibs.engine.job import Attempt, Job
from dibs.engine.retention import BATCH, prune
from dibs.engine.states import FINAL
from dibs.engine.store import operating
from dibs.engine.store.moves import OperatorAct, PruneRequest, UniqueRule
from dibs.engine.store.operating import Act, AllThatFit, Moved
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest
from dibs.engine.tasks.task import EnqueueOptions, TaskSettings, make_job
from dibs.errors import BadInput, DuplicateJob, JobNotFound
from dibs.server.call import Call
from dibs.server.shapes.jobs import ActOnAllBody, BulkBody, BulkItem, EnqueueBody, JobQuery, PurgeBody, UniqueBody
from dibs.server.shapes.writing import read_page
from dibs.web.paging import read_cursor

DEFAULTS = TaskSettings()
_ITEM_OPTIONS = tuple(name for name in BulkItem.model_fields if name not in ("job_type", "input", "max_cost_cents"))


async def enqueue(call: Call, body: EnqueueBody) -> Job | None:
    """Store one job."""
    if body.run_at is not None and body.delay_seconds is not None:
        message = "run_at and delay_seconds both say when the job is due. Give one of them."
        raise BadInput(message)
    job = _make_job(call, body, call.get_tenant(body.tenant), {} if body.input is None else body.input)
    try:
        stored = await _store(call, body, job)
    except DuplicateJob:
        # The very same request was made before, and whoever took it died before the answer was kept.
        [found] = await _find_made(call, [job.id])
        return found
    _tell_of(call, [stored])
    return stored


async def _store(call: Call, body: EnqueueBody, job: Job) -> Job | None:
    if job.unique_key is None and body.unique is None and body.delay_seconds is None:
        return await call.arrivals.store(job)
    task = call.engine.tasks.get(body.job_type)
    usual = DEFAULTS.unique if task is None else task.settings.unique
    rule = usual if body.unique is None else _read_rule(body.unique)
    delay = None if body.delay_seconds is None else timedelta(seconds=body.delay_seconds)
    return await call.backend.store_job(job, unique=rule, delay=delay)


async def enqueue_bulk(call: Call, body: BulkBody) -> list[Job | None]:
    """Store many jobs of any types, all or none."""
    tenant = call.get_tenant(body.tenant)
    jobs = [_make_job(call, item, tenant, item.input, place) for place, item in enumerate(body.jobs)]
    unique = UniqueRule() if body.unique is None else _read_rule(body.unique)
    try:
        stored = await call.backend.store_jobs(jobs, unique=unique)
    except DuplicateJob:
        return await _find_made(call, [job.id for job in jobs])
    _tell_of(call, stored)
    return stored


def _tell_of(call: Call, stored: list[Job | None]) -> None:
    for job in filter(None, stored):
        facts = {"job_type": job.job_type, "queue": job.queue, "tenant": job.tenant}
        call.engine.events.emit(JOB_ENQUEUED, job_id=job.id, **facts)


async def _find_made(call: Call, ids: list[str]) -> list[Job | None]:
    found = await call.backend.reader.find_jobs(ids)
    return [job if job is not None and call.can_see(job.tenant) else None for job in found]


def _make_job(call: Call, item: BulkItem, tenant: str, given: Any, place: int = 0) -> Job:
    task = call.engine.tasks.get(item.job_type)
    if task is not None:
        task.arguments.read(given)
    options = _read_options(item)
    if call.ticket is not None:
        options["id"] = call.ticket.make_id(place)
    wanted = EnqueueOptions(tenant=tenant, **options)
    return make_job(item.job_type, given, wanted, DEFAULTS) if task is None else task.make_job(given, wanted)


def _read_options(item: BulkItem) -> dict[str, Any]:
    options = {name: value for name in _ITEM_OPTIONS if (value := getattr(item, name)) is not None}
    return options if item.max_cost_cents is None else {**options, "max_cost": item.max_cost_cents}


def _read_rule(body: UniqueBody) -> UniqueRule:
    window = None if body.window_seconds is None else timedelta(seconds=body.window_seconds)
    return UniqueRule(hold=body.hold, window=window, on_conflict=body.on_conflict)


async def get_job(call: Call, job_id: str) -> Job:
    """Read a job; another tenant's is missing, in the very same words."""
    job = await call.lookups.find(job_id)
    if job is None or not call.can_see(job.tenant):
        message = f"no job has the id {job_id!r}. It may never have been stored, or it was pruned."
        raise JobNotFound(message)
    return job


async def list_jobs(call: Call, query: JobQuery) -> Page[Job]:
    """Read one page."""
    named = query.model_dump(exclude={"state", "tenant", "cursor", "limit"})
    states = frozenset(query.state) if query.state else None
    wanted = JobFilter(states=states, tenant=call.find_tenant(query.tenant), **named)
    return await call.backend.reader.list_jobs(wanted, read_page(query))


async def list_attempts(call: Call, job_id: str) -> list[Attempt]:
    """Read the history of a job."""
    await get_job(call, job_id)
    return await call.backend.reader.list_attempts(job_id)


async def list_audit(call: Call, job_id: str, page: PageRequest) -> Page[AuditEntry]:
    """Read what the audit log says of a job."""
    job = await get_job(call, job_id)
    return await call.backend.reader.list_audit(AuditFilter(subject=job_subject(job_id), tenant=job.tenant), page)


async def cancel(call: Call, job_id: str, reason: str) -> Job:
    """Cancel a job as an operator."""
    await get_job(call, job_id)
    await call.backend.cancel_job(job_id, actor=call.actor, reason=reason)
    return await get_job(call, job_id)


async def retry(call: Call, job_id: str, reason: str) -> Job:
    """Put a failed or cancelled job back as an operator."""
    await get_job(call, job_id)
    await call.backend.retry_job(job_id, actor=call.actor, reason=reason)
    return await get_job(call, job_id)


async def move_all(call: Call, act: Act, body: ActOnAllBody) -> Moved:
    """Retry or cancel all jobs that fit, of those that the caller may see."""
    named = {name: getattr(body, name) for name in JobFilter.__struct_fields__ if name not in ("states", "tenant")}
    states = None if body.states is None else frozenset(body.states)
    asked = AllThatFit(
        act=act,
        wanted=JobFilter(states=states, tenant=call.find_tenant(body.tenant), **named),
        by=OperatorAct(actor=call.actor, reason=body.reason),
        most=body.limit,
        cursor=read_cursor(body.cursor),
        is_dry=body.dry_run,
    )
    return await operating.move_all(call.backend, asked)


async def purge(call: Call, body: PurgeBody) -> int:
    """Forget finished jobs; tell how many."""
    request = PruneRequest(
        older_than=timedelta(seconds=body.older_than_seconds),
        states=frozenset(body.states) if body.states else FINAL,
        job_types=tuple(body.job_types) if body.job_types else None,
        tenant=call.find_tenant(body.tenant),
        limit=min(BATCH, body.limit),
        dry_run=body.dry_run,
        act=OperatorAct(actor=call.actor, reason=body.reason),
    )
    return await prune(call.backend, request, most=body.limit)


async def tell_why(call: Call, job_id: str) -> Explanation:
    """Tell why a job is not running."""
    await get_job(call, job_id)
    return await explain(call.backend, job_id)
