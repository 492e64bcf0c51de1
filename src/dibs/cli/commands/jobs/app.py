"""`dibs jobs`: look at jobs, and move them as an operator."""

from datetime import datetime
from typing import Annotated

import typer

from dibs.cli.commands.jobs.moving import move_jobs
from dibs.cli.options import Actor, AsJson, JobType, Reason, Tenant, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_history, shape_page
from dibs.cli.stores import on_store
from dibs.engine.audit.actions import job_subject
from dibs.engine.job import Attempt, Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.operating import MOST, Act, AllThatFit
from dibs.engine.store.reading import DEFAULT_PAGE, LARGEST_PAGE, AuditEntry, AuditFilter, JobFilter, Page, PageRequest

app = typer.Typer(help="Look at jobs, and move them as an operator.", no_args_is_help=False)
Ids = Annotated[
    list[str] | None, typer.Argument(metavar="[ID…]", help="Ids of jobs; - reads them from stdin, one a line.")
]
All = Annotated[bool, typer.Option("--all", help="Every job that fits, instead of ids.")]
MostMoved = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="With --all: how many at the most.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="With --all: only tell how many there are.")]
States = Annotated[
    list[State] | None,
    typer.Option("--state", metavar="STATE", help=f"{', '.join(State)}; may be repeated.", show_default="all"),
]
Revivable = Annotated[
    list[State] | None,
    typer.Option("--state", metavar="STATE", help="failed, cancelled; may be repeated.", show_default="failed"),
]
Unfinished = Annotated[
    list[State] | None,
    typer.Option(
        "--state", metavar="STATE", help="pending, running, retryable; may be repeated.", show_default="all three"
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100_000, help="How many at the most.")]
Cursor = Annotated[
    int | None, typer.Option("--cursor", metavar="N", help="Where to go on, as the page before told it.")
]
Queue = Annotated[str | None, typer.Option("--queue", metavar="NAME", help="Only this queue.")]
Source = Annotated[str | None, typer.Option("--source", metavar="NAME", help="Only this source.")]
Parent = Annotated[str | None, typer.Option("--parent", metavar="ID", help="Only children of this job.")]
UniqueKey = Annotated[str | None, typer.Option("--unique-key", metavar="KEY", help="Only those with this unique key.")]
HeldBy = Annotated[str | None, typer.Option("--worker", metavar="NAME", help="Only those held by this worker.")]


@app.command("list")
def list_jobs(
    states: States = None,
    queue: Queue = None,
    job_type: JobType = None,
    tenant: Tenant = None,
    source: Source = None,
    parent_id: Parent = None,
    unique_key: UniqueKey = None,
    locked_by: HeldBy = None,
    limit: Limit = DEFAULT_PAGE,
    cursor: Cursor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """List jobs, the one stored last first."""
    wanted = JobFilter(
        states=_as_set(states),
        tenant=tenant,
        queue=queue,
        job_type=job_type,
        source=source,
        parent_id=parent_id,
        unique_key=unique_key,
        locked_by=locked_by,
    )

    async def look(backend: Backend) -> tuple[Page[Job], datetime]:
        return await read_jobs(backend, wanted, PageRequest(cursor=cursor, limit=limit)), await backend.reader.now()

    page, now = on_store(url, look)
    _show_page(page, now, as_json=as_json)


async def read_jobs(backend: Backend, wanted: JobFilter, page: PageRequest) -> Page[Job]:
    """Read one page of any size, a store's page at a time."""
    items: list[Job] = []
    cursor = page.cursor
    while len(items) < page.limit:
        request = PageRequest(cursor=cursor, limit=min(LARGEST_PAGE, page.limit - len(items)))
        found = await backend.reader.list_jobs(wanted, request)
        items += found.items
        cursor = found.next_cursor
        if cursor is None:
            break
    return Page(items=items, next_cursor=cursor)


def _show_page(page: Page[Job], now: datetime, *, as_json: bool) -> None:
    if as_json:
        output.show_json(shape_page(page))
        return
    if not page.items:
        output.hint("No such jobs.")
        return
    from dibs.cli.printing.tables import jobs_table

    output.show(jobs_table(page.items, now))
    if page.next_cursor is not None:
        output.tell(f"There are more: add --cursor {page.next_cursor}")


@app.command("show")
def show_job(
    job_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the job.")],
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show a job with its attempts and its audit entries."""
    job, attempts, audit, now = on_store(url, lambda backend: _read_history(backend, job_id))
    if as_json:
        output.show_json(shape_history(job, attempts, audit))
        return
    from dibs.cli.printing.tables import job_view

    output.show(job_view(job, attempts, audit, now))


async def _read_history(backend: Backend, job_id: str) -> tuple[Job, list[Attempt], list[AuditEntry], datetime]:
    job = await backend.get_job(job_id)
    reader = backend.reader
    page = await reader.list_audit(AuditFilter(subject=job_subject(job_id)), PageRequest(limit=LARGEST_PAGE))
    return job, await reader.list_attempts(job_id), list(reversed(page.items)), await reader.now()


@app.command("retry")
def retry_jobs(
    reason: Reason,
    job_ids: Ids = None,
    is_all: All = False,
    states: Revivable = None,
    queue: Queue = None,
    job_type: JobType = None,
    tenant: Tenant = None,
    source: Source = None,
    parent_id: Parent = None,
    limit: MostMoved = MOST,
    is_dry_run: DryRun = False,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Put failed or cancelled jobs back.

    Their attempts count from zero again. --all takes every failed job that fits the other options.
    """
    wanted = JobFilter(
        states=_as_set(states), queue=queue, job_type=job_type, tenant=tenant, source=source, parent_id=parent_id
    )
    by = OperatorAct(actor=name_actor(actor), reason=reason)
    asked = AllThatFit(act=Act.RETRY, wanted=wanted, by=by, most=limit, is_dry=is_dry_run)
    return move_jobs(asked, job_ids, url, is_all=is_all, as_json=as_json)


@app.command("cancel")
def cancel_jobs(
    reason: Reason,
    job_ids: Ids = None,
    is_all: All = False,
    states: Unfinished = None,
    queue: Queue = None,
    job_type: JobType = None,
    tenant: Tenant = None,
    source: Source = None,
    parent_id: Parent = None,
    limit: MostMoved = MOST,
    is_dry_run: DryRun = False,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Cancel unfinished jobs.

    The handler of a running one is told to stop. --all takes every unfinished job that fits the other options.
    """
    wanted = JobFilter(
        states=_as_set(states), queue=queue, job_type=job_type, tenant=tenant, source=source, parent_id=parent_id
    )
    by = OperatorAct(actor=name_actor(actor), reason=reason)
    asked = AllThatFit(act=Act.CANCEL, wanted=wanted, by=by, most=limit, is_dry=is_dry_run)
    return move_jobs(asked, job_ids, url, is_all=is_all, as_json=as_json)


def _as_set(states: list[State] | None) -> frozenset[State] | None:
    return frozenset(states) if states else None
