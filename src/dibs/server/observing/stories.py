"""The story of a job: its attempts and what the audit log says, in the order in which things happened."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from dibs.engine.audit.actions import JobAction
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.store.reading import AuditEntry
from dibs.kit.figures import show_span

_TONES = {
    AttemptOutcome.RUNNING: "busy",
    AttemptOutcome.SUCCEEDED: "ok",
    AttemptOutcome.ERRORED: "bad",
    AttemptOutcome.CRASHED: "bad",
    AttemptOutcome.LOST: "warn",
}
_WORDS = {
    JobAction.FAILED: ("failed for good", "bad"),
    JobAction.EXHAUSTED_RETRIES: ("failed: no retry was left", "bad"),
    JobAction.QUARANTINED: ("failed: too many workers died with it", "bad"),
    JobAction.DROPPED: ("cancelled by its handler", "warn"),
    JobAction.RECLAIMED: ("reclaimed: its worker had vanished", "warn"),
    JobAction.CANCELLED: ("cancelled", "warn"),
    JobAction.RETRIED: ("put back", "busy"),
}


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened."""

    at: datetime
    title: str
    tone: str = ""
    who: str = ""
    said: str = ""
    error: ErrorInfo | None = None


def tell_story(job: Job, attempts: Sequence[Attempt], audit: Sequence[AuditEntry]) -> list[Moment]:
    """Put everything in order."""
    moments = [*_tell_beginning(job), *_tell_attempts(attempts), *_tell_audit(audit)]
    return sorted(moments, key=lambda moment: moment.at)


def _tell_beginning(job: Job) -> Iterator[Moment]:
    if job.created_at is not None:
        after = (
            f"due {show_span(job.run_at - job.created_at)} later" if job.run_at and job.run_at > job.created_at else ""
        )
        yield Moment(at=job.created_at, title=f"stored in queue {job.queue}", said=after if job.attempts == 0 else "")


def _tell_attempts(attempts: Sequence[Attempt]) -> Iterator[Moment]:
    for attempt in attempts:
        tone = _TONES.get(attempt.outcome, "")
        yield Moment(at=attempt.started_at, title=f"attempt {attempt.number} began", tone="busy", who=attempt.worker)
        if attempt.ended_at is not None:
            took = f"after {show_span(attempt.ended_at - attempt.started_at)}"
            title = f"attempt {attempt.number} {attempt.outcome}"
            yield Moment(at=attempt.ended_at, title=title, tone=tone, said=took, error=attempt.error)


def _tell_audit(audit: Sequence[AuditEntry]) -> Iterator[Moment]:
    for entry in audit:
        # The attempt that succeeded tells it already.
        if entry.action != JobAction.SUCCEEDED:
            title, tone = _WORDS.get(entry.action, (entry.action, ""))  # type: ignore[call-overload]
            yield Moment(at=entry.at, title=title, tone=tone, who=entry.actor, said=entry.reason)
