"""Boards are read by jobs."""

from datetime import UTC, datetime, timedelta

import pytest

import dibs
from dibs.access.actions import create_tenant
from dibs.access.directory import Directory
from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reporting import record_progress
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.tasks import CRAWL, SETTLE, make_tasks
from dibs.assembly import furnish
from dibs.engine.schedules.schedule import Interval
from dibs.engine.states import State
from dibs.errors import PermitRefused
from dibs.settings import Settings
from dibs.storage.tables import Tables
from tests.access.conftest import BOSS
from tests.apps.postings.agents import claim, report
from tests.apps.postings.boards import payloads
from tests.apps.postings.conftest import find, keep, make_posting
from tests.apps.postings.crawl.test_crawling import FakeBoard, answer

pytestmark = pytest.mark.parametrize("place", ["sqlite"], indirect=True)


async def work(url, board, *jobs):
    """Do jobs with a worker, and give them as they are afterwards."""
    async with dibs.Dibs("memory://") as app, Tables.at(url) as tables:
        app.include(make_tasks(app, tables, board))
        stored = [await app.enqueue(name, given) for name, given in jobs]
        await app.make_worker(until_drained=True).run()
        backend = await app.backend()
        return await backend.reader.find_jobs([job.id for job in stored if job])


async def test_a_job_reads_a_board(url, office):
    board = FakeBoard(answer(payloads.GREENHOUSE))
    [job] = await work(url, board, (CRAWL, {"provider": "greenhouse", "token": "ramp"}))
    assert job.error is None
    assert (job.state, job.output["changes"]["new"], job.output["is_complete"]) == (State.SUCCEEDED, 2, True)
    assert (await find(office, "4400123")).state == "discovered"


async def test_a_source_that_asks_for_a_pause_costs_no_retry(url, office):
    until = datetime.now(UTC) + timedelta(hours=1)
    board = FakeBoard(PermitRefused("wait", source="greenhouse", until=until))
    [job] = await work(url, board, (CRAWL, {"provider": "greenhouse", "token": "ramp"}))
    assert (job.state, job.attempts) == (State.PENDING, 0)


async def test_a_job_holds_what_fell_silent(url, office, clock):
    await keep(office, make_posting())
    clock.at = datetime(2026, 1, 1, tzinfo=UTC)
    await claim(office)
    await report(office, status="submitting")
    [job] = await work(url, FakeBoard(answer({})), (SETTLE, {}))
    assert job.output == {"held": 1}
    assert (await find(office)).is_held


async def test_the_default_tenants_job_holds_what_fell_silent_of_all_tenants_and_tells_of_its_own(url, office, clock):
    await create_tenant(Directory(office.tables), "globex", BOSS)
    await keep(office, make_posting(), tenant="globex")
    clock.at = datetime(2026, 1, 1, tzinfo=UTC)
    await claim_posting(office, "globex", ClaimRequest(run_id="run-1", job_id="12345", board="ramp"))
    await record_progress(office, "globex", ProgressReport(run_id="run-1", status=RunState.SUBMITTING))
    [job] = await work(url, FakeBoard(answer({})), (SETTLE, {}))
    assert job.output == {"held": 0}
    assert (await find(office, tenant="globex")).is_held


async def test_an_installation_judges_lapsed_claims_every_minute(url):
    async with dibs.Dibs("memory://", settings=Settings(url="memory://", tables_url=url)) as app:
        furnish(app)
        [declared] = [one for one in app.schedules.values() if one.job_type == SETTLE]
        assert declared.timing == Interval(every=timedelta(minutes=1))


async def test_an_installation_has_the_tasks(url):
    async with dibs.Dibs("memory://", settings=Settings(url="memory://", tables_url=url)) as app:
        furnish(app)
        assert {CRAWL, SETTLE} <= set(app.tasks)
