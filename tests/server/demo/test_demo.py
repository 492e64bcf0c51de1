"""The demo: believable, and filled once."""

import random

from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter
from dibs.server.demo.seeding import FIRST_JOBS, seed
from dibs.server.demo.tasks import invent, make_demo


async def test_a_fresh_store_is_filled_once(engine, directory, monkeypatch):
    monkeypatch.setattr("dibs.server.demo.seeding.TENANTS", (("umbrella", 1), ("hooli", 1)))
    engine.include(make_demo(random.Random(1)))
    await seed(engine, directory)
    backend = await engine.backend()
    counts = await backend.reader.count_jobs(JobFilter())
    assert counts[State.PENDING] == FIRST_JOBS
    assert [source.is_broken for source in await backend.sources.list_sources()] == [False, False, True]
    assert [gate.name for gate in await backend.admission.list_gates()] == ["BUILD_REPORT"]
    await seed(engine, directory)
    assert sum((await backend.reader.count_jobs(JobFilter())).values()) == FIRST_JOBS


def test_what_is_made_up_fits_the_tasks():
    chance, tasks = random.Random(3), make_demo().tasks
    for _ in range(200):
        job_type, given, options = invent(chance)
        tasks[job_type].arguments.read(given)
        assert options["tenant"] in ("acme", "globex", "initech")


def test_every_task_of_the_demo_has_a_schedule_or_is_fed():
    blueprint = make_demo()
    fed = {invent(random.Random(number))[0] for number in range(100)}
    assert fed | {schedule.job_type for schedule in blueprint.schedules.values()} == set(blueprint.tasks)
