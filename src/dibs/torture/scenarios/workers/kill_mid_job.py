"""A worker is killed in the middle of a job."""

import signal

from dibs.torture.scenarios.scenario import Scenario, expect_state
from dibs.torture.stage.crew import send_signals
from dibs.torture.stage.stage import Stage

PATIENCE = 30.0


async def strike(stage: Stage) -> None:
    """Kill whoever holds the job; another one must take it over."""
    job_id = await stage.store("HOLD")
    await kill_holder(stage, job_id)


async def kill_holder(stage: Stage, job_id: str) -> None:
    """Wait until somebody works on a job, kill it, and wait until somebody else does."""
    began = await stage.watch.until_begun(job_id, PATIENCE)
    with stage.broken("a worker killed"):
        if began is None or not send_signals([began.pid], signal.SIGKILL):
            stage.notes.append(f"nobody began {job_id} in time")
            return
        await stage.watch.until_begun(job_id, PATIENCE, times=2)


SCENARIO = Scenario(
    name="kill-mid-job",
    title="kill -9 of a worker in the middle of a job",
    strike=strike,
    kills=True,
    expect=expect_state("hold-1", "succeeded", attempts=2, deaths=1),
)
