"""A source of data: how often it may be asked, and whether it is well. Pure: what a store must do, at an instant.

The limiter is a GCRA. `next_free_at` is when a source that paces evenly would answer again; up to `burst` permits may
be taken ahead of it. A claim reserves a permit, the job's first fetch spends it. Reservations count against the burst,
so that a permit once reserved can be spent at any later instant without breaking the pace.
"""

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from dibs.kit.clock import utc_day

FAILURE_LIMIT = 5
PAUSE = timedelta(minutes=5)
# How long a source is left alone that answered "too many requests" and did not say for how long.
LIMITED_FOR = timedelta(minutes=1)
_MINUTE_MICROS = 60_000_000


class SourceRule(msgspec.Struct, frozen=True, kw_only=True):
    """What is declared of a source. None: no limit."""

    name: str
    rate_limit_per_minute: int | None = None
    burst: int = 1
    daily_quota: int | None = None
    failure_limit: int = FAILURE_LIMIT
    pause: timedelta = PAUSE
    enabled: bool = True

    @property
    def interval(self) -> timedelta:
        """How far apart permits are; rounded up, so that the limit is never broken."""
        rate = self.rate_limit_per_minute
        return timedelta(0) if rate is None else timedelta(microseconds=-(-_MINUTE_MICROS // rate))

    @property
    def tolerance(self) -> timedelta:
        """How far ahead of its pace a permit may be taken."""
        return self.interval * (self.burst - 1)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source as it stands. `failure_streak` counts the provider's faults; ours and the parser's are counted apart."""

    rule: SourceRule
    failure_streak: int = 0
    parser_streak: int = 0
    host_streak: int = 0
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    paused_until: datetime | None = None
    next_free_at: datetime | None = None
    limited_until: datetime | None = None
    quota_day: datetime | None = None
    quota_used: int = 0

    @property
    def name(self) -> str:
        """What jobs call it."""
        return self.rule.name

    @property
    def is_broken(self) -> bool:
        """Whether the breaker has opened and no probe has succeeded since."""
        return self.failure_streak >= self.rule.failure_limit

    def used_today(self, now: datetime) -> int:
        """How many permits were spent this UTC day."""
        return self.quota_used if self.quota_day == utc_day(now) else 0


class FetchVerdict(StrEnum):
    """How a fetch went, told apart by whose fault it was."""

    OK = "ok"
    PROVIDER_FAULT = "provider_fault"
    PARSER_FAULT = "parser_fault"
    HOST_FAULT = "host_fault"
    LIMITED = "limited"


class FetchReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a fetch. `token` is the lease token of the job that fetched, 0 outside of jobs."""

    source: str
    verdict: FetchVerdict
    token: int = 0
    retry_after: timedelta | None = None


class Permit(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a fetch may go out now; if not, when to ask again (None: not before somebody resumes the source)."""

    granted: bool
    until: datetime | None = None
    is_lease_lost: bool = False


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """Why a source gives no permit. `until` is the exact instant at which it may, None when nobody knows."""

    why: str
    until: datetime | None = None


def find_wait(source: Source, now: datetime, *, reserved: int, is_probing: bool) -> Wait | None:
    """Tell what keeps one more permit from being reserved or taken; None: nothing does.

    `reserved` permits are held unspent by other running jobs; `is_probing`: one of those tries a broken source.
    """
    if not source.rule.enabled:
        return Wait(why="disabled")
    if source.paused_until is not None and now < source.paused_until:
        return Wait(why="paused", until=source.paused_until)
    if source.is_broken and is_probing:
        return Wait(why="probing")
    return _find_pace(source, now, reserved)


def _find_pace(source: Source, now: datetime, reserved: int) -> Wait | None:
    if source.limited_until is not None and now < source.limited_until:
        return Wait(why="limited", until=source.limited_until)
    quota = source.rule.daily_quota
    if quota is not None and source.used_today(now) + reserved >= quota:
        return Wait(why="quota", until=utc_day(now) + timedelta(days=1))
    if source.rule.rate_limit_per_minute is None:
        return None
    pace = max(now, source.next_free_at or now) + source.rule.interval * reserved
    free_at = pace - source.rule.tolerance
    if free_at <= now:
        return None
    if reserved >= source.rule.burst:
        # Time alone frees none: a running job must spend its permit or give it back first.
        return Wait(why="awaited")
    return Wait(why="limited", until=free_at)


def spend(source: Source, now: datetime, *, is_in_job: bool = True) -> Source:
    """Give the source after one fetch went out.

    One outside of jobs that tries a broken source cannot be seen to end: it has the length of a pause to itself.
    """
    if source.is_broken and not is_in_job:
        source = replace(source, paused_until=now + source.rule.pause)
    next_free_at = max(now, source.next_free_at or now) + source.rule.interval
    used = source.used_today(now) + 1
    return replace(source, next_free_at=next_free_at, quota_day=utc_day(now), quota_used=used)


def take_note(source: Source, report: FetchReport, now: datetime, *, is_probe: bool) -> Source:
    """Give the source after a report. `is_probe`: the fetch was the one that tries whether the source is well again."""
    if report.verdict is FetchVerdict.OK:
        return _after_success(source, now, is_probe=is_probe)
    if report.verdict is FetchVerdict.LIMITED:
        return _after_limit(source, report, now)
    noted = replace(source, last_failure_at=now)
    if report.verdict is FetchVerdict.PARSER_FAULT:
        return replace(noted, parser_streak=source.parser_streak + 1)
    if report.verdict is FetchVerdict.HOST_FAULT:
        return replace(noted, host_streak=source.host_streak + 1)
    return _after_fault(noted, now, is_probe=is_probe)


def _after_success(source: Source, now: datetime, *, is_probe: bool) -> Source:
    noted = replace(source, last_success_at=now, parser_streak=0, host_streak=0)
    # A fetch that began before the breaker opened says nothing about how the source is now: only the probe closes it.
    if source.is_broken and not is_probe:
        return noted
    return replace(noted, failure_streak=0, paused_until=None if source.is_broken else source.paused_until)


def _after_limit(source: Source, report: FetchReport, now: datetime) -> Source:
    until = now + (LIMITED_FOR if report.retry_after is None else report.retry_after)
    return replace(source, limited_until=max(until, source.limited_until or until))


def _after_fault(source: Source, now: datetime, *, is_probe: bool) -> Source:
    if source.is_broken and not is_probe:
        return source
    streak = source.failure_streak + 1
    if streak < source.rule.failure_limit:
        return replace(source, failure_streak=streak)
    until = now + source.rule.pause
    return replace(source, failure_streak=streak, paused_until=max(until, source.paused_until or until))
