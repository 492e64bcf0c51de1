"""Random histories of every operation, by several workers, with leases that lapse."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import FINAL
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Deferral, Failure, OnConflict, PruneRequest, UniqueRule, UniqueWhile
from dibs.testing.harness import StoreHarness
from dibs.testing.machine.pair import Hold, Pair

Result = TypeVar("Result")
NAMES = st.sampled_from([f"job-{number}" for number in range(12)])
WORKERS = st.sampled_from(["ann", "ben", "cyd"])
TYPES = st.sampled_from(["mail", "crawl"])
QUEUES = st.sampled_from(["fast", "slow"])
TENANTS = st.sampled_from(["acme", "zeta"])
SPANS = st.sampled_from([timedelta(seconds=seconds) for seconds in (30, 70, 130, 310)])
DELAYS = st.sampled_from([timedelta(0), timedelta(seconds=50), timedelta(seconds=150)])
PICKS = st.lists(st.integers(0, 1_000), min_size=1, max_size=4)
ERRORS = st.builds(
    ErrorInfo, type=st.sampled_from(["Boom", "Bang"]), message=st.text(max_size=5).filter(str.isprintable)
)
COSTS = st.integers(0, 5)
JOBS: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict[str, Any],
    id=NAMES,
    job_type=TYPES,
    queue=QUEUES,
    tenant=TENANTS,
    priority=st.integers(-2, 2),
    input=st.one_of(st.integers(), st.text(max_size=3), st.none()),
    max_retries=st.integers(0, 2),
    unique_key=st.sampled_from([None, None, "k", "l"]),
)
RULES = st.one_of(
    st.builds(
        UniqueRule,
        hold=st.sampled_from([UniqueWhile.PENDING, UniqueWhile.UNFINISHED]),
        on_conflict=st.sampled_from(OnConflict),
    ),
    st.builds(
        UniqueRule,
        hold=st.just(UniqueWhile.WINDOW),
        window=st.just(timedelta(seconds=100)),
        on_conflict=st.sampled_from(OnConflict),
    ),
)
Operation = Callable[[Backend, int], Awaitable[Any]]


class Histories(RuleBasedStateMachine):
    """Set `make_harness` in a subclass, or on the class before running."""

    make_harness: ClassVar[Callable[[], Awaitable[StoreHarness]]]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.pair = self.run(self._begin())

    async def _begin(self) -> Pair:
        pair = Pair(await type(self).make_harness())
        await pair.begin()
        return pair

    def teardown(self) -> None:
        """Let go of the store."""
        self.run(self.pair.end())
        self.run(self.pair.harness.close())
        self.runner.close()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run one step to its end."""
        return self.runner.run(work)

    def do(self, operation: Operation) -> None:
        """Do it on both sides and compare."""
        self.run(self.pair.do(operation))
        self.run(self.pair.remember_holds())

    def pick(self, numbers: list[int]) -> list[Hold]:
        """Choose from all leases that were ever given out, stale ones too, each at most once; none if none was."""
        holds = self.pair.holds
        if not holds:
            return []
        return [holds[index] for index in dict.fromkeys(number % len(holds) for number in numbers)]

    @invariant()
    def everything_agrees(self) -> None:
        """Compare all that can be seen."""
        self.run(self.pair.check())

    @rule(jobs=st.lists(JOBS, min_size=1, max_size=3), unique=RULES, delay=st.one_of(st.none(), DELAYS))
    def store(self, jobs: list[dict[str, Any]], unique: UniqueRule, delay: timedelta | None) -> None:
        """Store a batch, perhaps with ids or keys that are taken."""
        self.do(lambda backend, _: backend.store_jobs([Job(**job) for job in jobs], unique=unique, delay=delay))

    @rule(jobs=st.lists(JOBS, min_size=1, max_size=3))
    def copy(self, jobs: list[dict[str, Any]]) -> None:
        """Copy a batch."""
        plain = [{**job, "unique_key": None} for job in jobs]
        self.do(lambda backend, _: backend.copy_jobs([Job(**job) for job in plain]))

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
        holds = self.pick(picks)
        self.do(
            lambda backend, side: backend.complete_jobs(
                [backend.completion(hold[side], hold[0].job_id, cost_cents=cost) for hold in holds]
            )
        )

    @rule(picks=PICKS, error=ERRORS, kind=st.sampled_from(FailureKind), retry_in=DELAYS, cost=COSTS)
    def fail(self, picks: list[int], cost: int, **facts: Any) -> None:
        """Fail in each way."""
        holds = self.pick(picks)
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
        holds = self.pick(picks)
        self.do(lambda backend, side: backend.snooze_jobs([Deferral(lease=hold[side], **facts) for hold in holds]))

    @rule(pick=st.integers(0, 1_000))
    def drop(self, pick: int) -> None:
        """Drop one."""
        for hold in self.pick([pick]):
            self.do(partial(drop_held, hold))

    @rule(picks=PICKS, duration=SPANS)
    def heartbeat(self, picks: list[int], duration: timedelta) -> None:
        """Renew, also with stale leases."""
        holds = self.pick(picks)
        self.do(lambda backend, side: backend.heartbeat_jobs([hold[side] for hold in holds], duration=duration))

    @rule(pick=st.integers(0, 1_000), value=st.integers())
    def progress(self, pick: int, value: int) -> None:
        """Report progress, also with a stale lease."""
        for hold in self.pick([pick]):
            self.do(partial(report_held, hold, value))

    @rule(job_ids=st.lists(NAMES, min_size=1, max_size=3, unique=True))
    def cancel(self, job_ids: list[str]) -> None:
        """Cancel as an operator."""
        self.do(lambda backend, _: backend.cancel_jobs(job_ids, actor="op", reason="because"))

    @rule(job_ids=st.lists(NAMES, min_size=1, max_size=4, unique=True))
    def retry(self, job_ids: list[str]) -> None:
        """Retry as an operator."""
        self.do(lambda backend, _: backend.retry_jobs(job_ids, actor="op", reason="because"))

    @rule()
    def reap(self) -> None:
        """Take lapsed jobs back."""
        self.do(reap_unordered)

    @rule(
        older_than=st.sampled_from([timedelta(0), timedelta(seconds=100)]),
        states=st.sets(st.sampled_from(sorted(FINAL))),
    )
    def prune(self, older_than: timedelta, states: set[Any]) -> None:
        """Forget finished jobs."""
        # A moment passes first: then "older than nothing" means the same to a clock that runs and to one that stands.
        self.run(self.pair.advance(timedelta(seconds=1)))
        self.do(lambda backend, _: backend.prune_jobs(PruneRequest(older_than=older_than, states=frozenset(states))))

    @rule(span=SPANS)
    def wait(self, span: timedelta) -> None:
        """Let time pass in the store."""
        self.run(self.pair.advance(span))


async def drop_held(hold: Hold, backend: Backend, side: int) -> None:
    """Drop a job by its lease on this side."""
    await backend.drop_job(hold[side], "not needed")


async def report_held(hold: Hold, value: int, backend: Backend, side: int) -> None:
    """Report progress by the lease on this side."""
    await backend.report_progress(hold[side], value)


async def reap_unordered(backend: Backend, _: int) -> list[tuple[str, str, str]]:
    """Reap, and tell what was taken; leases that lapsed at one instant come in any order."""
    return sorted((one.lease.job_id, one.worker, one.state) for one in await backend.reap_jobs(1_000))
