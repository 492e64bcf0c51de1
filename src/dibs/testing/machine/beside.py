"""What goes on beside the moves: transactions, worker cards, and somebody who looks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.store.reading import JobFilter
from dibs.errors import DibsError
from dibs.testing.machine.pair import MODEL
from dibs.testing.machine.sight import follow_pages
from dibs.testing.machine.stage import Stage
from dibs.testing.machine.values import BATCHES, FILTERS, PICKS, SPANS, WORKERS


class ChangeOfMind(DibsError):
    """What makes a caller roll back."""


class BesideJobs(Stage):
    """The other parts of a backend."""

    has_callers_transactions = True

    @precondition(lambda self: self.pair.real.capabilities.transactions)
    @rule(batch=BATCHES, picks=PICKS, is_own=st.booleans(), commits=st.booleans())
    def transact(self, batch: list[dict[str, Any]], picks: list[int], *, is_own: bool, commits: bool) -> None:
        """Store and complete in one transaction, the caller's or the backend's own, and keep it or not."""
        jobs, holds = self.make_jobs(batch), self.pick(picks, self.pair.holds)

        async def operate(backend: Backend, side: int) -> list[Any]:
            async with self.transaction(backend, side, is_own=is_own) as connection:
                stored = await backend.store_jobs(jobs[side], connection=connection)
                completions = [backend.completion(hold[side]) for hold in holds]
                moved = await backend.complete_jobs(completions, connection=connection)
                if not commits:
                    raise ChangeOfMind
            return [stored, moved]

        self.do_whole(operate)

    @asynccontextmanager
    async def transaction(self, backend: Backend, side: int, *, is_own: bool) -> AsyncIterator[Any]:
        """Begin a transaction; the model has none and needs none."""
        if side == MODEL:
            yield None
        elif self.has_callers_transactions and not is_own:
            async with self.pair.harness.transaction() as connection:
                yield connection
        elif backend.transactions is not None:
            async with backend.transactions.begin() as connection:
                yield connection

    @rule(name=WORKERS, state=st.sampled_from(["working", "draining"]), held=st.integers(0, 2), ttl=SPANS)
    def announce(self, name: str, ttl: timedelta, **facts: Any) -> None:
        """Show or renew a card."""
        card = WorkerCard(worker_id=name, host="here", pid=7, job_types=("mail",), **facts)
        self.do(lambda backend, _: backend.workers.announce(card, ttl))

    @rule(name=WORKERS)
    def withdraw(self, name: str) -> None:
        """Take a card away."""
        self.do(lambda backend, _: backend.workers.withdraw(name))

    @rule(wanted=FILTERS, limit=st.integers(1, 5))
    def choose(self, wanted: JobFilter, limit: int) -> None:
        """List and count some of the jobs, page by page."""
        self.look(lambda backend, _: follow_pages(backend, wanted, limit))
        self.look(lambda backend, _: backend.reader.count_jobs(wanted))
