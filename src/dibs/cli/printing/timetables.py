"""Schedules as tables and lists for people's eyes."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dibs.cli.printing.output import styled
from dibs.cli.printing.tables import audit_table, indented, make_table, payload_lines, title
from dibs.cli.spans import show_age, show_instant
from dibs.engine.schedules.schedule import Fire, Interval, Schedule, Timing
from dibs.engine.store.reading import AuditEntry
from dibs.kit.clock import EPOCH
from dibs.kit.figures import show_span
from dibs.kit.money import to_cents

_FACTS = ("tenant", "queue", "priority", "max_retries", "source", "concurrency_key", "instant_as", "overlap", "misfire")
_INSTANTS = ("start_at", "end_at", "last_fired_at", "created_at", "updated_at")


def schedules_table(schedules: Sequence[Schedule], now: datetime) -> Table:
    """One line a schedule. Tenants are shown if there are several."""
    has_tenants = any(one.tenant != "default" for one in schedules)
    columns = ["name", *(["tenant"] if has_tenants else []), "when", "type", "next", "last"]
    table = make_table(*columns, right=("next", "last"), flexible=("tenant", "when", "type"))
    for one in schedules:
        table.add_row(
            styled(one.name),
            *([styled(one.tenant)] if has_tenants else []),
            styled(show_timing(one.timing)),
            styled(one.job_type),
            show_next(one, now),
            _show_last(one, now),
        )
    return table


def show_timing(timing: Timing) -> str:
    """Write a timing in one line."""
    if isinstance(timing, Interval):
        since = "" if timing.anchor == EPOCH else f" from {show_instant(timing.anchor)}"
        return f"every {show_span(timing.every, units=4)}{since}"
    return f"{timing.expression} {timing.zone}"


def show_next(schedule: Schedule, now: datetime) -> Text:
    """Tell when it fires next, or why it does not."""
    if schedule.paused:
        return styled("paused", "yellow")
    if schedule.next_at is None:
        return styled("ended", "dim")
    is_due = schedule.next_at <= now
    return styled(f"due for {show_age(schedule.next_at, now)}" if is_due else show_age(schedule.next_at, now))


def _show_last(schedule: Schedule, now: datetime) -> str:
    return "never" if schedule.last_fired_at is None else f"{show_age(schedule.last_fired_at, now, units=1)} ago"


def show_local(instant: datetime, timing: Timing) -> str:
    """Write an instant in UTC and, for a cron expression elsewhere, as the clocks there show it."""
    if isinstance(timing, Interval) or timing.zone == "UTC":
        return show_instant(instant)
    return f"{show_instant(instant)}  {instant.astimezone(ZoneInfo(timing.zone)):%a %Y-%m-%d %H:%M:%S %Z}"


def schedule_view(
    schedule: Schedule, fires: Sequence[Fire], audit: Sequence[AuditEntry], now: datetime
) -> RenderableType:
    """Everything that is known of one schedule."""
    headline = Text.assemble(styled(schedule.name, "bold"), "  ", show_next(schedule, now))
    parts: list[RenderableType] = [headline, Padding(_facts(schedule), (0, 0, 0, 2), expand=False)]
    parts += [title("Input"), indented(payload_lines(schedule.input))]
    if fires:
        parts += [title("Last fires"), Padding(fires_table(fires), (0, 0, 0, 2), expand=False)]
    if audit:
        parts += [title("Audit"), Padding(audit_table(audit), (0, 0, 0, 2), expand=False)]
    return Group(*parts)


def _facts(schedule: Schedule) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    grid.add_row("when", styled(show_timing(schedule.timing)))
    if schedule.next_at is not None:
        grid.add_row("next_at", show_local(schedule.next_at, schedule.timing))
    grid.add_row("job_type", styled(schedule.job_type))
    for name in _FACTS:
        value = getattr(schedule, name)
        if value is not None:
            grid.add_row(name, styled(value))
    if schedule.max_cost_microcents:
        grid.add_row("max_cost", f"{to_cents(schedule.max_cost_microcents)} cents")
    grid.add_row("grace", show_span(schedule.grace))
    grid.add_row("declared", "in an app's code" if schedule.declared else "no")
    for name in _INSTANTS:
        if getattr(schedule, name) is not None:
            grid.add_row(name, show_instant(getattr(schedule, name)))
    return grid


def fires_table(fires: Sequence[Fire]) -> Table:
    """One line a fire, the latest first."""
    table = make_table("instant", "late", "job", right=("late",), flexible=("job",))
    for fire in fires:
        late = show_span(fire.fired_at - fire.instant)
        table.add_row(show_instant(fire.instant), late, styled(fire.job_id or "kept out by the overlap policy"))
    return table
