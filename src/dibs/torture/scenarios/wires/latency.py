"""Everything is late."""

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.wires.manners import make_scenario, make_strike

SCENARIO = make_scenario(
    "latency", "every message 150 ms late, both ways", make_strike("150 ms of latency", Manner(latency=0.15))
)
