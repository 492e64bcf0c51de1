"""One crew is cut off for longer than its leases last, while another goes on."""

import asyncio

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.crew import LEASE_SECONDS, CrewPlan
from dibs.torture.stage.stage import Stage


async def strike(stage: Stage) -> None:
    """Let one wire fall silent; what its crew holds must go to the other, and come back refused."""
    with stage.broken("one crew cut off"), stage.wires["lonely"].behaving(Manner(is_silent=True)):
        await asyncio.sleep(3 * LEASE_SECONDS)


SCENARIO = Scenario(
    name="one-crew-cut-off",
    title="a partition between one crew and the store",
    strike=strike,
    needs=(Need.WIRE,),
    crews={"crew": CrewPlan(), "lonely": CrewPlan()},
)
