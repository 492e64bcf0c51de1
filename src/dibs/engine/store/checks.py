"""Refusing bad input before it reaches a store."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from dibs.engine.job import Job, Lease
from dibs.engine.states import FINAL
from dibs.engine.store.moves import ClaimRequest, OperatorAct, PruneRequest, UniqueRule, UniqueWhile
from dibs.errors import BadInput, DuplicateJob
from dibs.kit.codec import encode_json

LOWEST_PRIORITY, HIGHEST_PRIORITY = -1_000, 1_000
LONGEST_NAME = 200
LONGEST_REASON = 2_000
LONGEST_SHOWN = 80
MOST_RETRIES = 1_000_000
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
LONGEST_SPAN = timedelta(days=36_500)
SHORTEST_LEASE = timedelta(milliseconds=1)
LARGEST_BATCH = 100_000

_REQUIRED_NAMES = ("id", "job_type", "tenant", "queue")
_OPTIONAL_NAMES = ("unique_key", "concurrency_key", "source", "parent_id")
_NO_LINKS = (None,) * len(_OPTIONAL_NAMES)


def check_new_jobs(jobs: Sequence[Job], *, limit: int) -> list[bytes]:
    """Refuse jobs that cannot be stored; give their inputs as JSON."""
    if len({job.id for job in jobs}) < len(jobs):
        job_id, times = Counter(job.id for job in jobs).most_common(1)[0]
        message = f"job id {job_id!r} stands {times} times in one batch. Ids must be unique."
        raise DuplicateJob(message)
    return [_check_new_job(job, limit) for job in jobs]


def _check_new_job(job: Job, limit: int) -> bytes:
    if not (_is_name(job.id) and _is_name(job.job_type) and _is_name(job.tenant) and _is_name(job.queue)):
        _name_the_bad_one(job, _REQUIRED_NAMES)
    if not _has_fit_links(job):
        _name_the_bad_one(job, _OPTIONAL_NAMES)
    check_whole_number(job.priority, "priority", LOWEST_PRIORITY, HIGHEST_PRIORITY)
    check_whole_number(job.max_retries, "max_retries", 0, MOST_RETRIES)
    if job.run_at is not None:
        _check_instant(job.run_at)
    return encode_json(job.input, limit=limit, what=f"input of job {job.id!r}")


def _has_fit_links(job: Job) -> bool:
    links = (job.unique_key, job.concurrency_key, job.source, job.parent_id)
    return links == _NO_LINKS or all(link is None or _is_name(link) for link in links)


def _name_the_bad_one(job: Job, fields: Sequence[str]) -> None:
    for field in fields:
        if getattr(job, field) is not None or field in _REQUIRED_NAMES:
            check_name(getattr(job, field), field)


def check_name(value: object, field: str) -> None:
    """A name is a short, non-empty string that prints on one line."""
    if not _is_name(value):
        message = f"{field} {_shown(value)} is not a name. Use 1 to {LONGEST_NAME} printable characters."
        raise BadInput(message)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def check_whole_number(value: object, field: str, least: int, most: int) -> None:
    """A whole number within its range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        message = f"{field} {_shown(value)} is out of range. Use a whole number from {least} to {most}."
        raise BadInput(message)


def _check_instant(instant: object) -> None:
    if not isinstance(instant, datetime) or instant.tzinfo is None or not EARLIEST <= instant < LATEST:
        message = f"run_at {_shown(instant)} is not an instant. Use an aware datetime between 1970 and 2200."
        raise BadInput(message)


def check_span(span: object, what: str, *, least: timedelta = timedelta(0)) -> None:
    """A duration that the store can add to its clock."""
    if not isinstance(span, timedelta) or not least <= span <= LONGEST_SPAN:
        message = (
            f"{what} {_shown(span)} is not a usable duration. Use a timedelta from {least} to {LONGEST_SPAN.days} days."
        )
        raise BadInput(message)


def check_unique_rule(rule: UniqueRule) -> None:
    """A window belongs to the rule `window`, and only to it."""
    if (rule.hold is UniqueWhile.WINDOW) != (rule.window is not None):
        message = (
            f"unique rule {rule.hold} with window={rule.window}. Give a window with hold='window', and only there."
        )
        raise BadInput(message)
    if rule.window is not None:
        check_span(rule.window, "window", least=timedelta(milliseconds=1))


def check_leases(leases: Sequence[Lease]) -> None:
    """The same lease twice in one batch has no meaning."""
    if len(set(leases)) < len(leases):
        lease, times = Counter(leases).most_common(1)[0]
        message = f"{lease} stands {times} times in one batch. Send each lease once."
        raise BadInput(message)


def check_ids(job_ids: Sequence[str]) -> None:
    """The same job twice in one batch has no meaning."""
    for job_id in job_ids:
        check_name(job_id, "id")
    if len(set(job_ids)) < len(job_ids):
        job_id, times = Counter(job_ids).most_common(1)[0]
        message = f"job id {job_id!r} stands {times} times in one batch. Send each id once."
        raise BadInput(message)


def check_limit(limit: object) -> None:
    """How many at the most."""
    check_whole_number(limit, "limit", 1, LARGEST_BATCH)


def check_claim(request: ClaimRequest) -> None:
    """A claim names its worker and asks for something."""
    check_limit(request.limit)
    check_name(request.worker, "worker")
    check_span(request.lease, "lease", least=SHORTEST_LEASE)


def check_prune(request: PruneRequest) -> None:
    """Only finished jobs can be forgotten."""
    check_limit(request.limit)
    check_span(request.older_than, "older_than")
    if not request.states <= FINAL:
        message = (
            f"cannot prune {', '.join(sorted(request.states - FINAL))} jobs: only finished ones. Cancel them first."
        )
        raise BadInput(message)
    if request.act is not None:
        check_act(request.act)


def check_act(act: OperatorAct) -> None:
    """An operator has a name and a reason."""
    check_name(act.actor, "actor")
    if not 0 < len(str(act.reason).strip()) <= LONGEST_REASON:
        message = (
            f"reason {_shown(act.reason)}: say why, in 1 to {LONGEST_REASON} characters; it goes into the audit log."
        )
        raise BadInput(message)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
