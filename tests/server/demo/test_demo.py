"""The demo: believable, and filled once."""

import random

import pytest
from msgspec.structs import replace

from dibs import Dibs
from dibs.access.actions import list_keys
from dibs.access.model import by_system
from dibs.apps.postings.actions import list_postings, measure
from dibs.apps.postings.office import Office
from dibs.apps.postings.profiles.actions import list_profiles
from dibs.assembly import fill_demo
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter
from dibs.errors import BadInput
from dibs.server.demo.seeding import FIRST_JOBS, KEYS, PAST, seed
from dibs.server.demo.sites import Sites
from dibs.server.demo.tasks import FEED, MOST_WAITING, invent, make_demo
from dibs.server.observing.cached import Cached
from dibs.services.resumes.tasks import find_parser
from dibs.services.resumes.uploads.actions import list_resumes
from dibs.services.resumes.uploads.demo import PEOPLE
from dibs.services.resumes.uploads.desk import Desk


async def test_a_fresh_store_is_filled_once(engine, directory, monkeypatch, tmp_path):
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path / "documents"))
    monkeypatch.setattr("dibs.server.demo.seeding.TENANTS", (("umbrella", 1), ("hooli", 1)))
    engine.include(make_demo(Sites(engine), random.Random(1)))
    await seed(engine, directory)
    backend = await engine.backend()
    counts = await backend.reader.count_jobs(JobFilter())
    assert counts[State.PENDING] >= FIRST_JOBS
    assert [source.is_broken for source in await backend.sources.list_sources()] == [False, False, True]
    assert [gate.name for gate in await backend.admission.list_gates()] == ["BUILD_REPORT"]
    assert [key.name for key in await list_keys(directory, None, by_system("test"))] == [name for name, _ in KEYS]
    await seed(engine, directory)
    assert await backend.reader.count_jobs(JobFilter()) == counts


@pytest.mark.parametrize("tenants", [(("umbrella", 1),), (("acme", 1),)])
async def test_a_store_that_is_in_use_is_left_as_it_is(engine, directory, monkeypatch, tenants):
    monkeypatch.setattr("dibs.server.demo.seeding.TENANTS", tenants)
    if tenants[0][0] == "umbrella":
        await engine.enqueue("SHIP", {"order": 1})
    backend = await engine.backend()
    counts = await backend.reader.count_jobs(JobFilter())
    with pytest.raises(BadInput, match="Name an empty folder with --data"):
        await seed(engine, directory)
    assert await backend.reader.count_jobs(JobFilter()) == counts
    assert await backend.admission.list_gates() == []


def test_what_is_made_up_fits_the_tasks():
    chance, tasks = random.Random(3), make_demo(Sites(Dibs("memory://"))).tasks
    for _ in range(200):
        job_type, given, options = invent(chance)
        tasks[job_type].arguments.read(given)
        assert options["tenant"] in ("acme", "globex", "initech")


def test_every_task_of_the_demo_has_a_schedule_or_is_fed():
    blueprint = make_demo(Sites(Dibs("memory://")))
    fed = {invent(random.Random(number))[0] for number in range(100)}
    assert fed | {schedule.job_type for schedule in blueprint.schedules.values()} == set(blueprint.tasks)


@pytest.mark.parametrize(("waiting", "is_stored"), [(0, True), (MOST_WAITING + 1, False)])
async def test_what_cannot_run_does_not_pile_up(engine, waiting: int, is_stored):
    async def count_waiting() -> int:
        return waiting

    engine.include(make_demo(Sites(engine), random.Random(5), count_waiting))
    for _ in range(12):
        await engine.enqueue(FEED, {})
    await engine.make_worker(until_drained=True, job_types=[FEED]).run()
    backend = await engine.backend()
    stopped = JobFilter(job_type="BUILD_REPORT"), JobFilter(source="archive.example"), JobFilter(tenant="globex")
    for stuck in stopped:
        assert bool(sum((await backend.reader.count_jobs(stuck)).values())) is is_stored
    assert sum((await backend.reader.count_jobs(JobFilter(job_type="SCORE_MATCH"))).values()) > 0


async def test_a_source_was_asked_for_what_the_cache_did_not_have(engine, directory, monkeypatch, tmp_path):
    monkeypatch.setattr("dibs.server.demo.seeding.TENANTS", (("stark", 1), ("wayne", 1)))
    monkeypatch.setattr("dibs.server.demo.seeding.FIRST_JOBS", 0)
    engine.settings = replace(engine.settings, cache_url=f"sqlite:///{tmp_path}/cache.db")
    engine.include(make_demo(Sites(engine), random.Random(2)))
    await seed(engine, directory)
    for _ in range(5):
        await engine.enqueue("FETCH_PAGE", {}, source="boards.example", max_retries=0)
    await engine.make_worker(until_drained=True, job_types=["FETCH_PAGE"]).run()
    backend, cached = await engine.backend(), Cached(engine)
    tallies, now = await cached.read(), await backend.reader.now()
    await cached.close()
    asked = {source.name: source.used_today(now) for source in await backend.sources.list_sources()}
    assert asked == {name: tally.misses for name, tally in tallies.items()}
    assert sum(tally.answers for tally in tallies.values()) == sum(asked + hits for _, asked, hits in PAST) + 5


async def test_apps_fill_their_pages_as_well(engine, directory, monkeypatch, tmp_path):
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path / "documents"))
    await fill_demo(engine, directory)
    office, desk = Office(directory.tables), Desk(directory, engine, find_parser(engine))
    postings = await list_postings(office, "default", {}, limit=500)
    assert {one.state for one in postings} == {"discovered", "queued", "applied"}
    assert sum(one.is_held for one in postings) == 1
    measures = {measured.variant_id: measured for measured in await measure(office, "default")}
    assert {name for name, measured in measures.items() if measured.rate is None} == {"jonas-letter", "ines-portfolio"}
    assert all(measured.profile is not None for measured in measures.values())
    stories = await list_profiles(office, "default")
    assert [story.profile.name for story in stories] == ["ines", "jonas", "mira"]
    assert all(story.variants and story.profile.answers for story in stories)
    assert len(await list_resumes(desk, "default", {"status": None})) == len(PEOPLE)
