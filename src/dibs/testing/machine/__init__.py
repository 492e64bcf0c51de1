"""Random histories: the same operations on a store and on the memory backend, compared after every step."""

from dibs.testing.machine.histories import Histories, LeaseHistories
from dibs.testing.machine.interrupted import Cut, InterruptedHistories

__all__ = ["Cut", "Histories", "InterruptedHistories", "LeaseHistories"]
