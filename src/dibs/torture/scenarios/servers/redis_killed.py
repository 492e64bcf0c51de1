"""Redis is killed and started again, with what it kept, or empty."""

import asyncio
import time

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.scenarios.servers.stopping import AWAY, get_server
from dibs.torture.stage.stage import Stage


async def strike(stage: Stage) -> None:
    """Kill it; if it keeps nothing, whatever was stored before may be gone."""
    server = get_server(stage)
    with stage.broken("Redis killed"):
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(AWAY)
        await asyncio.to_thread(server.start)
        if not server.keeps:
            stage.forgot_at = time.monotonic()


SCENARIO = Scenario(
    name="redis-killed", title="kill -9 of Redis, and a restart", strike=strike, needs=(Need.REDIS_SERVER,)
)
