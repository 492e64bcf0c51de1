"""For how long finished jobs are kept, and who forgets them."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Self

import msgspec

from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import PruneRequest
from dibs.settings import Settings

BATCH = 1_000
DONE = frozenset({State.SUCCEEDED, State.CANCELLED})
FAILED = frozenset({State.FAILED})


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How long finished jobs are kept (cancelled ones like those that succeeded); some types shorter or longer.

    None: for ever.
    """

    succeeded: timedelta | None
    failed: timedelta | None
    by_type: Mapping[str, timedelta] = {}

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Take it from the settings."""
        days = (settings.keep_succeeded_days, settings.keep_failed_days)
        succeeded, failed = (timedelta(days=number) if number else None for number in days)
        return cls(succeeded=succeeded, failed=failed)

    def requests_for_all(self) -> Iterator[PruneRequest]:
        """What to forget of jobs of all types, as far as no task says otherwise."""
        for states, keep in ((DONE, self.succeeded), (FAILED, self.failed)):
            if keep is not None:
                yield PruneRequest(older_than=keep, states=states, limit=BATCH)

    def requests(self, job_types: tuple[str, ...]) -> Iterator[PruneRequest]:
        """What to forget of jobs of these types. Types that nobody here knows are left to those who do."""
        own = {name: keep for name, keep in self.by_type.items() if name in job_types}
        for name, keep in own.items():
            yield PruneRequest(older_than=keep, job_types=(name,), limit=BATCH)
        others = tuple(name for name in job_types if name not in own)
        for states, keep_others in ((DONE, self.succeeded), (FAILED, self.failed)):
            if keep_others is not None and others:
                yield PruneRequest(older_than=keep_others, states=states, job_types=others, limit=BATCH)


async def prune(backend: Backend, request: PruneRequest, *, most: int | None = None) -> int:
    """Forget all that a request means, or not many more than `most`, a batch at a time; tell how many."""
    forgotten = 0
    while (most is None or forgotten < most) and (count := await backend.prune_jobs(request)):
        forgotten += count
        if count < request.limit or request.dry_run:
            break
    return forgotten
