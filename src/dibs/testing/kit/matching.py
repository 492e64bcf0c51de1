"""Saying which enqueued jobs are meant, and how one differs from that."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import msgspec

from dibs.engine.job import Job
from dibs.errors import BadInput

FIELDS = (
    "id",
    "tenant",
    "queue",
    "priority",
    "max_retries",
    "run_at",
    "unique_key",
    "concurrency_key",
    "source",
    "parent_id",
)
MISSING: Any = msgspec.UNSET


class Criterion(msgspec.Struct, frozen=True):
    """One thing that a job must have: `path` leads to it, its first part being a field of the job, or `delay`."""

    path: tuple[str, ...]
    wanted: Any

    def fits(self, job: Job) -> bool:
        """Compare; the wanted value asks, so that `unittest.mock.ANY` and `pytest.approx` work."""
        return bool(self.wanted == self.find(job))

    def find(self, job: Job) -> Any:
        """Give what the job has there, or MISSING."""
        value = delay_of(job) if self.path[0] == "delay" else getattr(job, self.path[0])
        for part in self.path[1:]:
            if not isinstance(value, Mapping) or part not in value:
                return MISSING
            value = value[part]
        return value

    def __str__(self) -> str:
        return f"{'.'.join(self.path)}={self.wanted!r}"


def read_criteria(wanted: Mapping[str, Any]) -> list[Criterion]:
    """Read the keyword arguments of an assertion."""
    return [criterion for name, value in wanted.items() for criterion in _read_one(name, value)]


def _read_one(name: str, value: Any) -> Iterator[Criterion]:
    if name in FIELDS or name == "delay":
        yield Criterion((name,), value)
    elif name == "input":
        yield from _read_subset(("input",), value)
    elif name.startswith("input__"):
        yield Criterion(tuple(name.split("__")), value)
    else:
        message = f"jobs cannot be told apart by {name!r}. Use input, input__<name>, delay, {', '.join(FIELDS)}."
        raise BadInput(message)


def _read_subset(path: tuple[str, ...], value: Any) -> Iterator[Criterion]:
    if not isinstance(value, Mapping) or not value:
        yield Criterion(path, value)
        return
    for name, inner in value.items():
        yield from _read_subset((*path, name), inner)


def delay_of(job: Job) -> timedelta:
    """Tell how long after its enqueue a job is due."""
    if job.run_at is None or job.created_at is None:
        return timedelta(0)
    return job.run_at - job.created_at


def describe_difference(job: Job, criteria: list[Criterion]) -> str:
    """Say in what a job is not the one wanted."""
    different = [criterion for criterion in criteria if not criterion.fits(job)]
    return ", ".join(f"{'.'.join(one.path)} is {_show(one.find(job))}" for one in different)


def _show(value: Any) -> str:
    return "missing" if value is MISSING else repr(value)
