"""A job that kills every worker that takes it."""

from dibs.torture.scenarios.scenario import Scenario, expect_state
from dibs.torture.stage.crew import CrewPlan
from dibs.torture.stage.stage import Stage

PATIENCE = 60.0
DEATHS = 3


async def strike(stage: Stage) -> None:
    """Store it, and wait until it is given up."""
    with stage.broken("a poisonous job"):
        await stage.until_final([await stage.store("POISON")], PATIENCE)


SCENARIO = Scenario(
    name="poison",
    title="a job that kills its worker every time",
    strike=strike,
    kills=True,
    crews={"crew": CrewPlan(env={"DIBS_MAX_WORKER_DEATHS": str(DEATHS)})},
    max_worker_deaths=DEATHS,
    expect=expect_state("poison-1", "failed", deaths=DEATHS),
)
