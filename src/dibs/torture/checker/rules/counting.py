"""Attempts and worker deaths are counted, and a job that kills its workers is given up."""

from dibs.engine.audit.actions import JobAction
from dibs.engine.job import AttemptOutcome
from dibs.torture.checker.cases import Case
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.keeping import Terms

DEATHS = (AttemptOutcome.LOST, AttemptOutcome.CRASHED)


def check_counting(case: Case, terms: Terms, notes: Notes) -> None:
    """Compare the counters of a job with its history; an operator's retry begins them anew."""
    job = case.account.job
    if job is None or any(entry.action == JobAction.RETRIED for entry in case.account.audit):
        return
    deaths = sum(attempt.outcome in DEATHS for attempt in case.account.attempts)
    errors = sum(attempt.outcome is AttemptOutcome.ERRORED for attempt in case.account.attempts)
    message = f"counts {job.worker_deaths} deaths and {job.errors} errors; its history has {deaths} and {errors}"
    notes.check(Invariant.COUNTED, (job.worker_deaths, job.errors) == (deaths, errors), case.job_id, message)
    most = terms.max_worker_deaths
    message = f"has outlived {deaths} workers, and {most} are the limit"
    notes.check(Invariant.COUNTED, deaths <= most, case.job_id, message)
    message = f"has failed {errors} times, and {job.max_retries} retries are the limit"
    notes.check(Invariant.COUNTED, errors <= job.max_retries + 1, case.job_id, message)
