"""PostgreSQL stopped fast and started again."""

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.scenarios.servers.stopping import make_strike

SCENARIO = Scenario(
    name="postgres-fast-stop",
    title="PostgreSQL stopped fast and started again",
    strike=make_strike("a fast stop", lambda server: server.stop("fast")),
    needs=(Need.POSTGRES_SERVER,),
)
