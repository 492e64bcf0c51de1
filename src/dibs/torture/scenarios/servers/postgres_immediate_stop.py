"""PostgreSQL stopped at once and started again."""

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.scenarios.servers.stopping import make_strike

SCENARIO = Scenario(
    name="postgres-immediate-stop",
    title="PostgreSQL stopped at once and started again",
    strike=make_strike("an immediate stop", lambda server: server.stop("immediate")),
    needs=(Need.POSTGRES_SERVER,),
)
