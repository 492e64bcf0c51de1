"""Handlers that take longer than a lease lasts, one in a thread, one that blocks the event loop."""

from dibs.torture.scenarios.scenario import Scenario, expect_all, expect_state
from dibs.torture.stage.crew import CrewPlan
from dibs.torture.stage.stage import Stage

PATIENCE = 60.0
# Longer than on the rest of the stage: on a busy machine a process may get no processor for three seconds, and lose a
# lease of that length without any fault of its own.
LEASE = 8.0
SECONDS = 2.2 * LEASE


async def strike(stage: Stage) -> None:
    """Let both begin; their leases must be kept alive by somebody else."""
    jobs = [await stage.store(name, seconds=SECONDS) for name in ("SLOW", "BLOCK")]
    with stage.broken("handlers slower than their lease"):
        for job_id in jobs:
            if await stage.watch.until_begun(job_id, PATIENCE) is None:
                stage.notes.append(f"nobody began {job_id} in time")
        await stage.until_final(jobs, PATIENCE)


SCENARIO = Scenario(
    name="slow-handlers",
    title="handlers that outlast their lease, one of them blocking the event loop",
    strike=strike,
    crews={"crew": CrewPlan(env={"JOB_LOCK_TIMEOUT_SECONDS": str(LEASE)})},
    expect=expect_all(
        expect_state("slow-1", "succeeded", attempts=1, deaths=0),
        expect_state("block-1", "succeeded", attempts=1, deaths=0),
    ),
)
