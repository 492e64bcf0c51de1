"""Errands: one worker at a time does each, and one that fails ends nothing."""

import asyncio
from datetime import timedelta

import pytest

import dibs
from dibs.engine.errands import Errand
from dibs.engine.loops.errands import CANDIDACY, RunningErrand

EVERY = timedelta(seconds=1)


@pytest.fixture
async def backend():
    async with await dibs.open_backend("memory://") as opened:
        yield opened


def make(backend, do, owner="one"):
    return RunningErrand(backend, Errand(name="count", every=EVERY, do=do), owner=owner)


async def test_of_two_workers_one_does_it(backend):
    done = []

    async def do():
        done.append(1)

    first, second = make(backend, do), make(backend, do, "two")
    assert (await first.tick(), await second.tick()) == (EVERY, CANDIDACY)
    assert done == [1]


@pytest.mark.parametrize("error", [dibs.StoreUnavailable("away"), ValueError("a fault")])
async def test_one_that_fails_is_done_again_after_a_while(backend, error):
    async def do():
        raise error

    assert await make(backend, do).tick() > EVERY


async def test_a_worker_runs_the_errands_of_its_app():
    app = dibs.Dibs("memory://")
    worker = app.make_worker(claims=False)
    done = []

    async def do():
        done.append(1)
        worker.stop()

    app.errands.append(Errand(name="leave", every=timedelta(milliseconds=1), do=do))
    async with app:
        await worker.run()
    assert done


async def test_a_worker_that_leaves_when_nothing_is_left_runs_those_that_make_no_jobs():
    app = dibs.Dibs("memory://")
    is_swept, done = asyncio.Event(), []

    @app.task("WAIT")
    async def wait():
        await asyncio.wait_for(is_swept.wait(), 60)
        done.append("job")

    async def sweep():
        is_swept.set()

    async def collect():
        done.append("collected")

    soon = timedelta(milliseconds=1)
    app.errands.append(Errand(name="collect", every=soon, do=collect, makes_jobs=True))
    app.errands.append(Errand(name="sweep", every=soon, do=sweep))
    async with app:
        await app.enqueue("WAIT")
        await app.make_worker(until_drained=True).run()
    assert done == ["job"]
