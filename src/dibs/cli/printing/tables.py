"""Jobs, attempts and workers as tables and lists for people's eyes."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dibs.cli.printing.output import state_text, styled
from dibs.cli.spans import show_age, show_instant
from dibs.engine.audit.verifying import ChainReport
from dibs.engine.job import Attempt, Job
from dibs.engine.states import WAITING, State
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.store.reading import AuditEntry
from dibs.kit.figures import show_span

LONGEST_PAYLOAD = 40
_DULL = {"tenant": "default", "priority": 0, "worker_deaths": 0, "cost_cents": 0}
_PLAIN_FIELDS = (
    "id",
    "tenant",
    "queue",
    "priority",
    "unique_key",
    "concurrency_key",
    "source",
    "parent_id",
    "locked_by",
    "worker_deaths",
    "cost_cents",
)
_INSTANTS = ("created_at", "run_at", "started_at", "heartbeat_at", "lease_expires_at", "finished_at")


def make_table(*columns: str, right: Sequence[str] = (), flexible: Sequence[str] = ()) -> Table:
    """Make a table without frames; when the terminal is narrow, the flexible columns give way first."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", show_edge=False)
    for name in columns:
        justify: JustifyMethod = "right" if name in right else "left"
        table.add_column(name, justify=justify, no_wrap=name not in flexible, overflow="fold")
    return table


def _brief(text: object, style: str = "") -> Text:
    """Text for a flexible column: one line, cut where the column ends."""
    brief = styled(" ".join(str(text).split()), style)
    brief.no_wrap, brief.overflow = True, "ellipsis"
    return brief


def jobs_table(jobs: Sequence[Job], now: datetime) -> Table:
    """One line a job. Tenants are shown if there are several."""
    has_tenants = any(job.tenant != "default" for job in jobs)
    columns = ["id", "state", "type", "queue", *(["tenant"] if has_tenants else []), "tries", "age", "note"]
    table = make_table(*columns, right=("tries", "age"), flexible=("type", "queue", "tenant", "note"))
    for job in jobs:
        tenant = [_brief(job.tenant)] if has_tenants else []
        table.add_row(
            styled(job.id),
            state_text(job.state),
            _brief(job.job_type),
            _brief(job.queue),
            *tenant,
            f"{job.tries}/{job.max_tries}",
            show_age(job.created_at, now, units=1),
            _brief(_note(job, now), "dim"),
        )
    return table


def _note(job: Job, now: datetime) -> str:
    why = f"{job.error.type}: {job.error.message}" if job.error is not None else ""
    if job.state is State.RUNNING:
        return f"by {job.locked_by}"
    if job.state in WAITING and job.run_at is not None and job.run_at > now:
        return f"{show_age(job.run_at, now, units=1)} {why}".strip()
    if job.state is State.SUCCEEDED and job.finished_at is not None and job.started_at is not None:
        return f"took {show_span(job.finished_at - job.started_at, units=1)}"
    return why


def job_view(job: Job, attempts: Sequence[Attempt], audit: Sequence[AuditEntry], now: datetime) -> RenderableType:
    """Everything that is known of one job."""
    parts: list[RenderableType] = [_headline(job), Padding(_facts(job, now), (0, 0, 0, 2), expand=False)]
    if job.error is not None:
        parts += [title("Error"), indented(_error_lines(job))]
    for name in ("input", "output", "progress"):
        value = getattr(job, name)
        if value is not None:
            parts += [title(name.capitalize()), indented(payload_lines(value))]
    if attempts:
        parts += [title("Attempts"), Padding(attempts_table(attempts), (0, 0, 0, 2), expand=False)]
    if audit:
        parts += [title("Audit"), Padding(audit_table(audit), (0, 0, 0, 2), expand=False)]
    return Group(*parts)


def _headline(job: Job) -> Text:
    return Text.assemble(styled(job.job_type, "bold"), "  ", state_text(job.state))


def title(text: str) -> Text:
    """A heading, with room above it."""
    return Text(f"\n{text}", style="bold")


def _facts(job: Job, now: datetime) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name in _PLAIN_FIELDS:
        value = getattr(job, name)
        if value not in (None, _DULL.get(name)):
            grid.add_row(name, styled(value))
    grid.add_row("tries", f"{job.tries} of {job.max_tries}")
    for name in _INSTANTS:
        instant = getattr(job, name)
        if instant is not None:
            grid.add_row(name, f"{show_instant(instant)}  ({_when(instant, now)})")
    return grid


def _when(instant: datetime, now: datetime) -> str:
    age = show_age(instant, now)
    return f"{age} ago" if instant <= now else age


def _error_lines(job: Job) -> Iterable[str]:
    if job.error is None:
        return []
    return job.error.traceback.splitlines() or [f"{job.error.type}: {job.error.message}"]


def payload_lines(value: Any) -> Iterable[str]:
    """A payload as indented JSON, cut where it gets long."""
    lines = msgspec.json.format(msgspec.json.encode(value), indent=2).decode().splitlines()
    left_out = len(lines) - LONGEST_PAYLOAD
    more = [f"… {left_out} more lines; --json shows all"] if left_out > 0 else []
    return [*lines[:LONGEST_PAYLOAD], *more]


def indented(lines: Iterable[str]) -> Padding:
    """Lines below a heading."""
    return Padding(styled("\n".join(lines)), (0, 0, 0, 2), expand=False)


def attempts_table(attempts: Sequence[Attempt]) -> Table:
    """One line an attempt."""
    columns = ("#", "outcome", "worker", "started", "took", "token", "error")
    table = make_table(*columns, right=("#", "took", "token"), flexible=("worker", "error"))
    for one in attempts:
        took = "" if one.ended_at is None else show_span(one.ended_at - one.started_at)
        error = "" if one.error is None else f"{one.error.type}: {one.error.message}"
        started = show_instant(one.started_at)
        table.add_row(str(one.number), one.outcome, _brief(one.worker), started, took, str(one.token), _brief(error))
    return table


def audit_table(entries: Sequence[AuditEntry]) -> Table:
    """One line an entry, oldest first."""
    table = make_table("at", "action", "actor", "reason", flexible=("reason",))
    for entry in sorted(entries, key=lambda entry: entry.sequence):
        table.add_row(show_instant(entry.at), entry.action, styled(entry.actor), styled(entry.reason))
    return table


def log_table(entries: Sequence[AuditEntry]) -> Table:
    """One line an entry, in the order given."""
    table = make_table("at", "tenant", "action", "subject", "actor", "reason", flexible=("subject", "reason"))
    for entry in entries:
        what = (styled(entry.tenant), entry.action, _brief(entry.subject), styled(entry.actor), _brief(entry.reason))
        table.add_row(show_instant(entry.at), *what)
    return table


def chains_table(reports: Sequence[ChainReport]) -> Table:
    """One line a tenant."""
    table = make_table("tenant", "sealed", "tail", "verdict", "head", right=("sealed", "tail"), flexible=("verdict",))
    for report in reports:
        verdict = styled("unbroken", "green") if report.fault is None else styled(f"BROKEN: {report.fault}", "red")
        table.add_row(styled(report.tenant), str(report.sealed), str(report.unsealed), verdict, report.head)
    return table


def workers_table(cards: Sequence[WorkerCard], now: datetime) -> Table:
    """One line a worker."""
    columns = ("worker", "state", "busy", "up", "seen", "queues", "takes")
    table = make_table(*columns, right=("busy", "up", "seen"), flexible=("queues", "takes"))
    for card in cards:
        table.add_row(
            styled(card.worker_id),
            styled(card.state, "" if card.state == "working" else "yellow"),
            f"{card.held}/{card.slots}",
            show_age(card.started_at, now, units=1),
            show_age(card.seen_at, now, units=1),
            _brief("all" if card.queues is None else ", ".join(card.queues)),
            _brief(", ".join(card.job_types) + (f" (tenant {card.tenant})" if card.tenant else "")),
        )
    return table
