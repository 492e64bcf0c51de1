"""New jobs, and the rule for their unique keys."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from operator import attrgetter

from dibs.engine.job import Job
from dibs.engine.store.checks.values import (
    LARGEST_NUMBER,
    are_names,
    are_whole_numbers,
    check_batch,
    check_instant,
    check_name,
    check_optional_name,
    check_span,
    check_whole_number,
    shown,
)
from dibs.engine.store.moves import OnConflict, UniqueRule, UniqueWhile
from dibs.errors import BadInput, DuplicateJob
from dibs.kit.codec import Json, encode_all, encode_json

LOWEST_PRIORITY, HIGHEST_PRIORITY = -1_000, 1_000
MOST_RETRIES = 1_000_000
SHORTEST_WINDOW = timedelta(milliseconds=1)

_REQUIRED_NAMES = tuple((field, attrgetter(field)) for field in ("id", "job_type", "tenant", "queue"))
_OPTIONAL_NAMES = ("unique_key", "concurrency_key", "source", "parent_id")
_RANGES = (
    ("priority", attrgetter("priority"), LOWEST_PRIORITY, HIGHEST_PRIORITY),
    ("max_retries", attrgetter("max_retries"), 0, MOST_RETRIES),
    ("max_cost_microcents", attrgetter("max_cost_microcents"), 0, LARGEST_NUMBER),
)
_get_links = attrgetter(*_OPTIONAL_NAMES, "run_at")
_NO_LINKS = (None,) * (len(_OPTIONAL_NAMES) + 1)


def check_new_jobs(jobs: Sequence[Job], *, limit: int) -> list[Json]:
    """Refuse jobs that cannot be stored; give their inputs as JSON."""
    check_batch(jobs)
    if set(map(type, jobs)) - {Job}:
        _check_kinds(jobs)
    _check_required_names(jobs)
    _check_numbers(jobs)
    _check_links(jobs)
    inputs = _encode_inputs(jobs, limit)
    if len({job.id for job in jobs}) < len(jobs):
        job_id, times = Counter(job.id for job in jobs).most_common(1)[0]
        message = f"job id {job_id!r} stands {times} times in one batch. Ids must be unique."
        raise DuplicateJob(message)
    return inputs


def _check_kinds(jobs: Sequence[object]) -> None:
    for job in jobs:
        if not isinstance(job, Job):
            message = f"{shown(job)} is not a Job. Make one: Job(job_type=…, input=…)."
            raise BadInput(message)


def _check_required_names(jobs: Sequence[Job]) -> None:
    for field, get in _REQUIRED_NAMES:
        names = list(map(get, jobs))
        if not are_names(names):
            for name in names:
                check_name(name, field)


def _check_numbers(jobs: Sequence[Job]) -> None:
    for field, get, least, most in _RANGES:
        numbers = list(map(get, jobs))
        if not are_whole_numbers(numbers, least, most):
            for number in numbers:
                check_whole_number(number, field, least, most)


def _check_links(jobs: Sequence[Job]) -> None:
    links = list(map(_get_links, jobs))
    if links.count(_NO_LINKS) < len(jobs):
        for *names, run_at in links:
            for field, name in zip(_OPTIONAL_NAMES, names, strict=True):
                check_optional_name(name, field)
            if run_at is not None:
                check_instant(run_at, "run_at")


def _encode_inputs(jobs: Sequence[Job], limit: int) -> list[Json]:
    inputs = encode_all([job.input for job in jobs], limit=limit)
    if inputs is not None:
        return inputs
    return [encode_json(job.input, limit=limit, what="input of job", of=job.id) for job in jobs]


def fit_unique_rule(rule: UniqueRule) -> UniqueRule:
    """Refuse a rule that contradicts itself; words are taken for what they mean."""
    try:
        hold, on_conflict = UniqueWhile(rule.hold), OnConflict(rule.on_conflict)
    except ValueError as cause:
        message = f"{cause}. hold is one of {', '.join(UniqueWhile)}; on_conflict one of {', '.join(OnConflict)}."
        raise BadInput(message) from cause
    if (hold is UniqueWhile.WINDOW) != (rule.window is not None):
        message = f"unique rule {hold} with window={rule.window}. Give a window with hold='window', and only there."
        raise BadInput(message)
    if rule.window is not None:
        check_span(rule.window, "window", least=SHORTEST_WINDOW)
    return UniqueRule(hold=hold, window=rule.window, on_conflict=on_conflict)
