"""Redis is stopped as an operator would, and started again."""

import asyncio
import time

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.scenarios.servers.stopping import AWAY, get_server
from dibs.torture.stage.stage import Stage


async def strike(stage: Stage) -> None:
    """Stop it and start it; if it keeps nothing, whatever was stored before may be gone."""
    server = get_server(stage)
    with stage.broken("Redis restarted"):
        await asyncio.to_thread(server.stop, "fast")
        await asyncio.sleep(AWAY)
        await asyncio.to_thread(server.start)
        if not server.keeps:
            stage.forgot_at = time.monotonic()


SCENARIO = Scenario(
    name="redis-restarted", title="Redis stopped and started again", strike=strike, needs=(Need.REDIS_SERVER,)
)
