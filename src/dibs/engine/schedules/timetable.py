"""The schedules of a store, for people, apps and the scheduling loop: checks, plans, and asks the store."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from dibs.engine.audit.actions import DECLARATION, SCHEDULER, ScheduleAction
from dibs.engine.schedules import planning
from dibs.engine.schedules.checks import check_schedule_name, fit_schedule
from dibs.engine.schedules.firing import job_of, unique_rule_of, without_overlap_policy
from dibs.engine.schedules.keeping import FireRequest, FireStatus, FireVerdict, ScheduleAct, Schedules
from dibs.engine.schedules.schedule import Backfill, Fire, Overlap, Schedule
from dibs.engine.store.checks.moving import fit_act
from dibs.engine.store.checks.storing import check_new_jobs
from dibs.engine.store.checks.values import check_limit, check_name, check_optional_name, check_span
from dibs.engine.store.moves import OperatorAct, StoreRequest
from dibs.errors import BadInput, ScheduleConflict, ScheduleNotFound, VersionMoved

TRIES = 10
# What the store or a person decides, and a declaration in code does not.
_NOT_DECLARED = ("paused", "next_at", "last_fired_at", "version", "created_at", "updated_at")
_WHEN = ("timing", "start_at", "end_at")
Alter = Callable[[Schedule, datetime], Schedule]


class Handled(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule that was due, and what came of it. `failure`: it cannot work, for this reason, and was paused."""

    schedule: Schedule
    verdict: FireVerdict
    has_skipped: bool = False
    failure: str | None = None


class Timetable:
    """What can be done with schedules. Acts of people take who does it (`actor`) and why (`reason`)."""

    def __init__(
        self,
        schedules: Schedules,
        *,
        clock: Callable[[], Awaitable[datetime]],
        on_cancelled: Callable[[], Awaitable[None]],
        max_payload_bytes: int,
    ) -> None:
        self.kept = schedules
        self._clock = clock
        self._on_cancelled = on_cancelled
        self._limit = max_payload_bytes

    async def find(self, name: str, *, tenant: str = "default") -> Schedule | None:
        """Read a schedule, or None."""
        check_schedule_name(name)
        check_name(tenant, "tenant")
        return await self.kept.find(tenant, name)

    async def get(self, name: str, *, tenant: str = "default") -> Schedule:
        """Read a schedule that must exist."""
        found = await self.find(name, tenant=tenant)
        if found is None:
            raise _missing(tenant, name)
        return found

    async def list_schedules(self, *, tenant: str | None = None) -> list[Schedule]:
        """Read all schedules, or all of a tenant, by tenant and name."""
        check_optional_name(tenant, "tenant")
        return await self.kept.list_schedules(tenant)

    async def list_fires(self, name: str, *, tenant: str = "default", limit: int = 50) -> list[Fire]:
        """Read which instants have fired, the latest first."""
        check_schedule_name(name)
        check_name(tenant, "tenant")
        check_limit(limit)
        return await self.kept.list_fires(tenant, name, limit)

    async def preview(self, name: str, *, tenant: str = "default", count: int = 5) -> list[datetime]:
        """Tell the next instants, by the store's clock."""
        return planning.preview(await self.get(name, tenant=tenant), await self._clock(), count)

    async def change(self, schedule: Schedule, *, version: int, actor: str, reason: str) -> Schedule:
        """Put a schedule in the place of the one that has this version, and of no other. A pause stays."""
        fitting = self._fit(schedule)
        found = await self.get(schedule.name, tenant=schedule.tenant)
        wanted = replace(_replaced(found, fitting, await self._clock()), version=version)
        saved = await self.kept.save(wanted, _make_act(ScheduleAction.CHANGED, actor, reason))
        if saved is None:
            raise _moved(schedule.name, version)
        return saved

    async def create(self, schedule: Schedule, *, actor: str, reason: str, is_replacing: bool = False) -> Schedule:
        """Store a new schedule; or, if told so, put it in the place of one that there is. A pause stays."""
        fitting = self._fit(schedule)
        act = _make_act(ScheduleAction.CREATED, actor, reason)
        saved = await self.kept.save(await self._arm_new(fitting), act)
        if saved is not None:
            return saved
        if not is_replacing:
            message = (
                f"tenant {schedule.tenant!r} has a schedule {schedule.name!r} already; nothing was changed."
                " Choose another name, remove that one first, or replace it."
            )
            raise ScheduleConflict(message)
        act = _make_act(ScheduleAction.CHANGED, actor, reason)
        return await self._change(fitting, act, lambda found, now: _replaced(found, fitting, now))

    async def declare(self, schedule: Schedule) -> Schedule:
        """Store what code declares, unless it stands so already. A person's pause stays."""
        fitting = replace(self._fit(schedule), declared=True)
        found = await self.kept.find(fitting.tenant, fitting.name)
        if found is not None and _is_same(found, fitting):
            return found
        act = ScheduleAct(action=ScheduleAction.CHANGED, actor=DECLARATION, reason="the declaration has changed")
        if found is None:
            act = ScheduleAct(action=ScheduleAction.CREATED, actor=DECLARATION, reason="declared in code")
            saved = await self.kept.save(await self._arm_new(fitting), act)
            # None: another process has declared it in this very moment.
            return saved if saved is not None else await self.declare(schedule)
        return await self._change(fitting, act, lambda found, now: _replaced(found, fitting, now))

    async def pause(self, name: str, *, actor: str, reason: str, tenant: str = "default") -> Schedule:
        """Let a schedule fire no more until it is resumed."""
        act = _make_act(ScheduleAction.PAUSED, actor, reason)
        found = await self.get(name, tenant=tenant)
        return await self._change(found, act, lambda found, _: replace(found, paused=True, next_at=None))

    async def resume(self, name: str, *, actor: str, reason: str, tenant: str = "default") -> Schedule:
        """Let it wait for its next instant from now on. What it missed while paused stays undone."""
        act = _make_act(ScheduleAction.RESUMED, actor, reason)
        found = await self.get(name, tenant=tenant)
        return await self._change(found, act, lambda found, now: planning.arm(replace(found, paused=False), now))

    async def remove(
        self, name: str, *, actor: str, reason: str, tenant: str = "default", version: int | None = None
    ) -> None:
        """Forget a schedule; with a version, only if it still has that one. Jobs that it has stored stay."""
        check_schedule_name(name)
        check_name(tenant, "tenant")
        act = _make_act(ScheduleAction.REMOVED, actor, reason)
        if await self.kept.remove(tenant, name, act, version):
            return
        if version is not None and await self.kept.find(tenant, name) is not None:
            raise _moved(name, version)
        raise _missing(tenant, name)

    async def run_now(self, name: str, *, actor: str, reason: str, tenant: str = "default") -> FireVerdict:
        """Fire at once, also a paused one; its own instants stay. The overlap policy holds."""
        act = _make_act(ScheduleAction.RUN_NOW, actor, reason)
        return await self._fire_by_hand(tenant, name, act, lambda _, now: (now,))

    async def backfill(
        self, name: str, wanted: Backfill, *, actor: str, reason: str, tenant: str = "default"
    ) -> FireVerdict:
        """Fire the past instants of a range that have not fired, whatever the overlap policy."""
        act = _make_act(ScheduleAction.BACKFILLED, actor, reason)

        def choose(schedule: Schedule, now: datetime) -> Sequence[datetime]:
            return planning.plan_backfill(schedule, wanted, now)

        return await self._fire_by_hand(tenant, name, act, choose, has_policy=False)

    async def fire_due(self, limit: int) -> list[Handled]:
        """Fire what is due; safe with any number of others that do the same."""
        now, due = await self.kept.list_due(limit)
        return [await self._handle(schedule, now) for schedule in due]

    async def prune_fires(self, older_than: timedelta, *, limit: int = 1_000) -> int:
        """Forget old fires; tell how many."""
        check_span(older_than, "older_than")
        check_limit(limit)
        return await self.kept.prune_fires(older_than, limit)

    async def forget_fires(self, name: str, *, tenant: str = "default", limit: int = 1_000) -> int:
        """Forget at which instants a schedule has fired: its name may be somebody's; tell how many there were."""
        check_schedule_name(name)
        check_name(tenant, "tenant")
        check_limit(limit)
        count = 0
        while forgotten := await self.kept.forget_fires(tenant, name, limit):
            count += forgotten
        return count

    async def _handle(self, schedule: Schedule, now: datetime) -> Handled:
        try:
            decision = planning.plan(schedule, now)
            request = self.make_request(schedule, decision.instants, decision.next_at)
        except BadInput as error:
            return await self._give_up(schedule, error)
        verdict = await self._fire(request)
        has_skipped = decision.has_skipped and verdict.status is not FireStatus.SUPERSEDED
        return Handled(schedule=schedule, verdict=verdict, has_skipped=has_skipped)

    async def _give_up(self, schedule: Schedule, error: BadInput) -> Handled:
        """Pause one that cannot be worked with, say in a zone that this machine does not know."""
        act = ScheduleAct(action=ScheduleAction.PAUSED, actor=SCHEDULER, reason=str(error))
        paused = await self.kept.save(replace(schedule, paused=True, next_at=None), act)
        verdict = FireVerdict(status=FireStatus.SUPERSEDED)
        return Handled(schedule=paused or schedule, verdict=verdict, failure=str(error))

    async def _fire_by_hand(
        self,
        tenant: str,
        name: str,
        act: ScheduleAct,
        choose: Callable[[Schedule, datetime], Sequence[datetime]],
        *,
        has_policy: bool = True,
    ) -> FireVerdict:
        for _ in range(TRIES):
            schedule = await self.get(name, tenant=tenant)
            instants = choose(schedule, await self._clock())
            firing = schedule if has_policy else without_overlap_policy(schedule)
            verdict = await self._fire(self.make_request(firing, instants, schedule.next_at, act))
            if verdict.status is not FireStatus.SUPERSEDED:
                return verdict
        raise _contended(tenant, name)

    async def _fire(self, request: FireRequest) -> FireVerdict:
        verdict = await self.kept.fire(request)
        if verdict.cancelled:
            await self._on_cancelled()
        return verdict

    def make_request(
        self,
        schedule: Schedule,
        instants: Sequence[datetime],
        next_at: datetime | None,
        act: ScheduleAct | None = None,
    ) -> FireRequest:
        """Make the jobs of some instants, and the request to store them."""
        jobs = [job_of(schedule, instant) for instant in instants]
        inputs = check_new_jobs(jobs, limit=self._limit)
        return FireRequest(
            tenant=schedule.tenant,
            name=schedule.name,
            version=schedule.version,
            instants=tuple(instants),
            store=StoreRequest(jobs=jobs, inputs=inputs, unique=unique_rule_of(schedule)),
            next_at=next_at,
            is_cancelling=schedule.overlap is Overlap.CANCEL_RUNNING,
            act=act,
        )

    async def _arm_new(self, schedule: Schedule) -> Schedule:
        return _arm_or_refuse(replace(schedule, version=0), await self._clock())

    async def _change(self, schedule: Schedule, act: ScheduleAct, alter: Alter) -> Schedule:
        for _ in range(TRIES):
            found = await self.get(schedule.name, tenant=schedule.tenant)
            saved = await self.kept.save(alter(found, await self._clock()), act)
            if saved is not None:
                return saved
        raise _contended(schedule.tenant, schedule.name)

    def _fit(self, schedule: Schedule) -> Schedule:
        return fit_schedule(schedule, limit=self._limit)


def _replaced(found: Schedule, wanted: Schedule, now: datetime) -> Schedule:
    """Give the new schedule with what a person or the store has decided about the old one."""
    kept = {name: getattr(found, name) for name in _NOT_DECLARED}
    changed = replace(wanted, **kept)
    has_new_times = any(getattr(found, name) != getattr(wanted, name) for name in _WHEN)
    return _arm_or_refuse(changed, now) if has_new_times else changed


def _arm_or_refuse(schedule: Schedule, now: datetime) -> Schedule:
    armed = planning.arm(schedule, now)
    if armed.next_at is None and not schedule.paused:
        message = (
            f"schedule {schedule.name!r} would never fire after {now.isoformat()}. Correct its timing or its end_at."
        )
        raise BadInput(message)
    return armed


def _is_same(found: Schedule, declared: Schedule) -> bool:
    names = [name for name in Schedule.__struct_fields__ if name not in _NOT_DECLARED]
    return all(getattr(found, name) == getattr(declared, name) for name in names)


def _make_act(action: ScheduleAction, actor: str, reason: str) -> ScheduleAct:
    act = fit_act(OperatorAct(actor=actor, reason=reason))
    return ScheduleAct(action=action, actor=act.actor, reason=act.reason)


def _moved(name: str, version: int) -> VersionMoved:
    return VersionMoved(f"schedule {name!r} does not have version {version} any more. Read it again, then decide.")


def _missing(tenant: str, name: str) -> ScheduleNotFound:
    return ScheduleNotFound(f"tenant {tenant!r} has no schedule {name!r}. See: dibs schedules list")


def _contended(tenant: str, name: str) -> ScheduleConflict:
    message = f"schedule {name!r} of tenant {tenant!r} was changed by others {TRIES} times in a row. Try again."
    return ScheduleConflict(message)
