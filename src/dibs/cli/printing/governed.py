"""Gates, sources, limits and explanations for people's eyes."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dibs.cli.printing.output import styled
from dibs.cli.printing.tables import make_table
from dibs.cli.spans import show_age, show_instant
from dibs.engine.admission.explaining import Explanation
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.admission.source import Source
from dibs.kit.figures import show_span
from dibs.kit.money import to_cents


def gates_table(gates: Sequence[Gate], now: datetime) -> Table:
    """One line a gate that is shut."""
    table = make_table("gate", "mode", "since", "opens", "by", "reason", right=("since",), flexible=("reason",))
    for gate in gates:
        opens = "when opened" if gate.expires_at is None else show_age(gate.expires_at, now)
        since = show_age(gate.set_at, now, units=1)
        table.add_row(styled(gate.key), gate.mode, since, opens, styled(gate.actor), styled(gate.reason))
    return table


def sources_table(sources: Sequence[Source], now: datetime) -> Table:
    """One line a source."""
    columns = ("source", "state", "rate/min", "burst", "today", "failures", "last success", "last failure")
    table = make_table(*columns, right=("rate/min", "burst", "today", "failures", "last success", "last failure"))
    for source in sources:
        rate, quota = source.rule.rate_limit_per_minute, source.rule.daily_quota
        used = source.used_today(now)
        table.add_row(
            styled(source.name),
            _source_state(source, now),
            "no limit" if rate is None else str(rate),
            str(source.rule.burst),
            str(used) if quota is None else f"{used}/{quota}",
            f"{source.failure_streak}/{source.rule.failure_limit}",
            show_age(source.last_success_at, now, units=1),
            show_age(source.last_failure_at, now, units=1),
        )
    return table


def _source_state(source: Source, now: datetime) -> Text:
    if not source.rule.enabled:
        return styled("disabled", "yellow")
    if source.paused_until is not None and source.paused_until > now:
        return styled(f"paused for {show_span(source.paused_until - now)}", "yellow")
    if source.is_broken:
        return styled("broken, to be probed", "yellow")
    if source.limited_until is not None and source.limited_until > now:
        return styled(f"limited for {show_span(source.limited_until - now)}", "yellow")
    return styled("well", "green")


def source_view(source: Source, now: datetime) -> RenderableType:
    """Everything about one source."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in {**msgspec.structs.asdict(source.rule), **msgspec.structs.asdict(source)}.items():
        if name not in {"name", "rule"} and value is not None:
            grid.add_row(name, styled(_show_fact(value)))
    return Group(Text.assemble(styled(source.name, "bold"), "  ", _source_state(source, now)), grid)


def _show_fact(value: object) -> str:
    if isinstance(value, datetime):
        return show_instant(value)
    return show_span(value) if isinstance(value, timedelta) else str(value)


def limits_table(rules: Sequence[Rule]) -> Table:
    """One line a limit."""
    table = make_table("limit", "name", "means")
    for rule in rules:
        kind, means = _describe(rule)
        table.add_row(kind, styled(rule.name), means)
    return table


def _describe(rule: Rule) -> tuple[str, str]:
    if isinstance(rule, TenantRule):
        return "tenant", _describe_tenant(rule)
    if isinstance(rule, KeyRule):
        return "key", "no rule of its own" if rule.max_running is None else f"{rule.max_running} at once"
    is_fair = isinstance(rule, QueueRule) and rule.fair
    return "queue", "its tenants take turns" if is_fair else "by priority and age"


def _describe_tenant(rule: TenantRule) -> str:
    running = "any number" if rule.max_running is None else str(rule.max_running)
    parts = [f"{running} at once", f"weight {rule.weight}"]
    budgets = {"day": rule.daily_budget_microcents, "month": rule.monthly_budget_microcents}
    parts += [f"{to_cents(budget)} cents a {period}" for period, budget in budgets.items() if budget is not None]
    return ", ".join(parts)


def explanation_view(explanation: Explanation, now: datetime) -> RenderableType:
    """Why a job is not running, one reason a line."""
    lines = [Text.assemble(styled(explanation.job_id, "bold"), "  ", styled(explanation.summary))]
    for reason in explanation.reasons:
        until = "" if reason.until is None else f" ({_until(reason.until, now)})"
        lines.append(Text.assemble("  ", styled(reason.code, "yellow"), "  ", styled(reason.sentence + until)))
    return Group(*lines)


def _until(instant: datetime, now: datetime) -> str:
    return f"until {show_instant(instant)}, for {show_span(max(instant - now, now - now))}"
