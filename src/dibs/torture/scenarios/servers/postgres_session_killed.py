"""One server process of PostgreSQL is killed, which makes it cut all the others."""

import asyncio
import signal

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.scenarios.servers.stopping import get_server
from dibs.torture.stage.crew import send_signals
from dibs.torture.stage.stage import Stage

KILLS, PAUSE = 2, 3.0


async def strike(stage: Stage) -> None:
    """Kill one session, let the server recover, and do it again."""
    with stage.broken("sessions killed"):
        for _ in range(KILLS):
            sessions = get_server(stage).find_sessions()
            killed = send_signals([stage.chance.choice(sessions)] if sessions else [], signal.SIGKILL)
            if not killed:
                stage.notes.append("there was no session to kill")
            await asyncio.sleep(PAUSE)


SCENARIO = Scenario(
    name="postgres-session-killed",
    title="kill -9 of one PostgreSQL session",
    strike=strike,
    needs=(Need.POSTGRES_SERVER,),
)
