"""The clock of one worker's machine jumps by minutes and days, forwards and backwards."""

import asyncio

from dibs.torture.faults.skewed_start import JUMPS, STEADY_SECONDS
from dibs.torture.scenarios.scenario import Scenario
from dibs.torture.stage.crew import CrewPlan
from dibs.torture.stage.stage import Stage


async def strike(stage: Stage) -> None:
    """Wait through all the jumps."""
    with stage.broken("a clock that jumps"):
        await asyncio.sleep(STEADY_SECONDS * len(JUMPS))
    if not stage.watch.workers("skewed"):
        stage.notes.append("the worker with the jumping clock was not there")


SCENARIO = Scenario(
    name="clock-jumps",
    title="a worker whose clock jumps by ten minutes and by a day",
    strike=strike,
    crews={"crew": CrewPlan(), "skewed": CrewPlan(processes=1, is_skewed=True)},
)
