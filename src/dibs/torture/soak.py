"""A soak: an even load for a long time, and nothing that may grow does."""

import asyncio
import time
from datetime import timedelta

from dibs.torture.measuring.minutes import Minutes
from dibs.torture.measuring.vitals import read_vitals, time_sync
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.stage import Stage

ROW_SECONDS = 60.0
# A short run has short minutes, so that there are enough of them to judge by.
FEWEST_ROWS = 20
SAMPLES_A_ROW = 6


def make_soak(length: timedelta) -> Scenario:
    """Make a scenario of it, so that it is judged like all others."""
    complaints: list[str] = []

    async def strike(stage: Stage) -> None:
        complaints.clear()
        minutes = Minutes()
        row_seconds = min(ROW_SECONDS, length.total_seconds() / FEWEST_ROWS)
        end = time.monotonic() + length.total_seconds()
        with stage.broken(f"nothing broken, for {length}"):
            while time.monotonic() + row_seconds / 2 < end:
                await _watch_a_minute(stage, minutes, row_seconds)
        stage.minutes = minutes.rows
        stage.notes.extend(minutes.describe())
        complaints.extend(minutes.find_growth())
        if not any(row.finished for row in minutes.rows):
            complaints.append("too few jobs were finished to tell how long they take")

    return Scenario(
        name="soak",
        title=f"an even load for {length}, and nothing that grows",
        strike=strike,
        needs=(Need.LINUX,),
        expect=lambda _: complaints,
        longest=length * 2 + timedelta(minutes=30),
    )


async def _watch_a_minute(stage: Stage, minutes: Minutes, seconds: float) -> None:
    begin = time.monotonic()
    for number in range(1, SAMPLES_A_ROW + 1):
        await asyncio.sleep(max(0.0, begin + seconds * number / SAMPLES_A_ROW - time.monotonic()))
        minutes.note_sync(await asyncio.to_thread(time_sync, stage.folder))
        for pid in stage.watch.workers():
            vitals = read_vitals(pid)
            if vitals is not None:
                minutes.note(pid, vitals)
    minutes.close([took for at, took in stage.watch.latencies if begin <= at])
