"""All answers fit one order of events: the whole history of a job, with what may have happened unseen."""

import math

from dibs.torture.checker.cases import Case, Step
from dibs.torture.checker.linearizing import Call, Verdict, find_order
from dibs.torture.checker.models import JobModel, LeaseModel
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms, is_forgotten
from dibs.torture.history.records import Move

MODEL = JobModel()
LEASES = LeaseModel()
READ = "read"


def check_ordering(case: Case, terms: Terms, notes: Notes) -> None:
    """Look for an order that the model of a job accepts."""
    if any(is_forgotten(step.began, terms) for step in case.of(Move.ENQUEUE)):
        return
    if case.is_pruned and (case.open_claims or not math.isinf(case.open_reap)):
        # Moves that nobody saw are known from the history of a job, and that is gone as well.
        return
    found = find_order(MODEL, make_calls(case))
    stuck = ", ".join(describe_call(call) for call in found.stuck[:4])
    message = f"no order of its {len(case.steps)} operations makes all answers true; stuck at: {stuck}"
    if found.verdict is Verdict.UNDECIDED:
        message = "its history is too large to judge"
    notes.check(Invariant.ORDERED, found.verdict is Verdict.HOLDS, case.job_id, message)


def make_calls(case: Case) -> list[Call]:
    """Make calls of the steps, of moves that only the store remembers, and of the last look."""
    calls = [as_call(step) for step in case.steps]
    calls += find_unseen(case)
    job = case.account.job
    if case.is_pruned:
        return calls
    instants = [instant for call in calls for instant in (call.began, call.ended) if not math.isinf(instant)]
    end = max(instants, default=0.0)
    seen = (None, 0) if job is None else (job.state, job.lease_token)
    return [*calls, Call(began=math.nextafter(end, math.inf), ended=end + 1.0, what=(READ, 0), answer=seen)]


def find_unseen(case: Case) -> list[Call]:
    """Find claims and reclaims that the store remembers and whose answers nobody heard; somebody must have asked."""
    granted, reaped = case.granted(), {step.token for step in case.of(Move.REAP)}
    calls = [
        Call(began=case.open_claims[attempt.worker], what=(Move.CLAIM, attempt.token))
        for attempt in case.account.attempts
        if attempt.token not in granted and attempt.worker in case.open_claims
    ]
    unseen = [attempt for attempt in case.lost() if attempt.token not in reaped]
    if not math.isinf(case.open_reap):
        calls += [Call(began=case.open_reap, what=(Move.REAP, attempt.token)) for attempt in unseen]
    return calls


def as_call(step: Step) -> Call:
    """Give a step as the search wants it."""
    only_looks = not step.is_open and (step.move in (Move.HEARTBEAT, Move.PROGRESS, Move.RENEW) or not step.answer)
    return Call(
        began=step.began,
        ended=step.ended,
        what=(step.move, step.token),
        answer=step.answer,
        only_looks=only_looks,
    )


def describe_call(call: Call) -> str:
    """Say what was asked and answered."""
    move, token = call.what
    return f"{move} of token {token} → {'unknown' if call.is_open else call.answer}"


def check_lease(name: str, steps: list[Step], notes: Notes) -> None:
    """The same for a named lease."""
    found = find_order(LEASES, [as_call(step) for step in steps])
    stuck = ", ".join(describe_call(call) for call in found.stuck[:4])
    message = f"no order of its {len(steps)} operations makes all answers true; stuck at: {stuck}"
    notes.check(Invariant.LEASED, found.verdict is Verdict.HOLDS, f"lease {name}", message)
