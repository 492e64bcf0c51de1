"""All moves of jobs, one file a stage of a job's life."""

from dibs.backends.redis.claiming import Claiming
from dibs.backends.redis.ending import Ending
from dibs.backends.redis.holding import Holding
from dibs.backends.redis.operating import Operating
from dibs.backends.redis.storing import Storing


class RedisJobs(Storing, Claiming, Holding, Ending, Operating):
    """Each move is one script: it happens whole, or not at all."""
