"""The scenarios of a wire that changes its manner for a while: for all clients at once."""

import asyncio
from contextlib import ExitStack

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.scenario import Need, Scenario, Strike
from dibs.torture.stage.stage import Stage

SECONDS = 6.0


def make_strike(what: str, manner: Manner, seconds: float = SECONDS) -> Strike:
    """Let all wires behave like this for a while."""

    async def strike(stage: Stage) -> None:
        with stage.broken(what), ExitStack() as stack:
            for wire in stage.wires.values():
                stack.enter_context(wire.behaving(manner))
            await asyncio.sleep(seconds)

    return strike


def make_scenario(name: str, title: str, strike: Strike) -> Scenario:
    """Make a scenario that needs wires."""
    return Scenario(name=name, title=title, strike=strike, needs=(Need.WIRE,))
