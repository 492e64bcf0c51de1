"""Forgetting finished jobs when they are old enough."""

import hashlib
from collections.abc import Iterable
from datetime import timedelta

import msgspec

from dibs.engine.loops.chores import Chore
from dibs.engine.loops.leading import Leadership
from dibs.engine.retention import Retention, prune
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import PruneRequest
from dibs.engine.worker.reach import Doing, Reach


class Pruning(Chore):
    """Prunes from time to time; of the workers that would forget the same jobs, one at a time does."""

    doing = Doing.PRUNING

    def __init__(
        self,
        backend: Backend,
        reach: Reach,
        retention: Retention,
        *,
        owner: str,
        job_types: tuple[str, ...],
        interval: timedelta,
    ) -> None:
        self._backend = backend
        self._requests = tuple(retention.requests(job_types))
        super().__init__(reach, Leadership(backend, name_lease(self._requests), owner, 2 * interval), interval)

    async def _do(self) -> int:
        return sum([await prune(self._backend, request) for request in self._requests])


def name_lease(requests: Iterable[PruneRequest]) -> str:
    """Name a lease after what is forgotten: whoever knows other types would else wait for a turn that never comes."""
    facts = [(sorted(one.job_types or ()), sorted(one.states), one.older_than.total_seconds()) for one in requests]
    return f"dibs:pruner:{hashlib.sha256(msgspec.json.encode(sorted(facts))).hexdigest()[:16]}"
