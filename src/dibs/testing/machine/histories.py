"""Random histories of everything that a backend does."""

from dibs.testing.machine.beside import BesideJobs
from dibs.testing.machine.governing import Governing
from dibs.testing.machine.moves import JobMoves


class Histories(JobMoves, Governing, BesideJobs):
    """Every operation, by several workers, with leases that lapse. Set `make_harness` on a subclass."""
