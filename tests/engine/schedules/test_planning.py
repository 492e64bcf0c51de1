"""What is fired of what is due, and when to look again."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.engine.schedules.planning import (
    MOST_AT_ONCE,
    MOST_BACKFILLED,
    arm,
    find_next_fire,
    plan,
    plan_backfill,
    preview,
)
from dibs.engine.schedules.schedule import Backfill, Cron, FireDecision, Interval, Misfire, Overlap, Schedule
from dibs.errors import BadInput

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=one) for one in (1, 60, 3600, 86_400))
HOURLY = Schedule(name="h", job_type="t", timing=Cron(expression="0 * * * *"), next_at=NOON)
MINUTELY = Schedule(name="m", job_type="t", timing=Cron(expression="* * * * *", zone="Europe/Berlin"), next_at=NOON)


def test_before_its_time_nothing_fires():
    early = NOON - SECOND
    assert plan(HOURLY, early) == FireDecision(instants=(), next_at=NOON)


def test_on_time_it_fires_under_every_policy():
    for misfire in Misfire:
        decision = plan(replace(HOURLY, misfire=misfire), NOON + SECOND)
        assert decision == FireDecision(instants=(NOON,), next_at=NOON + HOUR)


@pytest.mark.parametrize(
    ("misfire", "hours", "has_skipped"),
    [(Misfire.SKIP, [], True), (Misfire.FIRE_ONCE, [5], True), (Misfire.CATCH_UP, [3, 4, 5], True)],
)
def test_after_hours_of_silence_the_policy_decides(misfire, hours, has_skipped):
    late = replace(HOURLY, misfire=misfire, catch_up_limit=3)
    decision = plan(late, NOON + 5 * HOUR + 10 * MINUTE)
    assert decision.instants == tuple(NOON + hour * HOUR for hour in hours)
    assert decision.next_at == NOON + 6 * HOUR
    assert decision.has_skipped is has_skipped


@pytest.mark.parametrize(
    ("misfire", "hours"), [(Misfire.SKIP, [5]), (Misfire.FIRE_ONCE, [5]), (Misfire.CATCH_UP, [0, 1, 2, 3, 4, 5])]
)
def test_what_is_on_time_fires_and_stands_for_what_was_missed(misfire, hours):
    decision = plan(replace(HOURLY, misfire=misfire), NOON + 5 * HOUR + 30 * SECOND)
    assert decision.instants == tuple(NOON + hour * HOUR for hour in hours)
    assert decision.has_skipped is (len(hours) < 6)


def test_the_grace_says_how_late_is_still_on_time():
    late = NOON + 10 * MINUTE
    assert plan(replace(HOURLY, misfire=Misfire.SKIP, grace=10 * MINUTE), late).instants == (NOON,)
    assert plan(replace(HOURLY, misfire=Misfire.SKIP, grace=10 * MINUTE - SECOND), late).instants == ()


def test_one_that_cancels_fires_the_latest_only():
    decision = plan(replace(HOURLY, misfire=Misfire.CATCH_UP, overlap=Overlap.CANCEL_RUNNING), NOON + 5 * HOUR)
    assert decision.instants == (NOON + 5 * HOUR,)


def test_a_paused_or_an_ended_one_fires_nothing():
    assert plan(replace(HOURLY, paused=True), NOON + DAY).instants == ()
    assert plan(replace(HOURLY, next_at=None), NOON + DAY) == FireDecision(instants=(), next_at=None)


@pytest.mark.parametrize("misfire", Misfire)
def test_a_year_of_missed_minutes_costs_next_to_nothing(misfire):
    late = replace(MINUTELY, misfire=misfire, catch_up_limit=MOST_AT_ONCE, grace=365 * DAY)
    begin = time.process_time()
    decision = plan(late, NOON + 365 * DAY)
    assert time.process_time() - begin < 1
    assert len(decision.instants) == MOST_AT_ONCE
    assert decision.instants[-1] == NOON + 365 * DAY
    assert decision.has_skipped


def test_start_and_end_bound_it():
    bounded = replace(HOURLY, start_at=NOON + 2 * HOUR, end_at=NOON + 4 * HOUR, next_at=None)
    assert preview(bounded, NOON, 10) == [NOON + 2 * HOUR, NOON + 3 * HOUR]
    armed = arm(bounded, NOON)
    assert armed.next_at == NOON + 2 * HOUR
    decision = plan(replace(armed, misfire=Misfire.CATCH_UP), NOON + DAY)
    assert decision.instants == (NOON + 2 * HOUR, NOON + 3 * HOUR)
    assert decision.next_at is None
    assert arm(bounded, NOON + DAY).next_at is None


def test_a_paused_one_is_armed_with_nothing_but_can_be_previewed():
    paused = replace(HOURLY, paused=True)
    assert arm(paused, NOON).next_at is None
    assert preview(paused, NOON, 1) == [NOON + HOUR]


def test_nothing_fires_later_than_a_store_can_keep():
    rare = Schedule(name="r", job_type="t", timing=Interval(every=36_000 * DAY))
    assert find_next_fire(rare, datetime(2180, 1, 1, tzinfo=UTC)) is None


STEPS = st.lists(st.integers(-7200, 20_000), min_size=1, max_size=30)


@given(STEPS, st.sampled_from(Misfire), st.sampled_from(["*/7 * * * *", "30 1,2 * * *"]))
def test_however_the_clock_moves_no_instant_fires_twice(steps, misfire, expression):
    timing = Cron(expression=expression, zone="Europe/Berlin")
    now = datetime(2026, 10, 24, 20, tzinfo=UTC)
    schedule = arm(Schedule(name="s", job_type="t", timing=timing, misfire=misfire), now)
    fired: list[datetime] = []
    for step in steps:
        now += step * SECOND
        decision = plan(schedule, now)
        assert all(instant <= now for instant in decision.instants)
        fired += decision.instants
        schedule = replace(schedule, next_at=decision.next_at)
    assert fired == sorted(set(fired))


@given(st.lists(st.integers(1, 90), min_size=1, max_size=50))
def test_a_scheduler_that_is_never_late_fires_everything_in_order(steps):
    now = NOON - SECOND
    schedule = arm(MINUTELY, now)
    fired: list[datetime] = []
    for step in steps:
        now += step * SECOND
        decision = plan(replace(schedule, grace=2 * MINUTE, misfire=Misfire.SKIP), now)
        fired += decision.instants
        schedule = replace(schedule, next_at=decision.next_at)
    assert fired == [NOON + number * MINUTE for number in range(len(fired))]
    assert len(fired) == (now - NOON) // MINUTE + 1


def test_a_backfill_lists_a_range_without_its_end():
    assert plan_backfill(HOURLY, Backfill(since=NOON, until=NOON + 2 * HOUR), NOON + DAY) == (NOON, NOON + HOUR)


def test_a_backfill_above_its_limit_is_refused_quickly():
    begin = time.process_time()
    with pytest.raises(BadInput, match=r"more than 1,000 times .* shorter range"):
        plan_backfill(MINUTELY, Backfill(since=NOON, until=NOON + 365 * DAY), NOON + 366 * DAY)
    assert time.process_time() - begin < 1
    assert len(plan_backfill(MINUTELY, Backfill(since=NOON, until=NOON + 1000 * MINUTE), NOON + DAY)) == 1000


@pytest.mark.parametrize(
    ("since", "until", "match"),
    [
        (NOON, NOON, "is empty"),
        (NOON + HOUR, NOON, "is empty"),
        (NOON, NOON + 2 * DAY, "yet to come"),
        (NOON + MINUTE, NOON + 2 * MINUTE, "does not fire"),
        (NOON.replace(tzinfo=None), NOON, "not an instant"),
    ],
)
def test_a_range_that_makes_no_sense_is_refused(since, until, match):
    with pytest.raises(BadInput, match=match):
        plan_backfill(HOURLY, Backfill(since=since, until=until), NOON + DAY)


def test_limits_have_limits():
    with pytest.raises(BadInput, match=str(MOST_BACKFILLED)):
        plan_backfill(HOURLY, Backfill(since=NOON, until=NOON + HOUR, limit=MOST_BACKFILLED + 1), NOON + DAY)
    with pytest.raises(BadInput, match="count"):
        preview(HOURLY, NOON, 0)
