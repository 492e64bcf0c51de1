"""Every attempt is in the history, once, as it ended."""

from dibs.engine.job import Attempt, AttemptOutcome
from dibs.engine.states import State
from dibs.torture.checker.cases import Case, Step
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms
from dibs.torture.history.records import Move

EXPECTED: dict[Move, frozenset[AttemptOutcome]] = {
    Move.COMPLETE: frozenset({AttemptOutcome.SUCCEEDED}),
    Move.FAIL: frozenset({AttemptOutcome.ERRORED, AttemptOutcome.CRASHED}),
    Move.SNOOZE: frozenset({AttemptOutcome.SNOOZED, AttemptOutcome.RELEASED}),
    Move.DROP: frozenset({AttemptOutcome.CANCELLED}),
    Move.REAP: frozenset({AttemptOutcome.LOST}),
}


def check_remembering(case: Case, _: Terms, notes: Notes) -> None:
    """Compare claims and endings with the attempts that the store tells of."""
    if case.account.job is None:
        return
    attempts = {attempt.token: attempt for attempt in case.account.attempts}
    tokens = [attempt.token for attempt in case.account.attempts]
    message = f"its attempts have the tokens {tokens}, which are not all different and in order"
    notes.check(Invariant.REMEMBERED, tokens == sorted(set(tokens)), case.job_id, message)
    for token in case.granted():
        _check(notes, case, token in attempts, f"the attempt under token {token} is not in its history")
    for attempt in attempts.values():
        is_known = attempt.token in case.granted() or attempt.worker in case.open_claims
        _check(notes, case, is_known, f"token {attempt.token} was granted to nobody who had asked for it")
    for step in case.of(*EXPECTED):
        if step.is_accepted:
            _check_end(notes, case, step, attempts.get(step.token))
    _check_last(notes, case)


def _check_end(notes: Notes, case: Case, step: Step, attempt: Attempt | None) -> None:
    fits = attempt is not None and attempt.outcome in EXPECTED[step.move]
    told = "missing" if attempt is None else str(attempt.outcome)
    _check(notes, case, fits, f"{step.move} of token {step.token} was accepted, but its history says {told}")


def _check_last(notes: Notes, case: Case) -> None:
    job, attempts = case.account.job, case.account.attempts
    if job is not None and job.state is State.SUCCEEDED:
        won = [one for one in attempts if one.outcome is AttemptOutcome.SUCCEEDED]
        fits = len(won) == 1 and attempts[-1] is won[0]
        _check(notes, case, fits, f"succeeded, and its history has {len(won)} successes")


def _check(notes: Notes, case: Case, holds: bool, message: str) -> None:
    notes.check(Invariant.REMEMBERED, holds, case.job_id, message)
