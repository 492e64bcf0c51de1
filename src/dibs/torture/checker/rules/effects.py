"""An effect in the job's own transaction happens once; one outside happens at least once, and only while it runs."""

from dibs.engine.job import AttemptOutcome
from dibs.engine.states import State
from dibs.torture.checker.cases import Case
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms

BOOKED, PLAIN = "BOOK", "COUNT"


def check_effects(case: Case, _: Terms, notes: Notes) -> None:
    """Compare the effects with how the job ended."""
    job, booked = case.account.job, case.account.booked
    if job is None:
        notes.check(Invariant.EFFECT_ONCE, not booked, case.job_id, "has an effect, and is not there")
        return
    if job.job_type == BOOKED:
        won = [one.token for one in case.account.attempts if one.outcome is AttemptOutcome.SUCCEEDED]
        message = f"its transaction committed under tokens {booked}, and it succeeded under {won}"
        notes.check(Invariant.EFFECT_ONCE, booked == won, case.job_id, message)
    if job.job_type == PLAIN and job.state is State.SUCCEEDED:
        message = "succeeded without having run"
        notes.check(Invariant.EFFECT_ONCE, bool(case.effected), case.job_id, message)
    for token in case.effected:
        known = any(attempt.token == token for attempt in case.account.attempts)
        message = f"ran under token {token}, of which its history knows nothing"
        notes.check(Invariant.REMEMBERED, known, case.job_id, message)
