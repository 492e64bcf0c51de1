"""The store cannot be reached at all."""

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.wires.manners import make_scenario, make_strike

SCENARIO = make_scenario(
    "unreachable", "a store that nobody can reach", make_strike("nobody is let in", Manner(is_closed=True))
)
