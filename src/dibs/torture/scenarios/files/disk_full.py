"""There is no room left on the disk, as far as the workers can tell."""

import asyncio

from dibs.torture.faults.disk import filling_disk
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.stage import Stage

SECONDS = 6.0


async def strike(stage: Stage) -> None:
    """Let nothing of theirs be written for a while but what fits into the beginning of a file."""
    with stage.broken("the disk full"), filling_disk(stage.watch.workers()):
        await asyncio.sleep(SECONDS)


SCENARIO = Scenario(
    name="disk-full", title="no room on the disk for the workers' writes", strike=strike, needs=(Need.FILE, Need.LINUX)
)
