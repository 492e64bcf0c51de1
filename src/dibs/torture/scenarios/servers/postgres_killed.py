"""kill -9 of the postmaster."""

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.scenarios.servers.stopping import make_strike

SCENARIO = Scenario(
    name="postgres-killed",
    title="kill -9 of the postmaster",
    strike=make_strike("the postmaster killed", lambda server: server.kill()),
    needs=(Need.POSTGRES_SERVER,),
)
