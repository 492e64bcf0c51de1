"""The kernel cuts one crew off: the network of its namespace goes down and comes back."""

import asyncio

from dibs.torture.faults.namespace import set_loopback
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.crew import LEASE_SECONDS, CrewPlan
from dibs.torture.stage.stage import Stage


async def strike(stage: Stage) -> None:
    """Take it down for longer than leases last; what was sent meanwhile arrives late, or never."""
    pid = stage.crews["apart"].pid
    if pid is None:
        raise RuntimeError("the crew in the namespace is not there")
    with stage.broken("the network of one crew down"):
        await asyncio.to_thread(set_loopback, pid, "down")
        try:
            await asyncio.sleep(2 * LEASE_SECONDS)
        finally:
            await asyncio.to_thread(set_loopback, pid, "up")


SCENARIO = Scenario(
    name="namespace-cut",
    title="the network of one crew taken down by the kernel",
    strike=strike,
    needs=(Need.WIRE, Need.NAMESPACES),
    crews={"crew": CrewPlan(), "apart": CrewPlan(is_apart=True)},
)
