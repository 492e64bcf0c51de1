"""The record, its job, its checks, and what the audit log says of a change."""

import uuid
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from msgspec.structs import replace

from dibs.engine.schedules.checks import LONGEST_SCHEDULE_NAME, fit_schedule
from dibs.engine.schedules.firing import job_id_of, job_of, unique_rule_of
from dibs.engine.schedules.keeping import describe_change
from dibs.engine.schedules.schedule import Cron, Fire, Interval, Misfire, Overlap, Schedule
from dibs.engine.store.moves import OnConflict, UniqueWhile
from dibs.errors import BadInput, DibsError, NotJson, PayloadTooLarge

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NIGHTLY = Schedule(name="nightly", job_type="REPORT", timing=Cron(expression="0 3 * * *", zone="Europe/Berlin"))


def fit(schedule):
    return fit_schedule(schedule, limit=1000)


@pytest.mark.parametrize("timing", [Cron(expression="0 3 * * *"), Interval(every=timedelta(seconds=90), anchor=NOON)])
def test_a_schedule_survives_json(timing):
    schedule = replace(NIGHTLY, timing=timing, input={"a": [1]}, start_at=NOON, grace=timedelta(hours=1))
    assert msgspec.json.decode(msgspec.json.encode(schedule), type=Schedule) == schedule


def test_the_job_of_a_fire_is_the_schedules():
    schedule = replace(NIGHTLY, tenant="acme", queue="q", priority=4, max_retries=9, input={"n": 1})
    job = job_of(schedule, NOON)
    assert (job.job_type, job.tenant, job.queue, job.priority, job.max_retries) == ("REPORT", "acme", "q", 4, 9)
    assert (job.input, job.run_at, job.unique_key) == ({"n": 1}, NOON, None)


def test_the_instant_can_be_part_of_the_input():
    job = job_of(replace(NIGHTLY, input={"n": 1}, instant_as="day"), NOON)
    assert job.input == {"n": 1, "day": "2026-06-01T12:00:00Z"}


def test_an_id_follows_from_tenant_name_and_instant_and_sorts_by_time():
    one = job_id_of("a", "b", NOON)
    assert one == job_id_of("a", "b", NOON.astimezone(timezone(timedelta(hours=3))))
    others = {
        job_id_of("b", "a", NOON),
        job_id_of("ab", "", NOON),
        job_id_of("a", "b", NOON + timedelta(microseconds=1)),
    }
    assert len(others | {one}) == 4
    assert uuid.UUID(one).version == 8
    assert uuid.UUID(one).variant == uuid.RFC_4122
    assert one < job_id_of("a", "b", NOON + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("overlap", "key", "hold"),
    [
        (Overlap.ALLOW, None, UniqueWhile.UNFINISHED),
        (Overlap.SKIP, "schedule:nightly", UniqueWhile.UNFINISHED),
        (Overlap.QUEUE_ONE, "schedule:nightly", UniqueWhile.PENDING),
        (Overlap.CANCEL_RUNNING, "schedule:nightly", UniqueWhile.UNFINISHED),
    ],
)
def test_the_overlap_policy_is_carried_by_a_unique_key(overlap, key, hold):
    schedule = replace(NIGHTLY, overlap=overlap)
    assert job_of(schedule, NOON).unique_key == key
    assert unique_rule_of(schedule).hold is hold
    assert unique_rule_of(schedule).on_conflict is OnConflict.KEEP


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"name": ""}, "schedule name"),
        ({"name": "x" * (LONGEST_SCHEDULE_NAME + 1)}, "too long"),
        ({"tenant": "a\nb"}, "tenant"),
        ({"job_type": ""}, "job_type"),
        ({"queue": ""}, "queue"),
        ({"priority": 5000}, "priority"),
        ({"max_retries": -1}, "max_retries"),
        ({"timing": "0 3 * * *"}, "neither Cron"),
        ({"timing": Cron(expression="0 3 * *")}, "has 4 fields"),
        ({"timing": Cron(expression="0 33 * * *")}, "Bad hour"),
        ({"timing": Cron(expression="0 3 * * *", zone="Mars/Olympus")}, "no time zone 'Mars/Olympus'"),
        ({"timing": Cron(expression=7)}, "cron expression"),  # type: ignore[arg-type]
        ({"timing": Cron(expression="* * * * *", zone=None)}, "time zone"),  # type: ignore[arg-type]
        ({"timing": Interval(every=timedelta(milliseconds=999))}, "interval of 0.999 s is too short"),
        ({"timing": Interval(every=timedelta(hours=1), anchor=datetime(2026, 1, 1))}, "anchor"),  # noqa: DTZ001
        ({"misfire": "sometimes"}, "Use one of skip, fire_once, catch_up"),
        ({"overlap": "never"}, "Use one of allow, skip, queue_one, cancel_running"),
        ({"grace": timedelta(seconds=-1)}, "grace"),
        ({"catch_up_limit": 0}, "catch_up_limit"),
        ({"start_at": NOON, "end_at": NOON}, "end_at come after start_at"),
        ({"start_at": "tomorrow"}, "start_at"),
        ({"instant_as": "day", "input": [1]}, "an input that is an object"),
        ({"instant_as": ""}, "instant_as"),
    ],
)
def test_what_cannot_work_is_refused_with_what_to_do(change, match):
    with pytest.raises(BadInput, match=match):
        fit(replace(NIGHTLY, **change))


@pytest.mark.parametrize(("value", "error"), [({"when": NOON}, NotJson), ({"text": "x" * 2000}, PayloadTooLarge)])
def test_an_input_that_no_job_could_have_is_refused(value, error):
    with pytest.raises(error):
        fit(replace(NIGHTLY, input=value))


def test_something_else_is_not_a_schedule():
    with pytest.raises(DibsError, match="not a Schedule"):
        fit({"name": "nightly"})


def test_words_and_instants_are_put_into_their_form():
    east = timezone(timedelta(hours=9))
    given = replace(NIGHTLY, misfire="skip", overlap="queue_one", start_at=NOON.astimezone(east))
    fitting = fit(given)
    assert (fitting.misfire, fitting.overlap) == (Misfire.SKIP, Overlap.QUEUE_ONE)
    assert fitting.start_at is not None
    assert fitting.start_at.tzinfo is UTC


def test_a_change_is_told_by_the_fields_that_differ():
    changed = replace(NIGHTLY, paused=True, version=7, updated_at=NOON)
    assert describe_change(NIGHTLY, changed) == {"before": {"paused": False}, "after": {"paused": True}}


def test_an_input_is_told_by_its_fingerprint_only():
    detail = describe_change(NIGHTLY, replace(NIGHTLY, input={"to": "ada@example.org"}))
    assert detail["before"]["input"] != detail["after"]["input"]
    assert "ada" not in str(detail)


def test_fires_by_hand_are_told_by_their_range():
    fires = [Fire(tenant="t", name="n", instant=NOON + number * timedelta(hours=1), fired_at=NOON) for number in (0, 1)]
    told = describe_change(NIGHTLY, NIGHTLY, fires)["fires"]
    assert told == {"count": 2, "first": "2026-06-01T12:00:00Z", "last": "2026-06-01T13:00:00Z"}
