"""Forty handlers at once, and two connections for all of them."""

import asyncio

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.crew import CrewPlan
from dibs.torture.stage.stage import Stage

SECONDS = 6.0
OPTIONS = {"postgresql": {"pool_size": "2"}, "redis": {"max_connections": "2"}}


async def strike(stage: Stage) -> None:
    """Cut even those, once: those who wait for one must not be forgotten."""
    with stage.broken("two connections for forty handlers"):
        await asyncio.sleep(SECONDS / 2)
        stage.notes.append(f"{stage.wires['crew'].reset()} connections reset in the middle")
        await asyncio.sleep(SECONDS / 2)


SCENARIO = Scenario(
    name="few-connections",
    title="a pool of two connections for forty handlers, reset once",
    strike=strike,
    needs=(Need.WIRE,),
    crews={"crew": CrewPlan(concurrency=40, options=OPTIONS)},
)
