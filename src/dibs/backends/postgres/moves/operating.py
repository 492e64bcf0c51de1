"""What operators and the reaper do to jobs from outside."""

from collections.abc import Sequence

from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import moved_at
from dibs.engine.job import Lease
from dibs.engine.states import State
from dibs.engine.store.moves import (
    CancelVerdict,
    OperatorAct,
    PruneRequest,
    ReapRequest,
    Reclaimed,
    RetryVerdict,
    Rewrite,
)
from dibs.kit.clock import span_micros


class Operating(Stage):
    """Cancel, retry, reap, prune, erase."""

    async def cancel(self, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
        """Move unfinished jobs to cancelled."""
        rows = await self._connections.write(self._sql["moves/cancel_jobs"], list(job_ids), act.actor, act.reason)
        return [CancelVerdict(row["verdict"]) for row in sorted(rows, key=lambda row: row["place"])]

    async def retry(self, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
        """Move failed and cancelled jobs to pending."""
        rows = await self._connections.write(
            self._sql["moves/retry_jobs"], list(job_ids), act.actor, act.reason, self._notify
        )
        return [RetryVerdict(row["verdict"]) for row in sorted(rows, key=lambda row: row["place"])]

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        """Take jobs from workers that vanished."""
        rows = await self._connections.write(
            self._sql["moves/reap_jobs"], request.limit, request.max_worker_deaths, self._notify
        )
        return [
            Reclaimed(lease=Lease(row["id"], row["token"]), worker=row["worker"], state=State(row["state"]))
            for row in rows
        ]

    async def prune(self, request: PruneRequest) -> int:
        """Forget finished jobs."""
        rows = await self._connections.write(
            self._sql["moves/prune_jobs"],
            span_micros(request.older_than),
            [state.value for state in request.states],
            request.job_types,
            request.tenant,
            request.limit,
            request.dry_run,
            None if request.act is None else request.act.actor,
            None if request.act is None else request.act.reason,
        )
        count: int = rows[0]["count"]
        return count

    async def erase(self, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
        """Forget finished jobs by id."""
        rows = await self._connections.write(self._sql["moves/erase_jobs"], list(job_ids), act.actor, act.reason)
        gone = {row["id"] for row in rows}
        return [job_id in gone for job_id in job_ids]

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> list[bool]:
        """Put the same payload in another form where it still stands."""
        rows = await self._connections.write(
            self._sql["moves/rewrite_payloads"],
            [rewrite.job_id for rewrite in rewrites],
            [rewrite.field.value for rewrite in rewrites],
            [rewrite.before.decode() for rewrite in rewrites],
            [rewrite.after.decode() for rewrite in rewrites],
        )
        return moved_at(len(rewrites), rows)
