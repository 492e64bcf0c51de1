"""All moves of jobs, one file a stage of a job's life."""

from dibs.backends.redis.claiming import Claiming, Known
from dibs.backends.redis.ending import Ending
from dibs.backends.redis.holding import Holding
from dibs.backends.redis.operating import Operating
from dibs.backends.redis.storing import Storing
from dibs.backends.redis.wire.connections import Lines


class RedisJobs(Storing, Claiming, Holding, Ending, Operating):
    """Each move is one script: it happens whole, or not at all."""

    def __init__(self, lines: Lines) -> None:
        super().__init__(lines)
        self._known = Known()
