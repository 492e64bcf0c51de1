"""Random histories of everything that a backend does."""

from dibs.testing.machine.beside import BesideJobs
from dibs.testing.machine.governing import Governing
from dibs.testing.machine.locks import LockMoves
from dibs.testing.machine.moves import JobMoves


class Histories(JobMoves, Governing, LockMoves, BesideJobs):
    """Every operation, by several workers, with leases that lapse. Set `make_harness` on a subclass."""


class LeaseHistories(LockMoves):
    """Named leases alone, for a store that keeps nothing else."""
