"""Connections break in the middle of a message."""

import asyncio
from contextlib import ExitStack

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.wires.manners import make_scenario
from dibs.torture.stage.stage import Stage

ROUNDS, SECONDS = 12, 0.5


async def strike(stage: Stage) -> None:
    """Let each connection carry only so much, a different amount each half second."""
    with stage.broken("cut in the middle"):
        for _ in range(ROUNDS):
            with ExitStack() as stack:
                for wire in stage.wires.values():
                    stack.enter_context(wire.behaving(Manner(cut_after=stage.chance.randint(200, 20_000))))
                await asyncio.sleep(SECONDS)


SCENARIO = make_scenario("cut-after-bytes", "connections that break in the middle of a question", strike)
