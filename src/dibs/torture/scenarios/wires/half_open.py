"""Connections that look open and carry nothing, for good."""

from dibs.torture.faults.wire import Manner
from dibs.torture.scenarios.wires.manners import make_scenario, make_strike

SCENARIO = make_scenario(
    "half-open", "connections that fall silent and never speak again", make_strike("silence", Manner(is_silent=True))
)
