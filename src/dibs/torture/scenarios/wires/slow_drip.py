"""Messages come in drops."""

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.wires.manners import make_scenario, make_strike

SCENARIO = make_scenario("slow-drip", "messages that come 64 bytes at a time", make_strike("a drip", Manner(drip=64)))
