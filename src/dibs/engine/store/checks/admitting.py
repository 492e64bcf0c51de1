"""Rules, sources, and what is reported of them."""

from msgspec.structs import replace

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import MOST_WEIGHT, KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.admission.source import FetchReport, FetchVerdict, SourceRule
from dibs.engine.store.checks.values import (
    LARGEST_NUMBER,
    check_instant,
    check_name,
    check_span,
    check_whole_number,
    shown,
)
from dibs.errors import BadInput

MOST_RUNNING = 1_000_000
MOST_A_MINUTE = 60_000_000


def fit_rule(rule: Rule) -> Rule:
    """Refuse a rule that cannot be kept; words are taken for what they mean."""
    if isinstance(rule, Gate):
        return _fit_gate(rule)
    _check_limits(rule)
    return rule


def _check_limits(rule: TenantRule | KeyRule | QueueRule) -> None:
    check_name(rule.name, "name")
    if isinstance(rule, TenantRule):
        _check_tenant(rule)
    elif isinstance(rule, KeyRule):
        if rule.max_running is not None:
            check_whole_number(rule.max_running, "max_running", 1, MOST_RUNNING)
        _check_family(rule.name)
    else:
        _check_flag(rule.fair, "fair")


def _check_family(name: str) -> None:
    if name.endswith(":") and ":" in name[:-1]:
        family = name.partition(":")[0]
        message = f"{shown(name)} speaks for no keys: a family ends at the first colon. Use {family + ':'!r}."
        raise BadInput(message)


def _fit_gate(gate: Gate) -> Gate:
    try:
        fitted = replace(gate, scope=GateScope(gate.scope), mode=GateMode(gate.mode))
    except ValueError as cause:
        known = f"Scopes are {', '.join(GateScope)}; modes are {', '.join(GateMode)}."
        message = f"no gate is {shown(gate.mode)} before {shown(gate.scope)}. {known}"
        raise BadInput(message) from cause
    _check_gate(fitted)
    return fitted


def _check_gate(gate: Gate) -> None:
    if gate.scope is GateScope.GLOBAL and gate.name:
        message = f"the global gate has no name; {shown(gate.name)} was given. Leave it out, or name another scope."
        raise BadInput(message)
    if gate.scope is not GateScope.GLOBAL:
        check_name(gate.name, gate.scope.value)
    if gate.expires_at is not None:
        check_instant(gate.expires_at, "expires_at")
        _check_can_end(gate)


def _check_can_end(gate: Gate) -> None:
    if gate.mode is GateMode.OPEN:
        message = (
            f"an open gate has no end, and expires_at {gate.expires_at} was given. Leave it out;"
            f" to keep the gate shut until then, use {GateMode.DRAIN} or {GateMode.CLOSED}."
        )
        raise BadInput(message)


def _check_tenant(rule: TenantRule) -> None:
    check_whole_number(rule.weight, "weight", 1, MOST_WEIGHT)
    if rule.max_running is not None:
        check_whole_number(rule.max_running, "max_running", 0, MOST_RUNNING)
    for field in ("daily_budget_microcents", "monthly_budget_microcents"):
        if getattr(rule, field) is not None:
            check_whole_number(getattr(rule, field), field, 0, LARGEST_NUMBER)


def check_source_rule(rule: SourceRule) -> None:
    """Refuse what cannot be declared of a source."""
    check_name(rule.name, "source")
    if rule.rate_limit_per_minute is not None:
        check_whole_number(rule.rate_limit_per_minute, "rate_limit_per_minute", 1, MOST_A_MINUTE)
    if rule.daily_quota is not None:
        check_whole_number(rule.daily_quota, "daily_quota", 1, LARGEST_NUMBER)
    check_whole_number(rule.burst, "burst", 1, MOST_RUNNING)
    check_whole_number(rule.failure_limit, "failure_limit", 1, MOST_RUNNING)
    check_span(rule.pause, "pause")
    if rule.enabled is not None:
        _check_flag(rule.enabled, "enabled")


def _check_flag(value: object, field: str) -> None:
    if not isinstance(value, bool):
        message = f"{field} {shown(value)}: use True or False."
        raise BadInput(message)


def fit_report(report: FetchReport) -> FetchReport:
    """Refuse a report on nothing; a verdict's word is taken for what it means."""
    check_name(report.source, "source")
    check_whole_number(report.token, "token", 0, LARGEST_NUMBER)
    if report.retry_after is not None:
        check_span(report.retry_after, "retry_after")
    try:
        return replace(report, verdict=FetchVerdict(report.verdict))
    except ValueError as cause:
        message = f"{shown(report.verdict)} is not a verdict. Verdicts are {', '.join(FetchVerdict)}."
        raise BadInput(message) from cause
