"""`dibs audit`: what was done, by whom and why, and whether the log is still what it was."""

import sys
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
import typer

from dibs.cli.exits import Exit
from dibs.cli.options import Actor, AsJson, Reason, Tenant, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_instant, read_span
from dibs.cli.stores import on_store
from dibs.engine.audit.forgetting import forget_entries
from dibs.engine.audit.verifying import ChainReport, verify_chains
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import DEFAULT_PAGE, LARGEST_PAGE, AuditEntry, AuditFilter, Page, PageRequest
from dibs.errors import BadInput
from dibs.settings import Settings

app = typer.Typer(help="Ask the audit log, check its seals, export it.", no_args_is_help=False)
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Only what this actor did.")]
Action = Annotated[str | None, typer.Option("--action", metavar="NAME", help="Only this action: JOB_SUCCEEDED, …")]
Without = Annotated[str | None, typer.Option("--without", metavar="NAME", help="Not this action: JOB_SUCCEEDED, …")]
Subject = Annotated[str | None, typer.Option("--subject", metavar="KIND:ID", help="Only what happened to this.")]
Since = Annotated[str | None, typer.Option("--since", metavar="INSTANT", help="From this instant on.")]
Until = Annotated[str | None, typer.Option("--until", metavar="INSTANT", help="Before this instant.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=LARGEST_PAGE, help="How many at the most.")]
Cursor = Annotated[int | None, typer.Option("--cursor", metavar="N", help="Where to go on.")]
Age = Annotated[str, typer.Option("--older-than", metavar="TIME", help="Entries sealed longer ago than this.")]
OneTenant = Annotated[str, typer.Argument(metavar="TENANT", help="Whose entries.")]


@app.command("list")
def list_entries(
    tenant: Tenant = None,
    actor: By = None,
    action: Action = None,
    without: Without = None,
    subject: Subject = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = DEFAULT_PAGE,
    cursor: Cursor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """List entries, the newest first."""
    named = AuditFilter(tenant=tenant, actor=actor, action=action, subject=subject, without=without)
    wanted = _within(named, since, until)
    page = on_store(url, lambda backend: backend.reader.list_audit(wanted, PageRequest(cursor=cursor, limit=limit)))
    if as_json:
        output.show_json({"entries": page.items, "next_cursor": page.next_cursor})
    else:
        _show_page(page)


def _show_page(page: Page[AuditEntry]) -> None:
    if not page.items:
        output.hint("No such entries.")
        return
    from dibs.cli.printing.tables import log_table

    output.show(log_table(page.items))
    if page.next_cursor is not None:
        output.tell(f"There are more: add --cursor {page.next_cursor}")


@app.command("export")
def export_entries(
    tenant: Tenant = None,
    actor: By = None,
    action: Action = None,
    without: Without = None,
    subject: Subject = None,
    since: Since = None,
    until: Until = None,
    url: Url = None,
) -> None:
    """Write all entries that are meant to stdout, one JSON document a line, the newest first."""
    named = AuditFilter(tenant=tenant, actor=actor, action=action, subject=subject, without=without)
    wanted = _within(named, since, until)

    async def export(backend: Backend) -> int:
        count = 0
        async for entry in _walk(backend, wanted):
            sys.stdout.write(msgspec.json.encode(entry).decode() + "\n")
            count += 1
        return count

    output.hint(f"{output.plural(on_store(url, export), 'entry').replace('entrys', 'entries')} exported.")


async def _walk(backend: Backend, wanted: AuditFilter) -> AsyncIterator[AuditEntry]:
    cursor: int | None = None
    while True:
        page = await backend.reader.list_audit(wanted, PageRequest(cursor=cursor, limit=LARGEST_PAGE))
        for entry in page.items:
            yield entry
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


def _within(wanted: AuditFilter, since: str | None, until: str | None) -> AuditFilter:
    begin, end = read_optional_instant(since, "--since"), read_optional_instant(until, "--until")
    if begin is not None and end is not None and begin >= end:
        message = f"--since {since!r} is not before --until {until!r}: nothing lies between them."
        raise BadInput(message)
    return msgspec.structs.replace(wanted, since=begin, until=end)


@app.command("verify")
def verify(tenant: Tenant = None, url: Url = None, *, as_json: AsJson = False) -> int:
    """Check that no sealed entry was changed, removed or inserted.

    What is not sealed yet is counted as the tail. That the last entries were cut off together with their seals is found
    only by those who noted the head elsewhere: name a file in DIBS_AUDIT_HEADS for workers to note it in.
    """
    settings = Settings.from_env()
    reports = on_store(url, lambda backend: verify_chains(backend, tenant, settings))
    if as_json:
        output.show_json({"chains": reports})
    else:
        _show_reports(reports)
    return Exit.NOT_DONE if any(report.fault for report in reports) else Exit.DONE


def _show_reports(reports: list[ChainReport]) -> None:
    if not reports:
        output.show_line("The log is empty.")
        return
    from dibs.cli.printing.tables import chains_table

    output.show(chains_table(reports))


@app.command("forget")
def forget(
    tenant: OneTenant, older_than: Age, reason: Reason, actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """Forget a tenant's old sealed entries; an entry says who did it and why, and the chain goes on behind it."""
    age = read_span(older_than, "--older-than")

    act = OperatorAct(actor=name_actor(actor), reason=reason)

    count = on_store(url, lambda backend: forget_entries(backend, tenant, age, act))
    if as_json:
        output.show_json({"forgotten": count})
    else:
        output.show_line(f"{count:,} forgotten")
