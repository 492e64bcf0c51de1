"""A source of data: how often it may be asked, and whether it is well. Pure: what a store must do, at an instant.

The limiter is a GCRA. `next_free_at` is when a source that paces evenly would answer again; up to `burst` permits may
be taken ahead of it. A claim reserves a permit, the job's first fetch spends it. Reservations count against the burst,
so that a permit once reserved can be spent at any later instant without breaking the pace.
"""

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from dibs.kit.clock import span_micros, utc_day

FAILURE_LIMIT = 5
PAUSE = timedelta(minutes=5)
# How long a source is left alone that answered "too many requests" and did not say for how long.
LIMITED_FOR = timedelta(minutes=1)
# By how much the clock of a store may go back before what lies ahead of it is judged anew.
SLACK = timedelta(minutes=1)
# A redirect is followed at once and paid for by those after it: at most so many for each permit of a burst.
MOST_HOPS = 20
_MINUTE_MICROS = 60_000_000


class SourceRule(msgspec.Struct, frozen=True, kw_only=True):
    """What is declared of a source. None: no limit; for `enabled`, as it was, and a new source is."""

    name: str
    rate_limit_per_minute: int | None = None
    burst: int = 1
    daily_quota: int | None = None
    failure_limit: int = FAILURE_LIMIT
    pause: timedelta = PAUSE
    enabled: bool | None = None

    @property
    def interval(self) -> timedelta:
        """How far apart permits are; rounded up, so that the limit is never broken."""
        rate = self.rate_limit_per_minute
        return timedelta(0) if rate is None else timedelta(microseconds=-(-_MINUTE_MICROS // rate))

    @property
    def tolerance(self) -> timedelta:
        """How far ahead of its pace a permit may be taken."""
        return self.interval * (self.burst - 1)

    @property
    def farthest(self) -> timedelta:
        """How far ahead of now permits can have put its pace. Farther, and the store's clock was set back since."""
        return self.interval * self.burst * (1 + MOST_HOPS) + SLACK


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source as it stands. `failure_streak` counts the provider's faults; ours and the parser's are counted apart.

    `held_until` is an operator's pause, `paused_until` that or the breaker's, whichever is longer. `lone_probe` is the
    number under which a fetch outside of jobs tries a broken source, 0 while none does. What was spent on the day
    before `quota_day` is known as well: a clock that is set back over midnight gives no second quota.
    """

    rule: SourceRule
    failure_streak: int = 0
    parser_streak: int = 0
    host_streak: int = 0
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    paused_until: datetime | None = None
    held_until: datetime | None = None
    next_free_at: datetime | None = None
    limited_until: datetime | None = None
    quota_day: datetime | None = None
    quota_used: int = 0
    earlier_day: datetime | None = None
    earlier_used: int = 0
    lone_probe: int = 0

    @property
    def name(self) -> str:
        """What jobs call it."""
        return self.rule.name

    @property
    def is_broken(self) -> bool:
        """Whether the breaker has opened and no probe has succeeded since."""
        return self.failure_streak >= self.rule.failure_limit

    @property
    def is_held(self) -> bool:
        """Whether its pause is an operator's, and no breaker's lasts longer."""
        return self.held_until is not None and self.held_until == self.paused_until

    def used_today(self, now: datetime) -> int:
        """How many permits were spent this UTC day."""
        used = {self.earlier_day: self.earlier_used, self.quota_day: self.quota_used}
        return used.get(utc_day(now), 0)

    def is_probe(self, report: "FetchReport", prober: int | None) -> bool:
        """Tell whether a report is that of the fetch which tries the source; `prober`: the token of a job that does."""
        return report.token != 0 and report.token == (self.lone_probe if prober is None else prober)


class FetchVerdict(StrEnum):
    """How a fetch went, told apart by whose fault it was."""

    OK = "ok"
    PROVIDER_FAULT = "provider_fault"
    PARSER_FAULT = "parser_fault"
    HOST_FAULT = "host_fault"
    LIMITED = "limited"


class FetchReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a fetch. `token` is that of its permit: the lease token of the job, or what a probe was given."""

    source: str
    verdict: FetchVerdict
    token: int = 0
    retry_after: timedelta | None = None


class Permit(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a fetch may go out now; if not, when to ask again (None: not before somebody resumes the source).

    How it went is reported under `token`: only so does the store know the fetch that tries a broken source.
    """

    granted: bool
    token: int = 0
    until: datetime | None = None
    is_lease_lost: bool = False


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """Why a source gives no permit. `until` is the exact instant at which it may, None when nobody knows."""

    why: str
    until: datetime | None = None


def new_source(name: str) -> Source:
    """Give a source that nobody declared: it stands well."""
    return Source(rule=SourceRule(name=name, enabled=True))


def find_wait(
    source: Source, now: datetime, *, reserved: int, is_probing: bool, hop_of: int | None = None
) -> Wait | None:
    """Tell what keeps one more permit from being reserved or taken; None: nothing does.

    `reserved` permits are held unspent by other running jobs; `is_probing`: one of those tries a broken source;
    `hop_of`: a redirect is to be followed, in answer to the fetch of this token. Whoever comes next waits for it.
    """
    if source.rule.enabled is False:
        return Wait(why="disabled")
    is_lone_probe = bool(hop_of) and hop_of == source.lone_probe
    paused_until = source.held_until if is_lone_probe else _find_pause(source, now)
    if paused_until is not None and now < paused_until:
        return Wait(why="paused", until=paused_until)
    if source.is_broken and is_probing:
        return Wait(why="probing")
    if hop_of is not None:
        return _find_quota(source, now, reserved)
    if source.limited_until is not None and now < source.limited_until:
        return Wait(why="limited", until=source.limited_until)
    return _find_quota(source, now, reserved) or _find_pace(source, now, reserved)


def _find_pause(source: Source, now: datetime) -> datetime | None:
    ends = [source.held_until, source.paused_until]
    if source.is_broken and source.paused_until is not None and source.paused_until > now + source.rule.pause + SLACK:
        # Longer than the breaker pauses: its clock was set back, or the rule is another.
        ends.remove(source.paused_until)
    return max((end for end in ends if end is not None and now < end), default=None)


def _find_quota(source: Source, now: datetime, reserved: int) -> Wait | None:
    quota = source.rule.daily_quota
    if quota is not None and source.used_today(now) + reserved >= quota:
        return Wait(why="quota", until=utc_day(now) + timedelta(days=1))
    return None


def _find_pace(source: Source, now: datetime, reserved: int) -> Wait | None:
    if source.rule.rate_limit_per_minute is None:
        return None
    pace = _next_free(source, now) + source.rule.interval * reserved
    free_at = pace - source.rule.tolerance
    if free_at <= now:
        return None
    if reserved >= source.rule.burst:
        # Time alone frees none: a running job must spend its permit or give it back first.
        return Wait(why="awaited")
    return Wait(why="limited", until=free_at)


def _next_free(source: Source, now: datetime) -> datetime:
    """Give the pace as it is believed: after a clock was set back one permit is free, and no burst."""
    if source.next_free_at is None or source.next_free_at <= now:
        return now
    is_credible = source.next_free_at <= now + source.rule.farthest
    return source.next_free_at if is_credible else now + source.rule.tolerance


def spend(source: Source, now: datetime, *, lone_token: int = 0) -> Source:
    """Give the source after one fetch went out.

    `lone_token`: one outside of jobs that tries a broken source is known by it. It cannot be seen to end, and has the
    length of a pause to itself.
    """
    if source.is_broken and lone_token:
        source = replace(source, paused_until=now + source.rule.pause, lone_probe=lone_token)
    next_free_at = _next_free(source, now) + source.rule.interval
    return replace(_count(source, utc_day(now)), next_free_at=next_free_at)


def _count(source: Source, today: datetime) -> Source:
    if today == source.quota_day:
        return replace(source, quota_used=source.quota_used + 1)
    if today == source.earlier_day:
        return replace(source, earlier_used=source.earlier_used + 1)
    return replace(source, earlier_day=source.quota_day, earlier_used=source.quota_used, quota_day=today, quota_used=1)


def declare(source: Source, rule: SourceRule, now: datetime) -> Source:
    """Give the source after something was declared of it: how it stands is not touched, but its pace follows."""
    is_enabled = source.rule.enabled if rule.enabled is None else rule.enabled
    return replace(source, rule=replace(rule, enabled=is_enabled), next_free_at=_keep_pace(source, rule, now))


def _keep_pace(source: Source, rule: SourceRule, now: datetime) -> datetime | None:
    """Ahead by as many permits as before, which take another time now; at most by a burst."""
    old, new = span_micros(source.rule.interval), span_micros(rule.interval)
    if source.next_free_at is None or old == 0 or (old, source.rule.burst) == (new, rule.burst):
        return source.next_free_at
    ahead = span_micros(_next_free(source, now) - now)
    return now + min(timedelta(microseconds=-(-ahead * new // old)), rule.interval * rule.burst)


def pause(source: Source, until: datetime | None) -> Source:
    """Give the source after an operator has paused it; the breaker's own pause is not cut short."""
    if until is None:
        return replace(source, rule=replace(source.rule, enabled=False))
    by_breaker = _find_breakers_end(source) if source.is_broken else None
    return replace(source, held_until=until, paused_until=max(until, by_breaker or until))


def _find_breakers_end(source: Source) -> datetime | None:
    """Tell until when the breaker pauses by itself; under an operator's longer pause its last fault says it."""
    if source.paused_until != source.held_until:
        return source.paused_until
    return None if source.last_failure_at is None else source.last_failure_at + source.rule.pause


def resume(source: Source) -> Source:
    """Give the source after an operator has resumed it: enabled, no pause, no wait, its breaker closed."""
    resumed = replace(source, rule=replace(source.rule, enabled=True), failure_streak=0, lone_probe=0)
    return replace(resumed, paused_until=None, held_until=None, limited_until=None)


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


def has_told(before: Source, after: Source) -> bool:
    """Tell whether a report has said how a source is, so that the job which tried it is done with that.

    It may run on for hours. Would it go on being the one that tries, nobody else could once the source fails again.
    """
    return not after.is_broken or after.failure_streak != before.failure_streak


def _after_success(source: Source, now: datetime, *, is_probe: bool) -> Source:
    noted = replace(source, last_success_at=now, parser_streak=0, host_streak=0)
    # A fetch that began before the breaker opened says nothing about how the source is now: only the probe closes it.
    if source.is_broken and not is_probe:
        return noted
    # What an operator said holds on.
    paused_until = source.held_until if source.is_broken else source.paused_until
    return replace(noted, failure_streak=0, paused_until=paused_until, lone_probe=0)


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
    held_until = source.held_until if source.is_broken else source.paused_until
    return replace(source, failure_streak=streak, paused_until=max(until, held_until or until), lone_probe=0)
