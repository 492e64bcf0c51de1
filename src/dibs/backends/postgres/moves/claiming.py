"""Giving jobs to workers."""

from operator import itemgetter

from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import claimed_jobs
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import span_micros


class Claiming(Stage):
    """From pending to running."""

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker."""
        rows = await self._connections.write(
            self._sql["moves/claim_jobs"],
            request.worker,
            request.limit,
            span_micros(request.lease),
            request.queues,
            request.job_types,
            request.tenant,
            self._notify,
        )
        if not rows:
            return []
        self._on_claim()
        # Tokens were drawn in the order of urgency.
        return claimed_jobs(sorted(rows, key=itemgetter(17)), request.worker, request.lease)
