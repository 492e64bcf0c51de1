"""The file system runs full: every write to it is refused with ENOSPC, whoever asks."""

import asyncio

from dibs.torture.faults.disk import filling_file_system
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.stage import Stage

SECONDS = 6.0


async def strike(stage: Stage) -> None:
    """Take all the room that is left, and give it back after a while."""
    file = stage.place.file
    if file is None:
        raise RuntimeError("this scenario needs a file")
    ballast = file.with_name(f"{file.name}.ballast")
    with stage.broken("the file system full"), filling_file_system(ballast) as taken:
        await asyncio.sleep(SECONDS)
    stage.notes.append(f"{taken // 1024:,} KiB were taken before the file system was full")


SCENARIO = Scenario(
    name="small-disk",
    title="no room left on a small file system",
    strike=strike,
    needs=(Need.FILE, Need.SMALL_DISK),
)
