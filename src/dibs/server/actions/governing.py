"""Queues, gates, limits, budgets and sources, for a caller who may see some of them."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule, rule_key
from dibs.engine.admission.source import Source
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter
from dibs.errors import BadInput, RequestRefused, SourceNotFound
from dibs.kit.money import to_cents, to_microcents
from dibs.server.call import Call
from dibs.server.shapes.governing import BudgetBody, GateBody, SourceBody
from dibs.server.shapes.writing import write_rule
from dibs.web.answers.json import check_match, make_version


async def count_queue(call: Call, name: str, tenant: str | None) -> dict[State, int]:
    """Count the jobs of one queue in every state; one that never had any is missing."""
    counts = await call.backend.reader.count_jobs(JobFilter(queue=name, tenant=tenant))
    if not any(counts.values()):
        message = f"queue {name!r} has no jobs. GET /api/v1/queues lists those that have."
        raise RequestRefused(message, code="queue_not_found")
    return counts


async def list_gates(call: Call) -> list[Gate]:
    """Read the gates that are shut; a tenant sees its own."""
    gates = await call.backend.admission.list_gates()
    own = call.principal.tenant
    return [gate for gate in gates if own is None or (gate.scope is GateScope.TENANT and gate.name == own)]


async def set_gate(call: Call, body: GateBody, if_match: str | None = None) -> Gate:
    """Shut or open a gate; a tenant may only have its own."""
    if body.scope is not GateScope.TENANT:
        call.for_installation()
    elif not call.can_see(body.name):
        call.find_tenant(body.name)
    await check_ahead(call, body.expires_at, "expires_at")
    gate = Gate(scope=body.scope, name=body.name, mode=body.mode, expires_at=body.expires_at)
    await set_rule(call, gate, body.reason, if_match)
    kept = await call.backend.admission.list_gates()
    return next((one for one in kept if one.key == gate.key), gate)


async def check_ahead(call: Call, until: datetime | None, field: str) -> None:
    """Refuse a pause that is over before it begins."""
    if until is not None and until <= await call.backend.reader.now():
        message = f"{field} {until.isoformat()} is past. Name an instant that is still to come, or leave it out."
        raise BadInput(message)


async def list_limits(call: Call) -> dict[str, list[Any]]:
    """Read the rules of queues and keys."""
    call.for_installation()
    rules = await call.backend.admission.list_rules()
    queues = [write_rule(rule) for rule in rules if isinstance(rule, QueueRule)]
    keys = [write_rule(rule) for rule in rules if isinstance(rule, KeyRule)]
    return {"queues": queues, "keys": keys}


async def set_limit(call: Call, rule: QueueRule | KeyRule, reason: str, if_match: str | None) -> dict[str, Any]:
    """Keep a rule of a queue or a key."""
    call.for_installation()
    await set_rule(call, rule, reason, if_match)
    return write_rule(rule)


async def set_rule(call: Call, rule: Rule, reason: str, if_match: str | None) -> None:
    """Keep a rule; only in the place of the one that a caller names by its version, if they name any."""
    by = {"actor": call.actor, "reason": reason}
    if if_match is None:
        await call.backend.admission.set_rule(rule, **by)
        return
    rules = await call.backend.admission.list_rules()
    found: list[Rule] = [one for one in rules if rule_key(one) == rule_key(rule)]
    check_match(if_match, found[0] if found else None, f"rule {':'.join(rule_key(rule))}")
    await call.backend.admission.replace_rule(found[0], rule, **by)


async def list_budgets(call: Call) -> list[dict[str, Any]]:
    """Read what tenants may have; a tenant sees its own."""
    rules = await call.backend.admission.list_rules()
    return [_write_budget(rule) for rule in rules if isinstance(rule, TenantRule) and call.can_see(rule.name)]


async def get_budget(call: Call, tenant: str) -> dict[str, Any]:
    """Read what a tenant may have; another tenant's is missing, in the very same words."""
    found = next((budget for budget in await list_budgets(call) if budget["tenant"] == tenant), None)
    if found is None:
        message = f"tenant {tenant!r} has no budget here. GET /api/v1/budgets lists those that have one."
        raise RequestRefused(message, code="budget_not_found")
    return found


async def set_budget(call: Call, tenant: str, body: BudgetBody, if_match: str | None = None) -> dict[str, Any]:
    """Set how much a tenant may have. No tenant does this for itself."""
    call.for_installation()
    rule = TenantRule(
        name=tenant,
        max_running=body.max_running,
        weight=body.weight,
        daily_budget_microcents=_microcents(body.daily_budget_cents),
        monthly_budget_microcents=_microcents(body.monthly_budget_cents),
    )
    await set_rule(call, rule, body.reason, if_match)
    return _write_budget(rule)


def _microcents(cents: float | None) -> int | None:
    return None if cents is None else to_microcents(cents)


def _cents(microcents: int | None) -> Decimal | None:
    return None if microcents is None else to_cents(microcents)


def _write_budget(rule: TenantRule) -> dict[str, Any]:
    return {
        "tenant": rule.name,
        "max_running": rule.max_running,
        "weight": rule.weight,
        "daily_budget_cents": _cents(rule.daily_budget_microcents),
        "monthly_budget_cents": _cents(rule.monthly_budget_microcents),
        "version": make_version(rule),
    }


async def get_source(call: Call, name: str) -> Source:
    """Read a source that must be known."""
    source = await call.backend.sources.find(name)
    if source is None:
        message = f"no source is called {name!r}. GET /api/v1/sources lists those that are known."
        raise SourceNotFound(message)
    return source


async def declare_source(call: Call, name: str, body: SourceBody, if_match: str | None) -> Source:
    """Declare a source; only in the place of what a caller names by its version, if they name any."""
    rule, by = body.make_rule(name), {"actor": call.actor, "reason": body.reason}
    if if_match is None:
        return await call.backend.sources.declare(rule, **by)
    found = await call.backend.sources.find(name)
    expected = check_match(if_match, None if found is None else found.rule, f"source {name}")
    return await call.backend.sources.replace(expected, rule, **by)
