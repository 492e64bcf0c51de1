"""All moves of jobs, one file a stage of a job's life."""

from dibs.backends.redis.moves.claiming import Claiming, Known
from dibs.backends.redis.moves.ending import Ending
from dibs.backends.redis.moves.holding import Holding
from dibs.backends.redis.moves.operating import Operating
from dibs.backends.redis.moves.storing import Storing
from dibs.backends.redis.wire.connections import Lines


class RedisJobs(Storing, Claiming, Holding, Ending, Operating):
    """Each move is one script: it happens whole, or not at all."""

    def __init__(self, lines: Lines) -> None:
        super().__init__(lines)
        self._known = Known()
