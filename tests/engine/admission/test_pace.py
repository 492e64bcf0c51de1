"""The limiter, alone: whatever happens between reserving and spending, the pace holds."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dibs.engine.admission.source import Source, SourceRule, find_wait, spend

START = datetime(2030, 1, 1, 12, tzinfo=UTC)
STEPS = st.lists(st.tuples(st.sampled_from(["reserve", "spend", "return", "take"]), st.integers(0, 40)), max_size=60)


def play(rule: SourceRule, steps: list[tuple[str, int]]) -> list[datetime]:
    """Reserve, spend, give back and take permits as time passes; tells when permits were spent."""
    source, now, reserved = Source(rule=rule), START, 0
    spent: list[datetime] = []
    for step, seconds in steps:
        now += timedelta(seconds=seconds)
        if step == "reserve" and find_wait(source, now, reserved=reserved, is_probing=False) is None:
            reserved += 1
        elif step == "return" and reserved:
            reserved -= 1
        elif step == "spend" and reserved:
            reserved -= 1
            assert find_wait(source, now, reserved=reserved, is_probing=False) is None, "a reserved permit was refused"
            source = spend(source, now)
            spent.append(now)
        elif step == "take" and find_wait(source, now, reserved=reserved, is_probing=False) is None:
            source = spend(source, now)
            spent.append(now)
    return spent


@given(rate=st.integers(1, 20), burst=st.integers(1, 4), steps=STEPS)
def test_in_no_span_of_time_more_is_spent_than_the_pace_and_the_burst_allow(
    rate: int, burst: int, steps: list[tuple[str, int]]
) -> None:
    rule = SourceRule(name="s", rate_limit_per_minute=rate, burst=burst)
    spent = play(rule, steps)
    for first, begin in enumerate(spent):
        for last in range(first, len(spent)):
            count = last - first + 1
            assert (count - burst) * rule.interval <= spent[last] - begin


@given(rate=st.integers(1, 20), burst=st.integers(1, 4), steps=STEPS, quota=st.integers(1, 5))
def test_a_quota_is_never_exceeded_within_a_day(
    rate: int, burst: int, steps: list[tuple[str, int]], quota: int
) -> None:
    rule = SourceRule(name="s", rate_limit_per_minute=rate, burst=burst, daily_quota=quota)
    assert len(play(rule, steps)) <= quota


@given(rate=st.integers(1, 600), burst=st.integers(1, 4), taken=st.integers(0, 8), reserved=st.integers(0, 3))
def test_the_instant_told_is_the_first_at_which_a_permit_is_given(
    rate: int, burst: int, taken: int, reserved: int
) -> None:
    source = Source(rule=SourceRule(name="s", rate_limit_per_minute=rate, burst=burst))
    for _ in range(taken):
        source = spend(source, START)
    wait = find_wait(source, START, reserved=reserved, is_probing=False)
    if wait is None or wait.until is None:
        return
    just_before = wait.until - timedelta(microseconds=1)
    assert find_wait(source, just_before, reserved=reserved, is_probing=False) is not None
    assert find_wait(source, wait.until, reserved=reserved, is_probing=False) is None


def test_an_interval_is_rounded_up_so_that_the_rate_is_never_exceeded() -> None:
    for rate in (1, 7, 11, 59, 60, 1_000):
        rule = SourceRule(name="s", rate_limit_per_minute=rate)
        assert rule.interval * rate >= timedelta(minutes=1)
