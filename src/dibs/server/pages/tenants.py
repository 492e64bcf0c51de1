"""Tenants, what each may have, and what it has spent."""

from decimal import Decimal
from typing import Annotated

import msgspec
from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from dibs.access import actions
from dibs.access.model import By
from dibs.access.scopes import Scope
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import TenantRule
from dibs.engine.states import UNFINISHED
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.kit.money import to_cents
from dibs.server.actions import governing
from dibs.server.call import Asked, Call
from dibs.server.shapes.governing import BudgetBody, Cents, Count
from dibs.server.shapes.parts import Name, Reason
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render

router = make_page_router()
MOST_SHOWN = 100
MOST_COUNTED = 20


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
    lines = [await _describe(call, name, rules, is_counted=place < MOST_COUNTED) for place, name in enumerate(names)]
    can_make = call.principal.tenant is None and Scope.TENANTS_WRITE in call.principal.scopes
    return render(
        call.request,
        "server/tenants.html",
        is_live=True,
        lines=lines,
        can_make=can_make,
        can_change=call.principal.tenant is None and Scope.BUDGETS_WRITE in call.principal.scopes,
    )


@router.post("/tenants", **page(Scope.TENANTS_WRITE))
async def make_tenant(call: Asked, request: Request) -> Response:
    """Make a tenant."""
    form = await read_form(request, TenantForm)
    directory = request.app.state.directory
    tenant = await actions.create_tenant(directory, form.name, By(principal=call.principal, reason=form.reason))
    return go_to("/tenants", f"Tenant {tenant.name} is there. Make a key for it next.")


@router.post("/tenants/budget", **page(Scope.BUDGETS_WRITE))
async def set_budget(call: Asked, request: Request) -> Response:
    """Set all that a tenant may have."""
    form = await read_form(request, BudgetForm)
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
    samples = await call.request.app.state.chronicle.read()
    seen = set(samples[-1].tenants or {}) if samples else set()
    made = set()
    if Scope.TENANTS_READ in call.principal.scopes and call.request.app.state.directory is not None:
        by = By(principal=call.principal)
        made = {tenant.name for tenant in await actions.list_tenants(call.request.app.state.directory, by)}
    return sorted(rules | seen | made)[:MOST_SHOWN]


async def _describe(call: Call, name: str, rules: dict[str, TenantRule], *, is_counted: bool) -> TenantLine:
    rule = rules.get(name, TenantRule(name=name))
    standing, unfinished = None, None
    if is_counted:
        standing = await _find_standing(call, name)
        counts = await call.backend.reader.count_jobs(JobFilter(tenant=name, states=UNFINISHED))
        unfinished = sum(counts.values())
    return TenantLine(
        name=name,
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
    newest = (await call.backend.reader.list_jobs(JobFilter(tenant=name), PageRequest(limit=1))).items
    return await call.backend.admission.find_standing(newest[0].id) if newest else None
