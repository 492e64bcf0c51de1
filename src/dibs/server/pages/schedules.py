"""Schedules: when they fire next, and pausing, resuming, running them now."""

from datetime import date, datetime, timedelta

import msgspec
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.schedules import planning
from dibs.engine.schedules.keeping import FireStatus
from dibs.engine.schedules.schedule import Interval, Schedule
from dibs.kit.figures import show_span
from dibs.server.call import Asked, Call
from dibs.server.pages.jobs import ActForm
from dibs.server.pages.listing import make_address
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Name, Tenant

router = make_page_router()
DAYS = 7
MOST_FIRES = 60
MOST_A_DAY = 8
LAST_FIRES = 20


class ScheduleForm(ActForm):
    """Which schedule is meant."""

    tenant: Name
    name: Name


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule on one day: when it first fires then, and how often."""

    schedule: Schedule
    first: datetime
    count: int


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """One day of the calendar, in UTC."""

    date: date
    planned: list[Planned]
    more: int


@router.get("/schedules", **page(Scope.SCHEDULES_READ))
async def list_schedules(call: Asked, tenant: Tenant = None) -> Response:
    """List schedules, and what they will do in the days to come."""
    schedules = await call.backend.schedules.list_schedules(tenant=call.find_tenant(tenant))
    now = await call.backend.reader.now()
    days, often = plan_days(schedules, now)
    return render(
        call,
        "server/schedules.html",
        is_live=True,
        schedules=schedules,
        days=days,
        often=often,
        most_often=MOST_A_DAY,
        describe=describe_timing,
        now=now,
    )


@router.get("/schedules/one", **page(Scope.SCHEDULES_READ))
async def show_schedule(call: Asked, tenant: Name, name: Name) -> Response:
    """Show one, with its fires."""
    schedule = await _get(call, tenant, name)
    now = await call.backend.reader.now()
    return render(
        call,
        "server/schedule.html",
        is_live=True,
        schedule=schedule,
        describe=describe_timing,
        coming=[] if schedule.paused else planning.preview(schedule, now, 10),
        fires=await call.backend.schedules.list_fires(name, tenant=tenant, limit=LAST_FIRES),
        now=now,
    )


@router.post("/schedules/pause", **page(Scope.SCHEDULES_WRITE))
async def pause(call: Asked) -> Response:
    """Let it fire no more."""
    form = await read_form(call, ScheduleForm)
    await _get(call, form.tenant, form.name)
    await call.backend.schedules.pause(form.name, tenant=form.tenant, actor=call.actor, reason=form.reason)
    return go_to(_address(form.tenant, form.name), "Paused.")


@router.post("/schedules/resume", **page(Scope.SCHEDULES_WRITE))
async def resume(call: Asked) -> Response:
    """Let it wait for its next instant."""
    form = await read_form(call, ScheduleForm)
    await _get(call, form.tenant, form.name)
    await call.backend.schedules.resume(form.name, tenant=form.tenant, actor=call.actor, reason=form.reason)
    return go_to(_address(form.tenant, form.name), "Resumed.")


@router.post("/schedules/run", **page(Scope.SCHEDULES_WRITE))
async def run_now(call: Asked) -> Response:
    """Fire it at once."""
    form = await read_form(call, ScheduleForm)
    await _get(call, form.tenant, form.name)
    verdict = await call.backend.schedules.run_now(form.name, tenant=form.tenant, actor=call.actor, reason=form.reason)
    said = "Fired." if verdict.status is FireStatus.FIRED else f"Nothing was fired: {verdict.status}."
    return go_to(_address(form.tenant, form.name), said)


def plan_days(schedules: list[Schedule], now: datetime) -> tuple[list[Day], list[Schedule]]:
    """Lay the next fires out by days, and name apart the schedules that fire too often for that."""
    by_day: dict[date, list[Planned]] = {now.date() + timedelta(days=day): [] for day in range(DAYS)}
    often: list[Schedule] = []
    for schedule in schedules:
        instants = [] if schedule.paused else planning.preview(schedule, now, MOST_FIRES)
        # Its instants end before the calendar does.
        if len(instants) == MOST_FIRES and instants[-1].date() <= max(by_day):
            often.append(schedule)
            continue
        for day, planned in by_day.items():
            planned.extend(_plan(schedule, instants, day))
    return [_make_day(day, planned) for day, planned in by_day.items()], often


def _plan(schedule: Schedule, instants: list[datetime], day: date) -> list[Planned]:
    on_day = [instant for instant in instants if instant.date() == day]
    return [Planned(schedule=schedule, first=on_day[0], count=len(on_day))] if on_day else []


def _make_day(day: date, planned: list[Planned]) -> Day:
    ordered = sorted(planned, key=lambda one: one.first)
    return Day(date=day, planned=ordered[:MOST_A_DAY], more=len(ordered[MOST_A_DAY:]))


def describe_timing(schedule: Schedule) -> str:
    """Say when it fires."""
    timing = schedule.timing
    if isinstance(timing, Interval):
        return f"every {show_span(timing.every)}".replace(".0 s", " s")
    return f"{timing.expression} · {timing.zone}"


def _address(tenant: str, name: str) -> str:
    return make_address("/schedules/one", {"tenant": tenant, "name": name})


async def _get(call: Call, tenant: str, name: str) -> Schedule:
    """Read a schedule; another tenant's is missing, in the very same words."""
    if not call.can_see(tenant):
        tenant = call.get_tenant()
    return await call.backend.schedules.get(name, tenant=tenant)
