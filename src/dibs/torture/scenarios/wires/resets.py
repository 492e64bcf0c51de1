"""Connections are reset again and again, whatever is on them."""

import asyncio

from dibs.torture.scenarios.wires.manners import make_scenario
from dibs.torture.stage.stage import Stage

RESETS, PAUSE = 25, 0.25


async def strike(stage: Stage) -> None:
    """Break whatever is there, four times a second."""
    broken = 0
    with stage.broken("resets"):
        for _ in range(RESETS):
            broken += sum(wire.reset() for wire in stage.wires.values())
            await asyncio.sleep(PAUSE * stage.chance.uniform(0.5, 1.5))
    stage.notes.append(f"{broken} connections reset")


SCENARIO = make_scenario("resets", "connections reset four times a second", strike)
