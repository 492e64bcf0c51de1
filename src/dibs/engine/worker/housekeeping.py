"""What every worker does beside its jobs: reap, seal, prune, fire schedules, run errands; none in another's way."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

import msgspec

from dibs.engine.loops.errands import RunningErrand
from dibs.engine.loops.pruning import Pruning
from dibs.engine.loops.reaping import Reaping
from dibs.engine.loops.scheduling import Scheduling
from dibs.engine.loops.sealing import Sealing
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Reach

if TYPE_CHECKING:
    from dibs.engine.app import App

SEALING_INTERVAL = timedelta(seconds=30)
PRUNING_INTERVAL = timedelta(hours=1)


class HouseLoop(Protocol):
    """Something that goes on until it is cancelled."""

    async def run(self) -> None: ...


class HousePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Who keeps house, for which jobs, and how often. Without `schedule_poll` nothing is done that makes jobs."""

    worker_id: str
    job_types: tuple[str, ...]
    sweep: timedelta
    schedule_poll: timedelta | None


def make_house_loops(app: "App", backend: Backend, reach: Reach, plan: HousePlan) -> Iterator[HouseLoop]:
    """Make the loops."""
    owner = plan.worker_id
    yield Reaping(backend, reach, interval=plan.sweep)
    yield Sealing(backend, reach, owner=owner, interval=SEALING_INTERVAL, settings=app.settings)
    if plan.job_types:
        # Who knows no types forgets nothing, and must not keep those from it who do.
        yield Pruning(
            backend, reach, app.find_retention(), owner=owner, job_types=plan.job_types, interval=PRUNING_INTERVAL
        )
    if plan.schedule_poll is not None:
        declared = list(app.schedules.values())
        yield Scheduling(backend, reach, owner=owner, interval=plan.schedule_poll, declared=declared)
    for errand in app.errands:
        if plan.schedule_poll is not None or not errand.makes_jobs:
            yield RunningErrand(backend, errand, owner=owner)
