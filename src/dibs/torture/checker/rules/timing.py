"""Only the store's clock decides: nothing is taken before its lease can have lapsed, or given before it can be due.

Spans are measured by the machine's monotonic clock, from before the first question to after the second answer, so that
whatever looks too early is.
"""

from dibs.torture.checker.cases import Case, Step
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms
from dibs.torture.history.records import Move

PUTTING_OFF = (Move.ENQUEUE, Move.SNOOZE, Move.FAIL)


def check_timing(case: Case, terms: Terms, notes: Notes) -> None:
    """Look for reclaims and claims that surely came too early."""
    grants = [step for step in case.of(Move.CLAIM, Move.HEARTBEAT) if step.is_accepted]
    for reap in case.of(Move.REAP):
        earlier = [step for step in grants if step.token == reap.token and step.ended < reap.began]
        last = max(earlier, key=lambda step: step.began, default=None)
        early = 0.0 if last is None else last.began + last.wait - reap.ended - terms.slack
        message = f"token {reap.token} was taken back {early:.3f} s before its lease could lapse"
        notes.check(Invariant.STORE_CLOCK, early <= 0, case.job_id, message)
    for claim in case.of(Move.CLAIM):
        early = _due(case, claim) - claim.ended - terms.slack
        message = f"token {claim.token} was granted {early:.3f} s before the job could be due"
        notes.check(Invariant.STORE_CLOCK, early <= 0, case.job_id, message)


def _due(case: Case, claim: Step) -> float:
    """When the job could be due at the earliest, as the last one to put it off before this claim said."""
    before = [step for step in case.steps if step.ended < claim.began and step.is_accepted]
    if any(step.is_open for step in case.of(Move.RETRY)):
        return 0.0
    before = [step for step in before if step.move in (*PUTTING_OFF, Move.RETRY, Move.CANCEL, Move.REAP)]
    last = max(before, key=lambda step: step.began, default=None)
    return 0.0 if last is None or last.move not in PUTTING_OFF else last.began + last.wait
