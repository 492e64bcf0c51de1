"""One holder at a time, tokens that only grow, and a fence against those who came before."""

from itertools import pairwise

from dibs.torture.checker.cases import Case, Step
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms
from dibs.torture.history.records import Move

HELD_WRITES = (Move.COMPLETE, Move.FAIL, Move.SNOOZE, Move.DROP, Move.HEARTBEAT, Move.PROGRESS)
ENDINGS = (Move.COMPLETE, Move.FAIL, Move.SNOOZE, Move.DROP)
REVIVED, CANCELLED = "retried", "cancelled"


def check_holding(case: Case, _: Terms, notes: Notes) -> None:
    """No token is granted twice, and later claims get higher ones."""
    claims = case.of(Move.CLAIM)
    for claim in claims:
        twins = [other for other in claims if other.token == claim.token]
        notes.check(Invariant.ONE_HOLDER, len(twins) == 1, case.job_id, f"token {claim.token} was granted twice")
    for earlier, later in pairwise(sorted(claims, key=lambda claim: claim.began)):
        grows = earlier.token < later.token or later.began <= earlier.ended
        message = f"token {later.token} was granted after {earlier.token}"
        notes.check(Invariant.ONE_HOLDER, grows, case.job_id, message)


def check_fence(case: Case, _: Terms, notes: Notes) -> None:
    """No write is accepted that began after its writer was surely superseded."""
    granted = case.granted()
    ends = [step for step in case.steps if _supersedes(step)]
    for write in case.of(*HELD_WRITES):
        if not write.is_accepted:
            continue
        by = next((end for end in ends if _is_over(write, end, granted.get(write.token))), None)
        message = "" if by is None else f"{write.move} of token {write.token} was accepted after {_describe(by)}"
        notes.check(Invariant.FENCED, by is None, case.job_id, message)


def _supersedes(step: Step) -> bool:
    if step.move in (Move.CANCEL, Move.RETRY):
        return step.answer in (CANCELLED, REVIVED)
    return step.is_accepted and step.move in (Move.CLAIM, Move.REAP, *ENDINGS)


def _is_over(write: Step, end: Step, granted: Step | None) -> bool:
    if end is write or end.ended >= write.began:
        return False
    if end.move is Move.CLAIM:
        return end.token > write.token
    if end.move in (Move.CANCEL, Move.RETRY):
        return granted is not None and granted.ended < end.began
    return end.token == write.token


def _describe(step: Step) -> str:
    return f"{step.move} of token {step.token}, which was answered before"
