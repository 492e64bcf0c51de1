"""All moves of jobs; each file tells one stage of a job's life."""

from dibs.backends.postgres.moves.claiming import Claiming
from dibs.backends.postgres.moves.ending import Ending
from dibs.backends.postgres.moves.holding import Holding
from dibs.backends.postgres.moves.operating import Operating
from dibs.backends.postgres.moves.storing import Storing


class PostgresJobs(Storing, Claiming, Holding, Ending, Operating):
    """The moves of jobs, on PostgreSQL."""
