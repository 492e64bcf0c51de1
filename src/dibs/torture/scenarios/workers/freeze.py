"""A worker stands still for longer than its lease, and then goes on as if nothing had been."""

import signal

from dibs.torture.scenarios.scenario import Scenario, expect_state
from dibs.torture.stage.crew import send_signals
from dibs.torture.stage.stage import Stage

PATIENCE = 30.0


async def strike(stage: Stage) -> None:
    """Freeze whoever holds a job until somebody else does it; thaw it, and let it try to finish."""
    job_id = await stage.store("HOLD")
    began = await stage.watch.until_begun(job_id, PATIENCE)
    with stage.broken("a worker frozen"):
        if began is None:
            stage.notes.append(f"nobody began {job_id} in time")
            return
        send_signals([began.pid], signal.SIGSTOP)
        try:
            await stage.watch.until_begun(job_id, PATIENCE, times=2)
        finally:
            stage.give_sign(job_id)
            send_signals([began.pid], signal.SIGCONT)


SCENARIO = Scenario(
    name="freeze",
    title="SIGSTOP past the lease, and SIGCONT",
    strike=strike,
    expect=expect_state("hold-1", "succeeded", attempts=2, deaths=1),
)
