"""Processes for CPU-bound work that crash, are killed for want of memory, or are refused it."""

from dibs.torture.scenarios.scenario import Scenario, expect_all, expect_state
from dibs.torture.stage.crew import POOL_TYPES, CrewPlan
from dibs.torture.stage.stage import Stage

PATIENCE = 60.0
DEATHS = 3


async def strike(stage: Stage) -> None:
    """Let a child crash, one be killed, and one find no memory, beside others that work."""
    with stage.broken("children that die"):
        jobs = [await stage.store(name) for name in ("CRASH", "STARVE", "HUNGER")]
        await stage.until_final(jobs, PATIENCE)


SCENARIO = Scenario(
    name="pool-children",
    title="children of the process pool crash, are killed, run out of memory",
    strike=strike,
    crews={"crew": CrewPlan(types=POOL_TYPES, env={"DIBS_MAX_WORKER_DEATHS": str(DEATHS)})},
    types=("SUM",),
    max_worker_deaths=DEATHS,
    expect=expect_all(
        expect_state("crash-1", "failed", deaths=DEATHS),
        expect_state("starve-1", "failed", deaths=DEATHS),
        expect_state("hunger-1", "failed", attempts=4, deaths=0),
    ),
)
