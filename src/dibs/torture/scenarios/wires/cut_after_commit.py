"""The store does what it is asked, and nobody hears of it."""

import asyncio
from contextlib import ExitStack

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.wires.manners import make_scenario
from dibs.torture.stage.stage import Stage

ROUNDS, DEAF, WELL = 8, 0.25, 0.6


async def strike(stage: Stage) -> None:
    """Swallow answers for a moment, and break the connections they were meant for."""
    with stage.broken("answers lost"):
        for _ in range(ROUNDS):
            with ExitStack() as stack:
                for wire in stage.wires.values():
                    stack.enter_context(wire.behaving(Manner(is_deaf=True)))
                await asyncio.sleep(DEAF)
            await asyncio.sleep(WELL)


SCENARIO = make_scenario("cut-after-commit", "answers lost after the store has committed", strike)
