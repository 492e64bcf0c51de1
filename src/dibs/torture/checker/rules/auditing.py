"""The audit log has every final outcome, reclaim and act of an operator, once, and replays to where the job stands."""

from collections import Counter

from dibs.engine.audit.actions import JobAction
from dibs.engine.job import AttemptOutcome
from dibs.engine.states import FINAL, State
from dibs.torture.checker.cases import Case
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms
from dibs.torture.history.records import Move

ENDS: dict[str, State] = {
    JobAction.SUCCEEDED: State.SUCCEEDED,
    JobAction.FAILED: State.FAILED,
    JobAction.EXHAUSTED_RETRIES: State.FAILED,
    JobAction.QUARANTINED: State.FAILED,
    JobAction.DROPPED: State.CANCELLED,
    JobAction.CANCELLED: State.CANCELLED,
}
TAKEN = (AttemptOutcome.LOST, AttemptOutcome.CANCELLED)
# An act that was answered is in the log; one whose answer was lost may be.
ACTS = {Move.CANCEL: (JobAction.CANCELLED, "cancelled"), Move.RETRY: (JobAction.RETRIED, "retried")}


def check_auditing(case: Case, _: Terms, notes: Notes) -> None:
    """Replay the log, and compare its parts with what was answered."""
    job = case.account.job
    if job is None:
        return
    actions = [entry.action for entry in case.account.audit]
    ended = _replay(actions)
    _check(notes, case, ended is not None, f"its log has two ends in a row: {actions}")
    last = job.state if job.state in FINAL else State.PENDING
    _check(notes, case, ended in (None, last), f"is {job.state}, and its log replays to {ended}: {actions}")
    _check_reclaims(notes, case, Counter(actions))
    _check_growth(notes, case)
    for move, (action, verdict) in ACTS.items():
        steps = case.of(move)
        least = sum(step.answer == verdict for step in steps)
        most = least + sum(step.is_open for step in steps)
        count = actions.count(action)
        _check(notes, case, least <= count <= most, f"{action} stands {count} times in its log, answered {least} times")


def _replay(actions: list[str]) -> State | None:
    """Give the state that the log tells of: PENDING for all that have not ended. None when it makes no sense."""
    state = State.PENDING
    for action in actions:
        if action == JobAction.RETRIED:
            if state not in (State.FAILED, State.CANCELLED):
                return None
            state = State.PENDING
        elif action in ENDS:
            if state in FINAL:
                return None
            state = ENDS[action]
    return state


def _check_reclaims(notes: Notes, case: Case, actions: Counter[str]) -> None:
    lost = case.lost()
    crashed = [one for one in case.account.attempts if one.outcome is AttemptOutcome.CRASHED]
    reclaims = actions[JobAction.RECLAIMED]
    quarantines = actions[JobAction.QUARANTINED]
    fits = reclaims <= len(lost) <= reclaims + quarantines <= len(lost) + len(crashed)
    message = f"{len(lost)} attempts were lost; the log has {reclaims} reclaims and {quarantines} quarantines"
    _check(notes, case, fits, message)


def _check_growth(notes: Notes, case: Case) -> None:
    """Whoever takes a job from its holder leaves it with a higher token."""
    tokens = [attempt.token for attempt in case.account.attempts if attempt.outcome in TAKEN]
    for entry in case.account.audit:
        if entry.action in (JobAction.RECLAIMED, JobAction.CANCELLED):
            message = f"{entry.action} left it with token {entry.token}, which a holder had"
            notes.check(Invariant.ONE_HOLDER, entry.token not in tokens, case.job_id, message)


def _check(notes: Notes, case: Case, holds: bool, message: str) -> None:
    notes.check(Invariant.AUDITED, holds, case.job_id, message)
