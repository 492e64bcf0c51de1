"""Assertions on what was enqueued, and on how jobs ended."""

from collections.abc import Callable
from typing import Any

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.tasks.task import Task
from dibs.errors import BadInput
from dibs.testing.kit.ledger import Ledger
from dibs.testing.kit.matching import Criterion, delay_of, describe_difference, read_criteria

LONGEST_INPUT = 200
MOST_SHOWN = 50


class Checks:
    """What a test may ask without awaiting anything.

    Jobs are told apart by `input` (a subset of it), `input__<name>`, `delay`, and the fields id, tenant, queue,
    priority, max_retries, run_at, unique_key, concurrency_key, source and parent_id.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def enqueued(self, task: Task[Any, Any] | str | None = None, /, **wanted: Any) -> list[Job]:
        """Give the jobs enqueued so far, as they were then, oldest first; None: of every task."""
        criteria = read_criteria(wanted)
        return [job for job in self._of_task(task) if all(one.fits(job) for one in criteria)]

    def assert_enqueued(self, task: Task[Any, Any] | str, /, *, times: int | None = None, **wanted: Any) -> Job:
        """Fail unless such a job was enqueued (exactly `times`, if given); gives the first of them."""
        __tracebackhide__ = True
        if times is not None and times < 1:
            message = f"times={times} is no number of jobs. To say that there is none, use assert_not_enqueued."
            raise BadInput(message)
        found = self.enqueued(task, **wanted)
        if found and times in (None, len(found)):
            return found[0]
        verdict = "was not enqueued" if not found else f"was enqueued {_times(len(found))}, not {_times(times or 0)}"
        raise AssertionError(self._complain(task, wanted, verdict))

    def assert_not_enqueued(self, task: Task[Any, Any] | str, /, **wanted: Any) -> None:
        """Fail if such a job was enqueued."""
        __tracebackhide__ = True
        found = self.enqueued(task, **wanted)
        if found:
            raise AssertionError(self._complain(task, wanted, f"was enqueued {_times(len(found))}"))

    def assert_succeeded(self, *jobs: Job) -> None:
        """Fail unless each of these jobs, as `run` and `drain` gave them, has succeeded; shows the handler's error."""
        __tracebackhide__ = True
        for job in jobs:
            if job.state is not State.SUCCEEDED:
                raise AssertionError(_tell_end(job))

    def forget_enqueued(self) -> None:
        """Begin anew: what was enqueued up to here does not count any more."""
        self.ledger.clear()

    def _of_task(self, task: Task[Any, Any] | str | None) -> list[Job]:
        return [job for job in self.ledger.jobs() if task is None or job.job_type == _name(task)]

    def _complain(self, task: Task[Any, Any] | str, wanted: dict[str, Any], verdict: str) -> str:
        criteria = read_criteria(wanted)
        named = f"{_name(task)} with {', '.join(map(str, criteria))}" if criteria else _name(task)
        jobs = self.ledger.jobs()
        if not jobs:
            return f"{named} {verdict}. Nothing was."
        shown = [_describe(number, job, _name(task), criteria) for number, job in enumerate(jobs[:MOST_SHOWN], start=1)]
        more = [f"  … and {len(jobs) - MOST_SHOWN} more"] if len(jobs) > MOST_SHOWN else []
        return "\n".join([f"{named} {verdict}. These were enqueued:", *shown, *more])


def _name(task: Task[Any, Any] | str) -> str:
    return task if isinstance(task, str) else task.name


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_INPUT else f"{text[:LONGEST_INPUT]}…"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _describe(number: int, job: Job, wanted_type: str, criteria: list[Criterion]) -> str:
    line = f"  {number}. {job.job_type}  input={_shorten(repr(job.input))}{_unusual(job)}"
    if job.job_type != wanted_type:
        return line
    difference = describe_difference(job, criteria)
    return f"{line}\n       ↳ {difference or 'this is one'}"


_SHOWN: dict[str, tuple[Callable[[Job], Any], Any]] = {
    "tenant": (lambda job: job.tenant, "default"),
    "queue": (lambda job: job.queue, "default"),
    "priority": (lambda job: job.priority, 0),
    "unique_key": (lambda job: job.unique_key, None),
    "delay": (lambda job: str(delay_of(job)), "0:00:00"),
}


def _unusual(job: Job) -> str:
    found = {name: read(job) for name, (read, usual) in _SHOWN.items() if read(job) != usual}
    return "".join(f"  {name}={value}" for name, value in found.items())


def _tell_end(job: Job) -> str:
    head = f"job {job.id!r} ({job.job_type}) is {job.state}, not succeeded, after {job.attempts} attempts"
    if job.error is None:
        return f"{head}."
    return f"{head}: {job.error.type}: {job.error.message}\n{job.error.traceback}"
