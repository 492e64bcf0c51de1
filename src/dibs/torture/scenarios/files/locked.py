"""Another process holds the write lock for longer than a lease lasts."""

import asyncio
import sys

from dibs.torture.faults import locking
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.crew import LEASE_SECONDS
from dibs.torture.stage.stage import Stage

SECONDS = 2 * LEASE_SECONDS


async def strike(stage: Stage) -> None:
    """Let it lock, and wait until it lets go."""
    locker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", locking.__name__, stage.place.url, stage.place.book, str(SECONDS)),
        stdout=asyncio.subprocess.PIPE,
    )
    if locker.stdout is not None:
        await locker.stdout.readline()
    with stage.broken("the file locked by another process"):
        if await locker.wait():
            stage.notes.append("the process that was to lock the file failed")


SCENARIO = Scenario(name="locked", title="the file locked by another process", strike=strike, needs=(Need.FILE,))
