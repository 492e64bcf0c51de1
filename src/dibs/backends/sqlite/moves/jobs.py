"""The moves of jobs, each run in the writer's thread or in the caller's own transaction."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from dibs.backends.sqlite.moves import claiming, completing, ending, holding, operating, storing
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.joining import run_joined
from dibs.backends.sqlite.transactions.transaction import Operation, Result
from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.moves import (
    CancelVerdict,
    ClaimRequest,
    Completion,
    Deferral,
    Drop,
    Failure,
    OperatorAct,
    Progress,
    PruneRequest,
    ReapRequest,
    Reclaimed,
    RetryVerdict,
    Rewrite,
    StoreRequest,
)

MOST_LOOKS = 4


class SqliteJobs:
    """What may happen to jobs."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._places = completing.Places()

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs as pending."""
        operation, then = partial(storing.store, request=request), partial(storing.answers, request)
        if request.connection is None:
            return await self._database.write(operation, then=then)
        return then(await self._run(operation, request.connection))

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs."""
        await self._run(partial(storing.store, request=request))
        return len(request.jobs)

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker. A transaction looks at a bounded number of lanes: some are made, not all."""
        for _ in range(MOST_LOOKS):
            operation = partial(claiming.claim, request=request)
            jobs, is_cut_short = await self._database.write(operation, then=self._hand_out)
            if jobs or not is_cut_short:
                return jobs
        return []

    def _hand_out(self, claimed: claiming.Claimed) -> claiming.ClaimedJobs:
        self._places.note(claimed)
        return claiming.claimed_jobs(claimed)

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Move running jobs to succeeded."""
        return await self._run(partial(completing.complete, completions=completions, places=self._places), connection)

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        return await self._run(partial(ending.fail, failures=failures))

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Move running jobs back to pending."""
        return await self._run(partial(ending.snooze, snoozes=snoozes))

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Move running jobs to cancelled, by their holder."""
        return await self._run(partial(ending.drop, drops=drops))

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Let running jobs lapse `duration` from now."""
        return await self._run(partial(holding.renew, leases=leases, duration=duration))

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        return await self._run(partial(holding.report_progress, reports=reports))

    async def cancel(self, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
        """Move unfinished jobs to cancelled."""
        return await self._run(partial(operating.cancel, job_ids=job_ids, act=act))

    async def retry(self, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
        """Move failed and cancelled jobs to pending."""
        return await self._run(partial(operating.retry, job_ids=job_ids, act=act))

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        """Take jobs from workers that vanished."""
        return await self._run(partial(ending.reap, request=request))

    async def prune(self, request: PruneRequest) -> int:
        """Forget finished jobs."""
        return await self._run(partial(operating.prune, request=request))

    async def erase(self, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
        """Forget finished jobs by id."""
        return await self._run(partial(operating.erase, job_ids=job_ids, act=act))

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> list[bool]:
        """Put the same payload in another form where it still stands."""
        return await self._run(partial(operating.rewrite, rewrites=rewrites))

    async def _run(self, operation: Operation[Result], connection: Any = None) -> Result:
        return await run_joined(self._database, operation, connection)
