"""An acknowledged job is there, and ends; what was never asked for or was refused is not there."""

import msgspec

from dibs.engine.states import FINAL
from dibs.torture.checker.cases import Case
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.history.recording import DUPLICATE, STORED
from dibs.torture.history.records import Move


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """Under which conditions a history was made.

    `is_drained`: everything was given the time to end. `forgot_at`: the store lost its memory then, as it had declared
    that it might. `slack`: how far instants of store and machine can differ.
    """

    is_drained: bool = True
    forgot_at: float | None = None
    slack: float = 0.05
    max_worker_deaths: int = 3


def check_keeping(case: Case, terms: Terms, notes: Notes) -> None:
    """Compare what was acknowledged with what is there."""
    job, asked = case.account.job, case.of(Move.ENQUEUE)
    acknowledged = [step for step in asked if step.answer in (STORED, DUPLICATE)]
    if any(not is_forgotten(step.began, terms) for step in acknowledged):
        is_kept = job is not None or case.is_pruned
        notes.check(Invariant.KEPT, is_kept, case.job_id, "was acknowledged, and is gone")
    if job is None:
        return
    # A refused enqueue leaves no step: the refusal promised that nothing was written.
    notes.check(
        Invariant.KEPT, bool(asked), case.job_id, "is there although nobody stored it, or its storing was refused"
    )
    if terms.is_drained:
        message = f"has not ended: it is {job.state} under token {job.lease_token}"
        notes.check(Invariant.KEPT, job.state in FINAL, case.job_id, message)


def is_forgotten(instant: float, terms: Terms) -> bool:
    """Tell whether the store may have forgotten what it was told at that instant."""
    return terms.forgot_at is not None and instant <= terms.forgot_at
