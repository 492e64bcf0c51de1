"""The power is cut again and again: copies of the file as it is then, each judged as if it were all that is left."""

import asyncio
import signal
import time

from dibs.torture.faults.disk import copy_as_after_power_cut
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.crew import send_signals
from dibs.torture.stage.stage import Snapshot, Stage

CUTS, PAUSE = 3, 1.0


async def strike(stage: Stage) -> None:
    """Stop everybody in whatever they do, copy, and let them go on."""
    file = stage.place.file
    if file is None:
        raise RuntimeError("this scenario needs a file")
    with stage.broken("the power cut"):
        for number in range(CUTS):
            copy = file.with_name(f"{file.name}.cut-{number}.db")
            await stage.pause_load()
            stopped = send_signals(stage.watch.workers(), signal.SIGSTOP)
            try:
                copy_as_after_power_cut(file, copy, stage.chance.randbytes(4096))
                stage.snapshots.append(Snapshot(at=time.monotonic(), url=f"sqlite:///{copy}"))
            finally:
                send_signals(stopped, signal.SIGCONT)
                stage.resume_load()
            await asyncio.sleep(PAUSE)


SCENARIO = Scenario(
    name="power-cut",
    title="the power cut while the write-ahead log is written",
    strike=strike,
    needs=(Need.FILE,),
)
