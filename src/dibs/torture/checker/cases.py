"""What is known of one job: the calls that concern it, and what the store says of it in the end."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.store.reading import AuditEntry
from dibs.torture.history.reading import History, Operation
from dibs.torture.history.records import CHAFF, Move, Outcome

ENDINGS = (Move.COMPLETE, Move.FAIL, Move.DROP, Move.CANCEL, Move.REAP)
LEASE_MOVES = frozenset({Move.ACQUIRE, Move.RENEW, Move.RELEASE})


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one operation did to one job. `answer` is None where nobody can tell."""

    move: Move
    began: float
    ended: float = math.inf
    token: int = 0
    wait: float = 0.0
    answer: Any = None
    process: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nobody can tell if it happened."""
        return math.isinf(self.ended)

    @property
    def is_accepted(self) -> bool:
        """Whether it surely happened."""
        return not self.is_open and self.answer not in (None, False)


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What the store says of a job: itself, its attempts, its audit entries, the tokens of its booked effects."""

    job: Job | None
    attempts: list[Attempt] = []
    audit: list[AuditEntry] = []
    booked: list[int] = []


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One job."""

    job_id: str
    steps: list[Step]
    account: Account
    effected: list[int] = []
    began: list[int] = []
    # Whether some claim, or some reap, was left open: it may have moved this job without anybody's knowing.
    open_claims: Mapping[str, float] = {}
    open_reap: float = math.inf
    # When the last purge was over, if there was one; an open one may still come.
    last_prune: float = -math.inf

    def of(self, *moves: Move) -> list[Step]:
        """Give the steps of some kinds."""
        return [step for step in self.steps if step.move in moves]

    @property
    def is_pruned(self) -> bool:
        """Whether it is gone as operators may have wanted: it was there to be purged, and may have ended before."""
        if self.account.job is not None or not self.job_id.startswith(CHAFF):
            return False
        ends = [step for step in self.of(*ENDINGS) if step.is_open or step.is_accepted]
        return any(step.began < self.last_prune for step in ends)

    def granted(self) -> dict[int, Step]:
        """Give the claims that were answered, by token."""
        return {step.token: step for step in self.of(Move.CLAIM)}

    def lost(self) -> list[Attempt]:
        """Give the attempts that somebody took back."""
        return [attempt for attempt in self.account.attempts if attempt.outcome is AttemptOutcome.LOST]


def split_history(history: History, accounts: Mapping[str, Account]) -> list[Case]:
    """Give one case for each job that anybody asked for or the store knows."""
    steps: defaultdict[str, list[Step]] = defaultdict(list)
    for operation in history.operations:
        if operation.move not in LEASE_MOVES:
            for job_id, step in _steps(operation):
                steps[job_id].append(step)
    effected, began = _tokens(history.effected), _tokens(history.began)
    claims, reap = _find_open(history.operations)
    last_prune = max((one.ended for one in history.operations if one.move is Move.PRUNE), default=-math.inf)
    return [
        Case(
            job_id=job_id,
            steps=steps[job_id],
            account=accounts.get(job_id) or Account(job=None),
            effected=effected[job_id],
            began=began[job_id],
            open_claims=claims,
            open_reap=reap,
            last_prune=last_prune,
        )
        for job_id in {**steps, **accounts}
    ]


def split_leases(history: History) -> dict[str, list[Step]]:
    """Give the steps of each named lease."""
    steps: defaultdict[str, list[Step]] = defaultdict(list)
    for operation in history.operations:
        if operation.move in LEASE_MOVES:
            for name, step in _steps(operation):
                steps[name].append(step)
    return steps


def _tokens(records: Iterable[Any]) -> defaultdict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for record in records:
        found[record.job].append(record.token)
    return found


def _find_open(operations: Iterable[Operation]) -> tuple[dict[str, float], float]:
    claims: dict[str, float] = {}
    reap = math.inf
    for one in operations:
        if one.is_open and one.move is Move.CLAIM:
            claims[one.worker] = min(one.began, claims.get(one.worker, math.inf))
        elif one.is_open and one.move is Move.REAP:
            reap = min(one.began, reap)
    return claims, reap


def _steps(operation: Operation) -> Iterable[tuple[str, Step]]:
    if operation.outcome is Outcome.FAILED:
        return
    span: dict[str, Any] = {
        "move": operation.move,
        "began": operation.began,
        "ended": operation.ended,
        "process": operation.process,
    }
    if operation.move is Move.CLAIM:
        for job_id, token in operation.answers:
            yield job_id, Step(token=token, wait=operation.waits[0], answer=True, **span)
    elif operation.move is Move.REAP:
        for job_id, token, state in operation.answers:
            yield job_id, Step(token=token, answer=state, **span)
    else:
        for index, job_id in enumerate(operation.jobs):
            yield job_id, Step(**span, **_facts(operation, index))


def _facts(operation: Operation, index: int) -> dict[str, Any]:
    return {
        "token": operation.tokens[index] if operation.tokens else 0,
        "wait": operation.waits[index] if operation.waits else 0.0,
        "answer": operation.answers[index] if operation.answers else None,
    }
