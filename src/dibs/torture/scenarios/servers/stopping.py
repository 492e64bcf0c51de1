"""How servers are broken: stopped or killed, left alone for a while, started again."""

import asyncio
from collections.abc import Callable

from dibs.torture.faults.handles import ServerHandle
from dibs.torture.scenarios.scenario import Strike
from dibs.torture.stage.stage import Stage

AWAY = 3.0


def make_strike(what: str, end: Callable[[ServerHandle], None]) -> Strike:
    """End the server somehow, and start it again after a while."""

    async def strike(stage: Stage) -> None:
        server = get_server(stage)
        with stage.broken(what):
            await asyncio.to_thread(end, server)
            await asyncio.sleep(AWAY)
            await asyncio.to_thread(server.start)

    return strike


def get_server(stage: Stage) -> ServerHandle:
    """Give the hands on the server that the scenario asked for."""
    if stage.server is None:
        raise RuntimeError("this scenario needs hands on the server")
    return stage.server
