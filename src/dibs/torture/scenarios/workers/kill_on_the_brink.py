"""A worker is killed between the effect of a job and its completion."""

from dibs.torture.scenarios.scenario import Scenario, expect_state
from dibs.torture.scenarios.workers.kill_mid_job import kill_holder
from dibs.torture.stage.stage import Stage


async def strike(stage: Stage) -> None:
    """Let the effect happen, and kill its worker before it can say so."""
    await kill_holder(stage, await stage.store("BRINK"))


SCENARIO = Scenario(
    name="kill-on-the-brink",
    title="kill -9 between the effect and the completion",
    strike=strike,
    kills=True,
    expect=expect_state("brink-1", "succeeded", attempts=2, deaths=1),
)
