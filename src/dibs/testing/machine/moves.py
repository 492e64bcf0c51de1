"""The moves of jobs, by several workers, with leases that lapse."""

from datetime import timedelta
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from dibs.engine.failure import FailureKind
from dibs.engine.job import AttemptOutcome
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Deferral, Failure, PruneRequest, UniqueRule
from dibs.testing.machine.pair import Hold
from dibs.testing.machine.stage import Stage
from dibs.testing.machine.values import (
    ACTS,
    AGES,
    BATCHES,
    COSTS,
    DELAYS,
    ERRORS,
    FINAL_STATES,
    MOMENT,
    NAMES,
    PICKS,
    QUEUES,
    RULES,
    SPANS,
    TENANTS,
    TYPES,
    WORKERS,
)

MOST_PRUNES = 20


class JobMoves(Stage):
    """Everything that can happen to a job."""

    @rule(batch=BATCHES, unique=RULES, delay=st.one_of(st.none(), DELAYS))
    def store(self, batch: list[dict[str, Any]], unique: UniqueRule, delay: timedelta | None) -> None:
        """Store a batch, perhaps with ids or keys that are taken."""
        jobs = self.make_jobs(batch)
        self.do(lambda backend, side: backend.store_jobs(jobs[side], unique=unique, delay=delay))

    @rule(batch=BATCHES, delay=st.one_of(st.none(), DELAYS))
    def copy(self, batch: list[dict[str, Any]], delay: timedelta | None) -> None:
        """Copy a batch."""
        jobs = self.make_jobs([{**facts, "unique_key": None} for facts in batch])
        self.do(lambda backend, side: backend.copy_jobs(jobs[side], delay=delay))

    @rule(
        limit=st.integers(1, 4),
        worker=WORKERS,
        lease=SPANS,
        job_types=st.one_of(st.none(), st.lists(TYPES, max_size=2)),
        queues=st.one_of(st.none(), st.lists(QUEUES, max_size=2)),
        tenant=st.one_of(st.none(), st.none(), TENANTS),
    )
    def claim(self, limit: int, **wanted: Any) -> None:
        """Claim for one of the workers."""
        self.do(lambda backend, _: backend.claim_pending_jobs(limit, **wanted))

    @rule(picks=PICKS, cost=COSTS)
    def complete(self, picks: list[int], cost: int) -> None:
        """Complete, also with stale leases."""
        holds = self.pick(picks, self.pair.holds)
        self.do(
            lambda backend, side: backend.complete_jobs(
                [backend.completion(hold[side], hold[0].job_id, cost_cents=cost) for hold in holds]
            )
        )

    @rule(picks=PICKS, error=ERRORS, kind=st.sampled_from(FailureKind), retry_in=DELAYS, cost=COSTS)
    def fail(self, picks: list[int], cost: int, **facts: Any) -> None:
        """Fail in each way."""
        holds = self.pick(picks, self.pair.holds)
        self.do(
            lambda backend, side: backend.fail_jobs(
                [Failure(lease=hold[side], cost_microcents=cost, **facts) for hold in holds]
            )
        )

    @rule(
        picks=PICKS,
        delay=DELAYS,
        outcome=st.sampled_from([AttemptOutcome.SNOOZED, AttemptOutcome.RELEASED]),
    )
    def snooze(self, picks: list[int], **facts: Any) -> None:
        """Give back."""
        holds = self.pick(picks, self.pair.holds)
        self.do(lambda backend, side: backend.snooze_jobs([Deferral(lease=hold[side], **facts) for hold in holds]))

    @rule(pick=st.integers(0, 1_000))
    def drop(self, pick: int) -> None:
        """Drop one."""
        for hold in self.pick([pick], self.pair.holds):
            self.do(partial(drop_held, hold))

    @rule(picks=PICKS, duration=SPANS)
    def heartbeat(self, picks: list[int], duration: timedelta) -> None:
        """Renew, also with stale leases."""
        holds = self.pick(picks, self.pair.holds)
        self.do(lambda backend, side: backend.heartbeat_jobs([hold[side] for hold in holds], duration=duration))

    @rule(pick=st.integers(0, 1_000), value=st.integers())
    def progress(self, pick: int, value: int) -> None:
        """Report progress, also with a stale lease."""
        for hold in self.pick([pick], self.pair.holds):
            self.do(partial(report_held, hold, value))

    @rule(job_ids=st.lists(NAMES, min_size=1, max_size=3, unique=True))
    def cancel(self, job_ids: list[str]) -> None:
        """Cancel as an operator."""
        self.do(lambda backend, _: backend.cancel_jobs(job_ids, actor="op", reason="because"))

    @rule(job_ids=st.lists(NAMES, min_size=1, max_size=4, unique=True))
    def retry(self, job_ids: list[str]) -> None:
        """Retry as an operator."""
        self.do(lambda backend, _: backend.retry_jobs(job_ids, actor="op", reason="because"))

    @rule(job_ids=st.lists(NAMES, min_size=1, max_size=4, unique=True))
    def erase(self, job_ids: list[str]) -> None:
        """Erase as an operator: only what is finished goes."""
        self.do(lambda backend, _: backend.erase_jobs(job_ids, actor="op", reason="asked by the person"))

    @rule()
    def reap(self) -> None:
        """Take lapsed jobs back."""
        self.do(reap_unordered)

    @rule(
        older_than=AGES,
        states=FINAL_STATES,
        job_types=st.one_of(st.none(), st.tuples(TYPES)),
        tenant=st.one_of(st.none(), TENANTS),
        act=ACTS,
        dry_run=st.booleans(),
    )
    def prune(self, **facts: Any) -> None:
        """Forget finished jobs, all that are meant."""
        self.run(self.pair.advance(MOMENT))
        self.do(lambda backend, _: backend.prune_jobs(PruneRequest(**facts)))

    @rule(older_than=AGES, limit=st.integers(1, 3))
    def prune_bit_by_bit(self, older_than: timedelta, limit: int) -> None:
        """Forget finished jobs, few at a time until none is left: of those that finished at one instant, any first."""
        self.run(self.pair.advance(MOMENT))
        request = PruneRequest(older_than=older_than, limit=limit)
        self.look(lambda backend, _: prune_all(backend, request))


async def drop_held(hold: Hold, backend: Backend, side: int) -> None:
    """Drop a job by its lease on this side."""
    await backend.drop_job(hold[side], "not needed")


async def report_held(hold: Hold, value: int, backend: Backend, side: int) -> None:
    """Report progress by the lease on this side."""
    await backend.report_progress(hold[side], value)


async def reap_unordered(backend: Backend, _: int) -> list[tuple[str, str, str]]:
    """Reap, and tell what was taken; leases that lapsed at one instant come in any order."""
    return sorted((one.lease.job_id, one.worker, one.state) for one in await backend.reap_jobs(1_000))


async def prune_all(backend: Backend, request: PruneRequest) -> list[int]:
    """Prune until nothing is left, and tell how many went each time."""
    counts = [await backend.prune_jobs(request)]
    while counts[-1] and len(counts) < MOST_PRUNES:
        counts.append(await backend.prune_jobs(request))
    return counts
