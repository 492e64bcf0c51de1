"""Tenants, what each may have, and what it has spent."""

import asyncio
from decimal import Decimal
from typing import Annotated

import msgspec
from pydantic import BaseModel, Field
from starlette.responses import Response

from dibs.access import actions
from dibs.access.model import By
from dibs.access.scopes import Scope
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import TenantRule
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.kit.money import to_cents
from dibs.server.actions import governing
from dibs.server.call import Asked, Call
from dibs.server.observing.finding import GUESSING_REACH as REACH
from dibs.server.shapes.governing import BudgetBody, Count
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Cents, Name, Reason

router = make_page_router()
MOST_SHOWN = 100
# What the page may spend on looking tenants up one by one.
SECONDS = 0.12


class BudgetForm(BaseModel):
    """How much a tenant may have, in money of two decimals. Empty: no limit."""

    name: Name
    reason: Reason
    max_running: Count | None = None
    weight: Annotated[int, Field(ge=1, le=1_000)] = 1
    daily: Annotated[Cents, Field(le=90_000_000)] | None = None
    monthly: Annotated[Cents, Field(le=90_000_000)] | None = None


class TenantForm(BaseModel):
    """A tenant to make."""

    name: Name
    reason: Reason


class TenantLine(msgspec.Struct, frozen=True, kw_only=True):
    """A tenant as the page shows it; None: not counted, or no limit."""

    name: str
    rule: TenantRule
    unfinished: int | None
    running: int | None
    spent_today: Decimal | None
    spent_this_month: Decimal | None
    daily: Decimal | None
    monthly: Decimal | None


@router.get("/tenants", **page(Scope.BUDGETS_READ))
async def list_tenants(call: Asked) -> Response:
    """List tenants that were made, that have a rule, or that had jobs lately."""
    names = await _find_names(call)
    rules = {rule.name: rule for rule in await call.backend.admission.list_rules() if isinstance(rule, TenantRule)}
    lines = await _describe_all(call, names, rules)
    can_make = call.principal.tenant is None and Scope.TENANTS_WRITE in call.principal.scopes
    return render(
        call,
        "server/tenants.html",
        is_live=True,
        lines=lines,
        can_make=can_make,
        can_change=call.principal.tenant is None and Scope.BUDGETS_WRITE in call.principal.scopes,
    )


@router.post("/tenants", **page(Scope.TENANTS_WRITE))
async def make_tenant(call: Asked) -> Response:
    """Make a tenant."""
    form = await read_form(call, TenantForm)
    directory = call.directory
    tenant = await actions.create_tenant(directory, form.name, By(principal=call.principal, reason=form.reason))
    return go_to("/tenants", f"Tenant {tenant.name} is there. Make a key for it next.")


@router.post("/tenants/budget", **page(Scope.BUDGETS_WRITE))
async def set_budget(call: Asked) -> Response:
    """Set all that a tenant may have."""
    form = await read_form(call, BudgetForm)
    body = BudgetBody.model_construct(
        reason=form.reason,
        max_running=form.max_running,
        weight=form.weight,
        daily_budget_cents=None if form.daily is None else form.daily * 100,
        monthly_budget_cents=None if form.monthly is None else form.monthly * 100,
    )
    await governing.set_budget(call, form.name, body)
    return go_to("/tenants", f"Limits of {form.name} are set.")


async def _find_names(call: Call) -> list[str]:
    own = call.principal.tenant
    if own is not None:
        return [own]
    rules = {rule.name for rule in await call.backend.admission.list_rules() if isinstance(rule, TenantRule)}
    samples = await call.app.state.chronicle.read()
    seen = set(samples[-1].tenants or {}) if samples else set()
    made = set()
    if Scope.TENANTS_READ in call.principal.scopes and call.app.state.directory is not None:
        by = By(principal=call.principal)
        made = {tenant.name for tenant in await actions.list_tenants(call.app.state.directory, by)}
    return sorted(rules | seen | made)[:MOST_SHOWN]


async def _describe_all(call: Call, names: list[str], rules: dict[str, TenantRule]) -> list[TenantLine]:
    """Describe tenants, those with a rule as far as there is time."""
    now = asyncio.get_running_loop().time
    deadline = now() + SECONDS
    samples = await call.app.state.chronicle.read()
    counts = (samples[-1].tenants or {}) if samples else {}
    standings = {name: await _find_standing(call, name) for name in names if now() < deadline}
    return [_describe(rules.get(name, TenantRule(name=name)), standings.get(name), counts.get(name)) for name in names]


def _describe(rule: TenantRule, standing: Standing | None, unfinished: int | None) -> TenantLine:
    return TenantLine(
        name=rule.name,
        rule=rule,
        unfinished=unfinished,
        running=None if standing is None else standing.tenant_running,
        spent_today=None if standing is None else to_cents(standing.spent_today_microcents),
        spent_this_month=None if standing is None else to_cents(standing.spent_this_month_microcents),
        daily=None if rule.daily_budget_microcents is None else to_cents(rule.daily_budget_microcents),
        monthly=None if rule.monthly_budget_microcents is None else to_cents(rule.monthly_budget_microcents),
    )


async def _find_standing(call: Call, name: str) -> Standing | None:
    """Read what a tenant has spent: the store tells it of a job, so of the one that the tenant stored last."""
    page = PageRequest(limit=1, reach=REACH)
    newest = (await call.backend.reader.list_jobs(JobFilter(tenant=name), page)).items
    return await call.backend.admission.find_standing(newest[0].id) if newest else None
