"""Workers are killed again and again, and only their supervisor starts them again."""

import asyncio
import signal

from dibs.torture.scenarios.scenario import Scenario
from dibs.torture.stage.crew import send_signals
from dibs.torture.stage.stage import Stage

KILLS, PAUSE = 6, 1.5


async def strike(stage: Stage) -> None:
    """Kill one of those who are there, and give the supervisor a moment."""
    killed = 0
    with stage.broken("a worker killed every 1.5 s"):
        for _ in range(KILLS):
            workers = stage.watch.workers()
            if workers:
                killed += len(send_signals([stage.chance.choice(workers)], signal.SIGKILL))
            await asyncio.sleep(PAUSE)
    stage.notes.append(f"{killed} workers killed")


SCENARIO = Scenario(name="kill-loop", title="kill -9 of workers, again and again", strike=strike, kills=True)
