"""Looking at schedules, and changing them."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from dibs.backends.memory import build_parts
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.settings import Settings

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
WHY = ("--reason", "test", "--actor", "grace")


class Shelf:
    """A store in memory that commands may share, whose clock a test moves."""

    def __init__(self) -> None:
        self.now = NOON
        parts = build_parts(lambda: self.now)
        self._parts = replace(parts, capabilities=replace(parts.capabilities, shared=True))

    async def open(self, *_: object, **__: object) -> Backend:
        return Backend(self._parts, Settings())

    def do(self, work: Callable[[Backend], Any]) -> Any:
        async def on_backend() -> Any:
            return await work(await self.open())

        return asyncio.run(on_backend())

    def fire(self) -> None:
        self.do(lambda backend: backend.schedules.fire_due(100))


@pytest.fixture
def shelf(monkeypatch) -> Shelf:
    made = Shelf()
    monkeypatch.setattr("dibs.cli.stores.open_backend", made.open)
    return made


@pytest.fixture
def nightly(dibs, shelf):
    done = dibs(
        "schedules", "create", "nightly", "REPORT", '{"n": 1}', "--cron", "0 3 * * *", "--zone", "Europe/Berlin", *WHY
    )
    assert done.code == 0, done
    return shelf


def test_a_created_schedule_tells_when_it_fires_first(dibs, shelf):
    done = dibs("schedules", "create", "ping", "PING", "--every", "90s", *WHY)
    assert (done.code, done.out) == (0, "ping  created, fires next at 2026-06-01 12:01:30 UTC\n")


def test_every_option_of_a_new_schedule_is_kept(dibs, shelf):
    done = dibs(
        *("schedules", "create", "x", "X", '{"n": 1}', "--cron", "@daily", "--zone", "Asia/Tokyo", "--json", *WHY),
        *("--instant-as", "day", "--misfire", "catch_up", "--catch-up-limit", "7", "--overlap", "queue_one"),
        *("--grace", "5m", "--start-at", "2026-07-01T00:00:00Z", "--end-at", "2026-08-01T00:00:00+02:00"),
        *("--queue", "q", "--priority", "9", "--max-retries", "0", "--tenant", "acme"),
        *("--source", "ebay", "--concurrency-key", "host:a", "--max-cost", "2.5"),
    )
    assert done.code == 0, done
    assert done.json["timing"] == {"type": "cron", "expression": "@daily", "zone": "Asia/Tokyo"}
    assert (done.json["misfire"], done.json["catch_up_limit"], done.json["overlap"]) == ("catch_up", 7, "queue_one")
    assert (done.json["grace"], done.json["instant_as"]) == ("PT300S", "day")
    assert (done.json["start_at"], done.json["end_at"]) == ("2026-07-01T00:00:00Z", "2026-07-31T22:00:00Z")
    assert [done.json[name] for name in ("queue", "priority", "max_retries", "tenant")] == ["q", 9, 0, "acme"]
    assert done.json["next_at"] == "2026-07-01T15:00:00Z"
    governed = [done.json[name] for name in ("source", "concurrency_key", "max_cost_microcents")]
    assert governed == ["ebay", "host:a", 2_500_000]
    shown = dibs("schedules", "show", "x", "--tenant", "acme").out
    assert all(fact in shown for fact in ("ebay", "host:a", "2.5 cents"))


TASKS = """
import dibs
app = dibs.Dibs("memory://")

@app.task("CRAWL", queue="crawls", source="{source}", concurrency_key="site:{site}", max_cost=3)
async def crawl(ctx, site: str = "a") -> None: ...
""".replace("{source}", "ebay")


def test_with_the_app_a_schedule_has_the_settings_of_its_task_and_its_input_is_checked(
    dibs, shelf, tmp_path, monkeypatch
):
    (tmp_path / "scheduled_tasks.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    create = ("schedules", "create", "x", "CRAWL", "--every", "1h", "--app", "scheduled_tasks:app", "--json", *WHY)
    refused = dibs(*create[:4], '{"sight": 1}', *create[4:])
    assert (refused.code, "sight" in refused.err) == (2, True)
    made = dibs(*create, "--queue", "slow").json
    governed = [made[name] for name in ("queue", "source", "concurrency_key", "max_cost_microcents")]
    assert governed == ["slow", "ebay", "site:a", 3_000_000]
    unknown = dibs("schedules", "create", "y", "OTHER", "--every", "1h", "--app", "scheduled_tasks:app", *WHY)
    assert (unknown.code, "It has: CRAWL" in unknown.err) == (2, True)


def test_an_interval_can_have_an_anchor(dibs, shelf):
    done = dibs("schedules", "create", "x", "X", "--every", "1h", "--anchor", "2026-01-01T00:20:00Z", *WHY)
    assert "12:20:00" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "either --cron"),
        (["--cron", "@daily", "--every", "5m"], "either --cron"),
        (["--cron", "0 3 * *"], "has 4 fields, not 5"),
        (["--cron", "@daily", "--zone", "Mars/Olympus"], "no time zone 'Mars/Olympus'"),
        (["--every", "5m", "--zone", "UTC"], "Leave out timezone"),
        (["--every", "100ms"], "interval"),
        (["--cron", "@daily", "--end-at", "2026-01-01T00:00:00Z"], "would never fire"),
        (["--cron", "@daily", "--misfire", "maybe"], "maybe"),
        (["--cron", "@daily", "--start-at", "tomorrow"], "--start-at 'tomorrow' is not an instant"),
    ],
)
def test_what_cannot_work_is_refused(dibs, shelf, arguments, says):
    done = dibs("schedules", "create", "x", "X", *arguments, *WHY)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert dibs("schedules", "list", "--json").json == {"schedules": []}


def test_a_taken_name_is_a_conflict_unless_it_is_to_be_replaced(dibs, nightly):
    again = ("schedules", "create", "nightly", "OTHER", "--every", "1h", *WHY)
    assert dibs(*again).code == 4
    assert dibs(*again, "--replace").code == 0
    assert dibs("schedules", "show", "nightly", "--json").json["schedule"]["job_type"] == "OTHER"


def test_the_list_shows_what_matters(dibs, nightly):
    dibs("schedules", "create", "ping", "PING", "--every", "90s", "--tenant", "acme", *WHY)
    dibs("schedules", "pause", "ping", "--tenant", "acme", *WHY)
    done = dibs("schedules", "list")
    assert done.code == 0
    ping, report = done.out.splitlines()[2:]
    assert all(word in ping for word in ("ping", "acme", "every 1 min 30 s", "PING", "paused", "never")), ping
    assert all(word in report for word in ("nightly", "0 3 * * * Europe/Berlin", "REPORT", "in 13 h"))
    names = [one["name"] for one in dibs("schedules", "list", "--tenant", "acme", "--json").json["schedules"]]
    assert names == ["ping"]


def test_one_is_shown_with_its_fires_and_its_audit_entries(dibs, nightly):
    nightly.now = datetime(2026, 6, 2, 1, 0, 2, tzinfo=UTC)
    nightly.fire()
    shown = dibs("schedules", "show", "nightly", "--json").json
    assert shown["schedule"]["last_fired_at"] == "2026-06-02T01:00:00Z"
    assert [fire["instant"] for fire in shown["fires"]] == ["2026-06-02T01:00:00Z"]
    assert [entry["action"] for entry in shown["audit"]] == ["SCHEDULE_CREATED"]
    done = dibs("schedules", "show", "nightly")
    for text in (shown["fires"][0]["job_id"], "2.0 s", '"n": 1', "Wed 2026-06-03 03:00:00 CEST", "SCHEDULE_CREATED"):
        assert text in done.out


def test_a_preview_shows_local_times(dibs, nightly):
    done = dibs("schedules", "preview", "nightly", "--count", "2")
    assert done.out.splitlines() == [
        "2026-06-02 01:00:00 UTC  Tue 2026-06-02 03:00:00 CEST",
        "2026-06-03 01:00:00 UTC  Wed 2026-06-03 03:00:00 CEST",
    ]
    preview = dibs("schedules", "preview", "nightly", "--json").json
    assert (len(preview["instants"]), preview["paused"]) == (5, False)


def test_one_is_paused_and_resumed_in_the_name_of_an_operator(dibs, nightly):
    assert dibs("schedules", "pause", "nightly", *WHY).out == "nightly  paused\n"
    assert "It is paused" in dibs("schedules", "preview", "nightly").err
    assert (
        dibs("schedules", "resume", "nightly", *WHY).out == "nightly  resumed, fires next at 2026-06-02 01:00:00 UTC\n"
    )

    async def read_acts(backend: Backend) -> list[tuple[str, str, str]]:
        page = await backend.reader.list_audit(AuditFilter(subject="schedule:nightly"), PageRequest())
        return [(entry.action, entry.actor, entry.reason) for entry in page.items]

    assert nightly.do(read_acts)[:2] == [("SCHEDULE_RESUMED", "grace", "test"), ("SCHEDULE_PAUSED", "grace", "test")]


def test_running_now_prints_the_job(dibs, nightly):
    done = dibs("schedules", "run-now", "nightly", "--json", *WHY)
    assert (done.code, done.json["status"]) == (0, "fired")
    (fire,) = done.json["fires"]
    assert dibs("jobs", "show", fire["job_id"], "--json").json["job"]["job_type"] == "REPORT"


def test_running_now_what_may_not_overlap_is_a_conflict(dibs, shelf):
    dibs("schedules", "create", "ping", "PING", "--every", "90s", "--overlap", "skip", *WHY)
    assert dibs("schedules", "run-now", "ping", *WHY).code == 0
    shelf.now += timedelta(seconds=1)
    done = dibs("schedules", "run-now", "ping", *WHY)
    assert done.code == 4
    assert "unfinished" in done.out


def test_a_backfill_fires_once(dibs, nightly):
    fill = (
        "schedules",
        "backfill",
        "nightly",
        "--since",
        "2026-05-01T00:00:00Z",
        "--until",
        "2026-05-03T00:00:00Z",
        *WHY,
    )
    done = dibs(*fill)
    assert done.code == 0
    assert [line.split("  ")[0] for line in done.out.splitlines()] == [
        "2026-05-01 01:00:00 UTC",
        "2026-05-02 01:00:00 UTC",
    ]
    again = dibs(*fill)
    assert (again.code, again.out) == (4, "")
    assert "has fired before" in again.err
    assert dibs(*fill, "--limit", "1").code == 2


def test_a_removed_one_is_gone(dibs, nightly):
    assert dibs("schedules", "remove", "nightly", *WHY).out == "nightly  removed\n"
    for verb in ("show", "preview"):
        assert dibs("schedules", verb, "nightly").code == 3
    for verb in ("pause", "resume", "run-now", "remove"):
        done = dibs("schedules", verb, "nightly", *WHY)
        assert done.code == 3
        assert "has no schedule 'nightly'" in done.err


def test_a_removed_one_that_code_declares_will_come_back(dibs, nightly):
    async def declare(backend: Backend) -> None:
        await backend.schedules.declare(await backend.schedules.get("nightly"))

    nightly.do(declare)
    done = dibs("schedules", "remove", "nightly", *WHY)
    assert done.code == 0
    assert "will store it again" in done.err
