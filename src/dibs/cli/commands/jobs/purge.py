"""`dibs jobs purge`: forget finished jobs."""

import sys
from typing import Annotated

import msgspec
import typer

from dibs.cli.exits import Exit
from dibs.cli.options import Actor, AsJson, Tenant, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.printing.progress import progress_bar
from dibs.cli.spans import read_span
from dibs.cli.stores import on_store
from dibs.engine.states import FINAL, State
from dibs.engine.store.backend import Backend
from dibs.engine.store.checks.values import LARGEST_BATCH
from dibs.engine.store.moves import OperatorAct, PruneRequest
from dibs.errors import BadInput
from dibs.kit.figures import show_span

BATCH = 1_000


Age = Annotated[str, typer.Option("--older-than", metavar="TIME", help="Finished longer ago than this: 7d, 12h.")]
States = Annotated[
    list[State] | None,
    typer.Option(
        "--state", metavar="STATE", help="succeeded, failed or cancelled; may be repeated.", show_default="all three"
    ),
]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="NAME", help="Only jobs of this type; may be repeated.", show_default="all"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only tell how many there are.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
OwnReason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the audit log.", show_default="their age")
]


def purge(
    older_than: Age,
    states: States = None,
    job_types: Types = None,
    tenant: Tenant = None,
    is_dry_run: DryRun = False,
    is_agreed: Yes = False,
    actor: Actor = None,
    reason: OwnReason = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Forget finished jobs.

    Their attempts go with them, the audit log stays.
    """
    span = read_span(older_than, "--older-than")
    request = PruneRequest(
        older_than=span,
        states=frozenset(states) if states else FINAL,
        job_types=tuple(job_types) if job_types else None,
        tenant=tenant,
        limit=LARGEST_BATCH,
        dry_run=True,
        act=OperatorAct(actor=name_actor(actor), reason=reason or f"finished more than {show_span(span)} ago"),
    )
    found = on_store(url, lambda backend: backend.prune_jobs(request))
    if not is_dry_run and found and not is_agreed and not _ask(found):
        output.tell("dibs: nothing was forgotten.")
        return Exit.NOT_DONE
    forgotten = 0 if is_dry_run or not found else on_store(url, lambda backend: _forget(backend, request, found))
    if as_json:
        output.show_json({"found": found, "forgotten": forgotten, "dry_run": is_dry_run})
    else:
        output.show_line(f"{_count(found)} would be forgotten" if is_dry_run else f"{_count(forgotten)} forgotten")
    return Exit.DONE


async def _forget(backend: Backend, request: PruneRequest, found: int) -> int:
    batch = msgspec.structs.replace(request, limit=BATCH, dry_run=False)
    forgotten = 0
    with progress_bar("Forgetting", found if found < LARGEST_BATCH else None) as advance:
        while count := await backend.prune_jobs(batch):
            forgotten += count
            advance(count)
            if count < BATCH:
                break
    return forgotten


def _ask(found: int) -> bool:
    if not sys.stdin.isatty():
        message = f"{_count(found)} would be forgotten, and there is nobody to ask. Add --yes."
        raise BadInput(message)
    return typer.confirm(f"Forget {_count(found)}?", err=True)


def _count(found: int) -> str:
    or_more = " or more" if found == LARGEST_BATCH else ""
    return f"{output.plural(found, 'job')}{or_more}"
