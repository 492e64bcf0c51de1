"""Schedules under the kit's clock."""

from datetime import UTC, datetime, timedelta

import pytest

import dibs
from dibs.testing import Kit, SyncKit

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def app():
    made = dibs.Dibs("memory://")

    @made.task("TIDY")
    async def tidy(at: str) -> str:
        return at

    made.schedule("hourly", "30 * * * *", tidy, instant_as="at", misfire="catch_up", catch_up_limit=2)
    made.schedule("daily", timedelta(days=1), "ELSEWHERE")
    return made


async def test_declared_schedules_fire_when_the_clock_has_moved(app):
    async with Kit(app, at=NOON) as kit:
        assert await kit.fire_schedules() == []
        await kit.advance(hours=2)
        jobs = await kit.fire_schedules()
        assert [job.input["at"] for job in jobs] == ["2026-06-01T12:30:00Z", "2026-06-01T13:30:00Z"]
        assert [job.output for job in await kit.drain()] == ["2026-06-01T12:30:00Z", "2026-06-01T13:30:00Z"]
        assert await kit.fire_schedules() == []


def test_the_same_without_await(app):
    with SyncKit(app, at=NOON) as kit:
        kit.advance(hours=12)
        assert {job.job_type for job in kit.fire_schedules()} == {"TIDY", "ELSEWHERE"}
