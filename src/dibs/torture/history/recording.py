"""A store that writes down what it is asked and what it answers."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count
from typing import Any, Protocol, TypeVar

from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.guards import GuardedLeases
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
from dibs.engine.store.protocols import JobStore, NamedLease, NamedLeases, Transactions
from dibs.errors import DibsError, DuplicateJob, OutcomeUnknown
from dibs.torture.history.records import Answered, Asked, Move, Outcome, Record

Answer = TypeVar("Answer")
STORED, KEPT, DUPLICATE = "stored", "kept", "duplicate"
_numbers = count(1)


class Notebook(Protocol):
    """Where lines are written."""

    def write(self, record: Record) -> None:
        """Write one line, for good."""


def record_backend(backend: Backend, diary: Notebook, clock: Callable[[], float] = time.monotonic) -> Backend:
    """Let everything that is asked of a backend's jobs be written down."""
    pen = Pen(diary, clock)
    backend.jobs = RecordingStore(backend.jobs, pen)
    backend.leases = GuardedLeases(RecordingLeases(backend.leases, pen))
    if backend.transactions is not None:
        backend.transactions = RecordingTransactions(backend.transactions, pen)
    return backend


class Pen:
    """Writes questions and answers. Those inside a transaction are answered when it ends, not before."""

    def __init__(self, diary: Notebook, clock: Callable[[], float]) -> None:
        self._diary = diary
        self._clock = clock
        self._pending: dict[int, list[Answered]] = {}

    async def keep(
        self, asked: Asked, asking: Awaitable[Answer], read: Callable[[Answer], list[Any]], connection: Any = None
    ) -> Answer:
        """Write a question, ask it, and write the answer."""
        self._diary.write(asked)
        try:
            answer = await asking
        except BaseException as error:
            self._diary.write(self._describe(asked, error))
            raise
        answered = Answered(number=asked.number, at=self._clock(), outcome=Outcome.OK, answers=read(answer))
        if id(connection) in self._pending:
            self._pending[id(connection)].append(answered)
        else:
            self._diary.write(answered)
        return answer

    def question(self, move: Move, **facts: Any) -> Asked:
        """Begin a question."""
        return Asked(number=next(_numbers), at=self._clock(), move=move, **facts)

    def begin(self, connection: Any) -> None:
        """Hold back answers that are worth nothing until this transaction has committed."""
        self._pending[id(connection)] = []

    def end(self, connection: Any, error: BaseException | None) -> None:
        """Write what became of them. Only a commit that was answered, or an undone transaction, is known."""
        for one in self._pending.pop(id(connection)):
            outcome = Outcome.OK if error is None else judge(error)
            answers = one.answers if error is None else []
            name = "" if error is None else type(error).__name__
            at = self._clock()
            self._diary.write(Answered(number=one.number, at=at, outcome=outcome, answers=answers, error=name))

    def _describe(self, asked: Asked, error: BaseException) -> Answered:
        if isinstance(error, DuplicateJob) and len(asked.jobs) == 1:
            return Answered(number=asked.number, at=self._clock(), outcome=Outcome.OK, answers=[DUPLICATE])
        return Answered(number=asked.number, at=self._clock(), outcome=judge(error), error=type(error).__name__)


def judge(error: BaseException) -> Outcome:
    """Tell what an error says of the write: every error of Dibs but one promises that nothing was written."""
    is_certain = isinstance(error, DibsError) and not isinstance(error, OutcomeUnknown)
    return Outcome.FAILED if is_certain else Outcome.UNKNOWN


class RecordingTransactions:
    """Transactions whose end is written down."""

    def __init__(self, transactions: Transactions, pen: Pen) -> None:
        self._transactions = transactions
        self._pen = pen

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Any]:
        """Open one."""
        connection: Any = None
        try:
            async with self._transactions.begin() as connection:
                self._pen.begin(connection)
                yield connection
        except BaseException as error:
            if connection is not None:
                self._pen.end(connection, error)
            raise
        self._pen.end(connection, None)


class RecordingStore:
    """Every move of jobs, written down."""

    def __init__(self, store: JobStore, pen: Pen) -> None:
        self._store = store
        self._pen = pen

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs."""
        asked = self._question_enqueue(request)
        return await self._pen.keep(asked, self._store.store(request), _read_stored, request.connection)

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs."""
        asked = self._question_enqueue(request)
        return await self._pen.keep(asked, self._store.copy(request), lambda _: [STORED] * len(asked.jobs))

    def _question_enqueue(self, request: StoreRequest) -> Asked:
        jobs = [job.id for job in request.jobs]
        waits = [0.0 if request.delay is None else request.delay.total_seconds()] * len(jobs)
        return self._pen.question(Move.ENQUEUE, jobs=jobs, waits=waits)

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Claim jobs."""
        asked = self._pen.question(Move.CLAIM, waits=[request.lease.total_seconds()], worker=request.worker)
        return await self._pen.keep(asked, self._store.claim(request), _read_claimed)

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Finish jobs."""
        asking = self._store.complete(completions, connection=connection)
        return await self._pen.keep(self._question(Move.COMPLETE, completions), asking, list, connection)

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Record failures."""
        waits = [one.retry_in.total_seconds() for one in failures]
        return await self._pen.keep(self._question(Move.FAIL, failures, waits), self._store.fail(failures), list)

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Give jobs back."""
        waits = [one.delay.total_seconds() for one in snoozes]
        return await self._pen.keep(self._question(Move.SNOOZE, snoozes, waits), self._store.snooze(snoozes), list)

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Cancel jobs as their holder."""
        return await self._pen.keep(self._question(Move.DROP, drops), self._store.drop(drops), list)

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Renew leases."""
        jobs, tokens = [lease.job_id for lease in leases], [lease.token for lease in leases]
        waits = [duration.total_seconds()] * len(jobs)
        asked = self._pen.question(Move.HEARTBEAT, jobs=jobs, tokens=tokens, waits=waits)
        return await self._pen.keep(asked, self._store.heartbeat(leases, duration), list)

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far jobs are."""
        asking = self._store.report_progress(reports)
        return await self._pen.keep(self._question(Move.PROGRESS, reports), asking, list)

    async def cancel(self, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
        """Cancel jobs."""
        asked = self._pen.question(Move.CANCEL, jobs=list(job_ids))
        return await self._pen.keep(asked, self._store.cancel(job_ids, act), list)

    async def retry(self, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
        """Put jobs back."""
        asked = self._pen.question(Move.RETRY, jobs=list(job_ids))
        return await self._pen.keep(asked, self._store.retry(job_ids, act), list)

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        """Take jobs from workers that vanished."""
        return await self._pen.keep(self._pen.question(Move.REAP), self._store.reap(request), _read_reclaimed)

    async def prune(self, request: PruneRequest) -> int:
        """Forget finished jobs."""
        asked = self._pen.question(Move.PRUNE, waits=[request.older_than.total_seconds()])
        return await self._pen.keep(asked, self._store.prune(request), lambda count: [count])

    async def erase(self, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
        """Forget finished jobs by id; a proof never does, so this is not written down."""
        return await self._store.erase(job_ids, act)

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> list[bool]:
        """Write payloads otherwise; the same."""
        return await self._store.rewrite(rewrites)

    def _question(self, move: Move, writes: Sequence[Any], waits: list[float] | None = None) -> Asked:
        jobs, tokens = [one.lease.job_id for one in writes], [one.lease.token for one in writes]
        return self._pen.question(move, jobs=jobs, tokens=tokens, waits=waits or [0.0] * len(jobs))


class RecordingLeases:
    """Every move of named leases, written down."""

    def __init__(self, leases: NamedLeases, pen: Pen) -> None:
        self._leases = leases
        self._pen = pen

    async def acquire(self, name: str, owner: str, ttl: timedelta) -> NamedLease | None:
        """Take a lease."""
        asked = self._pen.question(Move.ACQUIRE, jobs=[name], tokens=[0], waits=[ttl.total_seconds()], worker=owner)
        return await self._pen.keep(asked, self._leases.acquire(name, owner, ttl), _read_token)

    async def renew(self, lease: NamedLease, ttl: timedelta) -> NamedLease | None:
        """Keep it."""
        asked = self._question(Move.RENEW, lease, ttl.total_seconds())
        return await self._pen.keep(asked, self._leases.renew(lease, ttl), lambda found: [found is not None])

    async def release(self, lease: NamedLease) -> bool:
        """Give it up."""
        return await self._pen.keep(self._question(Move.RELEASE, lease, 0.0), self._leases.release(lease), _read_one)

    async def find(self, name: str) -> NamedLease | None:
        """Tell who holds it."""
        return await self._leases.find(name)

    def _question(self, move: Move, lease: NamedLease, wait: float) -> Asked:
        return self._pen.question(move, jobs=[lease.name], tokens=[lease.token], waits=[wait], worker=lease.owner)


def _read_token(lease: NamedLease | None) -> list[Any]:
    return [None if lease is None else lease.token]


def _read_one(answer: bool) -> list[Any]:
    return [answer]


def _read_stored(jobs: list[Job | None]) -> list[Any]:
    return [KEPT if job is None else STORED for job in jobs]


def _read_claimed(jobs: list[Job]) -> list[Any]:
    return [[job.id, job.lease_token] for job in jobs]


def _read_reclaimed(reclaimed: list[Reclaimed]) -> list[Any]:
    return [[one.lease.job_id, one.lease.token, one.state] for one in reclaimed]
