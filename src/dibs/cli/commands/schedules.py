"""`dibs schedules`: look at schedules, and change them as an operator."""

import inspect
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from dibs.assembly import Dibs
from dibs.cli.commands.jobs.enqueue import (
    ConcurrencyKey,
    Input,
    InQueue,
    JobTypeArgument,
    MaxCost,
    MaxRetries,
    Priority,
    Source,
    find_app,
    read_input,
)
from dibs.cli.exits import Exit
from dibs.cli.options import Actor, AppPath, AsJson, Reason, Tenant, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_schedule, shape_schedule_history, shape_schedules, shape_verdict
from dibs.cli.spans import read_instant, read_optional_instant, read_optional_span, read_span, show_instant
from dibs.cli.stores import Work, on_store
from dibs.engine.app import App
from dibs.engine.audit.actions import schedule_subject
from dibs.engine.schedules import planning
from dibs.engine.schedules.declaring import check_input, make_timing, take_settings
from dibs.engine.schedules.keeping import FireStatus, FireVerdict
from dibs.engine.schedules.schedule import (
    DEFAULT_BACKFILL,
    DEFAULT_CATCH_UP,
    Backfill,
    Fire,
    Misfire,
    Overlap,
    Schedule,
    Timing,
)
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import LARGEST_PAGE, AuditEntry, AuditFilter, PageRequest
from dibs.errors import BadInput
from dibs.kit.money import to_microcents

app = typer.Typer(help="Look at schedules, and change them as an operator.", no_args_is_help=False)

DEFAULT_FIRES = 10
# Which schedule is meant, who does it, and why.
Given = dict[str, str]
Act = Callable[[str | None, Given, bool], int]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the schedule.")]
OfTenant = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose it is.")]


def _instant(name: str, text: str) -> Any:
    return typer.Option(name, metavar="INSTANT", help=text)


def _choice(name: str, text: str, words: type[StrEnum]) -> Any:
    return typer.Option(name, metavar="POLICY", help=f"{text}: {', '.join(words)}.")


CronText = Annotated[str | None, typer.Option("--cron", metavar="TEXT", help="When: '0 3 * * *', @daily.")]
Zone = Annotated[
    str | None, typer.Option("--zone", metavar="ZONE", help="For --cron: Europe/Berlin.", show_default="UTC")
]
Every = Annotated[str | None, typer.Option("--every", metavar="TIME", help="How often: 90s, 5m, 1h.")]
Anchor = Annotated[str | None, _instant("--anchor", "For --every: an instant to count from.")]
InstantAs = Annotated[
    str | None, typer.Option("--instant-as", metavar="FIELD", help="Put the instant into this field of the input.")
]
MisfirePolicy = Annotated[Misfire, _choice("--misfire", "For missed instants", Misfire)]
CatchUpLimit = Annotated[
    int, typer.Option("--catch-up-limit", metavar="N", help="How many missed instants to make up for.")
]
OverlapPolicy = Annotated[Overlap, _choice("--overlap", "While a job is unfinished", Overlap)]
Grace = Annotated[str, typer.Option("--grace", metavar="TIME", help="How late is still on time.")]
StartAt = Annotated[str | None, _instant("--start-at", "No instant before this.")]
EndAt = Annotated[str | None, _instant("--end-at", "No instant from this on.")]
IsReplacing = Annotated[bool, typer.Option("--replace", help="Replace one of that name; its pause stays.")]


@app.command("list")
def list_schedules(tenant: Tenant = None, url: Url = None, *, as_json: AsJson = False) -> None:
    """List schedules, by tenant and name."""

    async def look(backend: Backend) -> tuple[list[Schedule], datetime]:
        return await backend.schedules.list_schedules(tenant=tenant), await backend.reader.now()

    schedules, now = on_store(url, look)
    if as_json:
        output.show_json(shape_schedules(schedules))
        return
    if not schedules:
        output.hint("No schedules. Make one: dibs schedules create --help")
        return
    from dibs.cli.printing.timetables import schedules_table

    output.show(schedules_table(schedules, now))


@app.command("show")
def show_schedule(name: Name, tenant: OfTenant = "default", url: Url = None, *, as_json: AsJson = False) -> None:
    """Show a schedule with its last fires and its audit entries."""
    schedule, fires, audit, now = on_store(url, lambda backend: _read_history(backend, name, tenant))
    if as_json:
        output.show_json(shape_schedule_history(schedule, fires, audit))
        return
    from dibs.cli.printing.timetables import schedule_view

    output.show(schedule_view(schedule, fires, audit, now))


async def _read_history(
    backend: Backend, name: str, tenant: str
) -> tuple[Schedule, Sequence[Fire], list[AuditEntry], datetime]:
    schedule = await backend.schedules.get(name, tenant=tenant)
    fires = await backend.schedules.list_fires(name, tenant=tenant, limit=DEFAULT_FIRES)
    wanted = AuditFilter(subject=schedule_subject(name), tenant=tenant)
    page = await backend.reader.list_audit(wanted, PageRequest(limit=LARGEST_PAGE))
    return schedule, fires, list(reversed(page.items)), await backend.reader.now()


@app.command("create")
def create_schedule(
    name: Name,
    job_type: JobTypeArgument,
    text: Input = "{}",
    *,
    reason: Reason,
    cron: CronText = None,
    zone: Zone = None,
    every: Every = None,
    anchor: Anchor = None,
    instant_as: InstantAs = None,
    misfire: MisfirePolicy = Misfire.FIRE_ONCE,
    catch_up_limit: CatchUpLimit = DEFAULT_CATCH_UP,
    overlap: OverlapPolicy = Overlap.ALLOW,
    grace: Grace = "60s",
    start_at: StartAt = None,
    end_at: EndAt = None,
    queue: InQueue = None,
    priority: Priority = None,
    max_retries: MaxRetries = None,
    source: Source = None,
    concurrency_key: ConcurrencyKey = None,
    max_cost: MaxCost = None,
    is_replacing: IsReplacing = False,
    tenant: OfTenant = "default",
    actor: Actor = None,
    app_path: AppPath = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Create a schedule, and tell when it fires first.

    With --app, the task's own settings and checks hold; without it nobody checks the type.
    """
    about_jobs = {"queue": queue, "priority": priority, "max_retries": max_retries, "source": source}
    said = _said(**about_jobs, concurrency_key=concurrency_key, max_cost_microcents=_read_cost(max_cost))
    firing: dict[str, Any] = {"misfire": misfire, "catch_up_limit": catch_up_limit, "overlap": overlap}
    firing |= {"grace": read_span(grace, "--grace"), "start_at": read_optional_instant(start_at, "--start-at")}
    firing |= {"end_at": read_optional_instant(end_at, "--end-at"), "instant_as": instant_as}
    timing, given = _read_timing(cron, zone, every, anchor), read_input(text)
    schedule = Schedule(name=name, job_type=job_type, timing=timing, tenant=tenant, input=given, **firing)
    app = find_app(app_path, url, job_type)
    schedule = _complete(schedule, said, app)
    url = app.url if app_path is not None and isinstance(app, Dibs) else url
    creation = _creation(schedule, OperatorAct(actor=name_actor(actor), reason=reason), is_replacing)
    _show_changed(on_store(url, creation), "created", as_json=as_json)


def _read_cost(cents: float | None) -> int | None:
    return None if cents is None else to_microcents(cents)


def _said(**options: Any) -> dict[str, Any]:
    """Leave out what was not said."""
    return {name: value for name, value in options.items() if value is not None}


def _complete(schedule: Schedule, said: dict[str, Any], app: App) -> Schedule:
    """Take what was not said from the task, if the app has it."""
    task = app.tasks.get(schedule.job_type)
    if task is None:
        return replace(schedule, **said)
    check_input(schedule, task)
    return replace(schedule, **{**take_settings(task, schedule.input), **said})


def _creation(schedule: Schedule, act: OperatorAct, is_replacing: bool) -> Work[Schedule]:
    async def create(backend: Backend) -> Schedule:
        given = {"actor": act.actor, "reason": act.reason}
        return await backend.schedules.create(schedule, **given, is_replacing=is_replacing)

    return create


def _read_timing(cron: str | None, zone: str | None, every: str | None, anchor: str | None) -> Timing:
    span = read_optional_span(every, "--every")
    when = cron if span is None else span
    if when is None or (cron is not None and span is not None):
        message = "say when: either --cron '0 3 * * *' or --every 5m."
        raise BadInput(message)
    return make_timing(when, timezone=zone, anchor=read_optional_instant(anchor, "--anchor"))


def _act(verb: str) -> Callable[[Act], Act]:
    """Make a command of what may be done to one schedule: all of these take the same options."""

    def register(act: Act) -> Act:
        @app.command(verb, help=inspect.getdoc(act))
        def command(
            name: Name,
            reason: Reason,
            tenant: OfTenant = "default",
            actor: Actor = None,
            url: Url = None,
            *,
            as_json: AsJson = False,
        ) -> int:
            return act(url, {"name": name, "tenant": tenant, "actor": name_actor(actor), "reason": reason}, as_json)

        return act

    return register


@_act("pause")
def pause_schedule(url: str | None, given: Given, as_json: bool) -> int:
    """Let a schedule fire no more until it is resumed."""
    paused = on_store(url, lambda backend: backend.schedules.pause(**given))
    return _show_changed(paused, "paused", as_json=as_json)


@_act("resume")
def resume_schedule(url: str | None, given: Given, as_json: bool) -> int:
    """Let a paused schedule fire again, from now on.

    What was due meanwhile is not made up for; a backfill does that.
    """
    resumed = on_store(url, lambda backend: backend.schedules.resume(**given))
    return _show_changed(resumed, "resumed", as_json=as_json)


@_act("run-now")
def run_now(url: str | None, given: Given, as_json: bool) -> int:
    """Fire a schedule at once, also a paused one, and print the job's id.

    Its overlap policy holds, and its own instants stay.
    """
    return _show_fires(on_store(url, lambda backend: backend.schedules.run_now(**given)), as_json=as_json)


@app.command("backfill")
def backfill(
    name: Name,
    since: Annotated[str, _instant("--since", "The first instant to fill.")],
    until: Annotated[str, _instant("--until", "Where to end; not part of it.")],
    reason: Reason,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=planning.MOST_BACKFILLED, help="Refuse if there are more.")
    ] = DEFAULT_BACKFILL,
    tenant: OfTenant = "default",
    actor: Actor = None,
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Fire the past instants of a range that have not fired, and print their jobs' ids.

    All of them, or, above the limit, none.
    """
    wanted = Backfill(since=read_instant(since, "--since"), until=read_instant(until, "--until"), limit=limit)

    async def fill(backend: Backend) -> FireVerdict:
        return await backend.schedules.backfill(name, wanted, tenant=tenant, actor=name_actor(actor), reason=reason)

    return _show_fires(on_store(url, fill), as_json=as_json)


@app.command("preview")
def preview(
    name: Name,
    count: Annotated[
        int, typer.Option("--count", metavar="N", min=1, max=planning.MOST_AT_ONCE, help="How many instants.")
    ] = 5,
    tenant: OfTenant = "default",
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Tell the next instants of a schedule, as if it were not paused."""

    async def look(backend: Backend) -> tuple[Schedule, list[datetime]]:
        schedule = await backend.schedules.get(name, tenant=tenant)
        return schedule, await backend.schedules.preview(name, tenant=tenant, count=count)

    schedule, instants = on_store(url, look)
    if as_json:
        output.show_json({"name": name, "tenant": tenant, "paused": schedule.paused, "instants": instants})
        return
    from dibs.cli.printing.timetables import show_local

    for instant in instants:
        output.show_line(show_local(instant, schedule.timing))
    if schedule.paused:
        output.tell(f"It is paused. Resume it: dibs schedules resume {name} --reason …")


@_act("remove")
def remove_schedule(url: str | None, given: Given, as_json: bool) -> int:
    """Forget a schedule. Jobs that it has stored stay."""

    async def remove(backend: Backend) -> Schedule:
        schedule = await backend.schedules.get(given["name"], tenant=given["tenant"])
        facts: dict[str, Any] = {**given}
        await backend.schedules.remove(**facts)
        return schedule

    schedule = on_store(url, remove)
    if as_json:
        output.show_json(shape_schedule(schedule))
        return Exit.DONE
    output.show_line(f"{schedule.name}  removed")
    if schedule.declared:
        output.tell("It is declared in an app's code, whose workers will store it again when they start.")
    return Exit.DONE


def _show_changed(schedule: Schedule, what: str, *, as_json: bool) -> int:
    if as_json:
        output.show_json(shape_schedule(schedule))
        return Exit.DONE
    fires = "" if schedule.next_at is None else f", fires next at {show_instant(schedule.next_at)}"
    output.show_line(f"{schedule.name}  {what}{fires}")
    return Exit.DONE


def _show_fires(verdict: FireVerdict, *, as_json: bool) -> int:
    if as_json:
        output.show_json(shape_verdict(verdict))
    for fire in () if as_json else verdict.fires:
        what = fire.job_id or "kept out: a job of this schedule is unfinished"
        output.show_line(f"{show_instant(fire.instant)}  {what}")
    has_stored = any(fire.job_id is not None for fire in verdict.fires)
    if verdict.status is FireStatus.ALREADY_FIRED:
        output.tell("dibs: every instant of that range has fired before; nothing was stored.")
    return Exit.DONE if has_stored else Exit.CONFLICT
