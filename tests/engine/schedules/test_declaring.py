"""Schedules declared in code, and stored by the workers of the app."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

import dibs
from dibs.engine.schedules.firing import job_of
from dibs.errors import BadInput
from dibs.kit.clock import EPOCH
from tests.engine.worker.conftest import at_work, eventually

HOUR = timedelta(hours=1)


def make_app():
    app = dibs.Dibs("memory://")

    @app.task("TIDY", queue="night", priority=3, max_retries=1)
    async def tidy(folder: str = "tmp", day: str | None = None) -> str:
        return folder

    return app, tidy


def test_a_declaration_takes_its_task_settings():
    app, tidy = make_app()
    declared = app.schedule("nightly", "0 3 * * *", tidy, timezone="Europe/Berlin", input={"folder": "old"})
    assert declared.timing == dibs.Cron(expression="0 3 * * *", zone="Europe/Berlin")
    assert (declared.job_type, declared.queue, declared.priority, declared.max_retries) == ("TIDY", "night", 3, 1)
    assert (declared.input, declared.declared) == ({"folder": "old"}, True)
    assert app.schedules == {("default", "nightly"): declared}


def test_options_of_a_declaration_win():
    app, tidy = make_app()
    declared = app.schedule(
        "often",
        timedelta(minutes=5),
        tidy,
        tenant="acme",
        queue="day",
        overlap="skip",
        misfire="catch_up",
        catch_up_limit=3,
        instant_as="day",
        anchor=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert declared.timing == dibs.Interval(every=timedelta(minutes=5), anchor=datetime(2026, 1, 1, tzinfo=UTC))
    assert (declared.tenant, declared.queue, declared.priority) == ("acme", "day", 3)
    assert (declared.overlap, declared.misfire) == (dibs.Overlap.SKIP, dibs.Misfire.CATCH_UP)


def test_a_task_can_be_named():
    app, _ = make_app()
    assert app.schedule("known", HOUR, "TIDY").queue == "night"
    assert app.schedule("unknown", HOUR, "ELSEWHERE", input=[1]).queue == "default"


@pytest.mark.parametrize(
    ("when", "options", "match"),
    [
        ("0 3 * *", {}, "has 4 fields"),
        ("0 3 * * *", {"timezone": "Mars/Olympus"}, "no time zone"),
        ("0 3 * * *", {"anchor": datetime(2026, 1, 1, tzinfo=UTC)}, "anchor goes with an interval"),
        (HOUR, {"timezone": "UTC"}, "Leave out timezone"),
        (timedelta(milliseconds=1), {}, "interval"),
        (HOUR, {"input": {"folder": 7}}, "input of TIDY does not fit"),
        (HOUR, {"input": {"nothing": 7}}, "input of TIDY does not fit"),
        (HOUR, {"instant_as": "nothing"}, "input of TIDY does not fit"),
        (HOUR, {"colour": "red"}, "no option 'colour'. It has: tenant"),
        (HOUR, {"version": 7}, "no option 'version'"),
        (HOUR, {"overlap": "sometimes"}, "Use one of allow"),
    ],
)
def test_a_bad_declaration_is_refused_where_it_stands(when, options, match):
    app, tidy = make_app()
    with pytest.raises(BadInput, match=match):
        app.schedule("nightly", when, tidy, **options)
    assert app.schedules == {}


def test_two_of_a_tenant_cannot_share_a_name():
    app, tidy = make_app()
    app.schedule("nightly", HOUR, tidy)
    app.schedule("nightly", HOUR, tidy, tenant="acme")
    with pytest.raises(BadInput, match="two schedules"):
        app.schedule("nightly", 2 * HOUR, tidy)


def test_a_blueprint_brings_its_schedules():
    app, tidy = make_app()
    blueprint = dibs.Blueprint()

    @blueprint.task("REPORT")
    def report() -> None:
        return None

    declared = blueprint.schedule("weekly", "@weekly", report)
    app.schedule("nightly", HOUR, tidy)
    app.include(blueprint)
    app.include(blueprint)
    assert app.schedules["default", "weekly"] is declared
    assert len(app.schedules) == 2


async def test_a_worker_stores_what_is_declared_and_runs_what_it_fires():
    app, tidy = make_app()
    app.schedule("often", timedelta(seconds=1), tidy, input={"folder": "new"})
    async with app, at_work(app, schedule_poll=timedelta(milliseconds=20)):
        backend = await app.backend()

        async def look():
            return [
                job
                for job in (await backend.reader.list_jobs(dibs.JobFilter(), dibs.PageRequest())).items
                if job.is_final
            ]

        (job, *_) = await eventually(look)
        assert (job.job_type, job.output) == ("TIDY", "new")
        assert (await backend.schedules.get("often")).declared


async def test_a_worker_that_leaves_when_drained_fires_nothing():
    app, tidy = make_app()
    app.schedule("often", timedelta(seconds=1), tidy)
    async with app:
        await app.run_worker(until_drained=True, handle_signals=False)
        assert await (await app.backend()).schedules.list_schedules() == []


async def test_a_bad_declaration_for_this_store_ends_the_worker_with_its_message():
    app = dibs.Dibs("memory://", settings=dibs.Settings(max_payload_bytes=10, worker_id="w"))

    @app.task("TIDY")
    async def tidy(folder: str) -> None:
        return None

    app.schedule("nightly", HOUR, tidy, input={"folder": "x" * 50})
    async with app:
        with pytest.raises(dibs.PayloadTooLarge):
            async with asyncio.timeout(60):
                await app.run_worker(handle_signals=False)


def test_what_holds_jobs_of_the_task_back_holds_scheduled_ones_back_too():
    app = dibs.Dibs("memory://")

    @app.task("FETCH", source="ebay", concurrency_key="shop:{shop}", max_cost=2)
    async def fetch(shop: int) -> None: ...

    schedule = app.schedule("hourly", timedelta(hours=1), fetch, input={"shop": 7})
    job = job_of(schedule, EPOCH)
    assert (job.source, job.concurrency_key, job.max_cost_microcents) == ("ebay", "shop:7", 2_000_000)
    other = app.schedule("daily", timedelta(days=1), fetch, input={"shop": 7}, source="pcgs", concurrency_key="one")
    assert (job_of(other, EPOCH).source, job_of(other, EPOCH).concurrency_key) == ("pcgs", "one")
