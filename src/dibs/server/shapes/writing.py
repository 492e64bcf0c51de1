"""Records as answers."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from dibs.engine.admission.rules import Rule
from dibs.engine.admission.source import Source
from dibs.engine.job import Attempt, Job
from dibs.engine.schedules.keeping import FireVerdict
from dibs.engine.schedules.schedule import Interval, Schedule
from dibs.engine.store.reading import Page, PageRequest
from dibs.kit.money import to_cents
from dibs.web.answers.json import make_version
from dibs.web.paging import BETWEEN, PageQuery, read_cursor, show_cursor

JOB_FIELDS = (
    "id",
    "tenant",
    "queue",
    "job_type",
    "state",
    "priority",
    "input",
    "output",
    "error",
    "cost_cents",
    "attempts",
    "tries",
    "max_retries",
    "worker_deaths",
    "run_at",
    "unique_key",
    "concurrency_key",
    "source",
    "locked_by",
    "progress",
    "parent_id",
    "created_at",
    "started_at",
    "finished_at",
)


def write_job(job: Job) -> dict[str, Any]:
    """One job. Its lease stays inside: whoever has the token could end the job."""
    shown = {name: getattr(job, name) for name in JOB_FIELDS}
    if job.error is not None:
        # A traceback tells of the inside of a worker; operators read it with `dibs jobs show`.
        shown["error"] = {"type": job.error.type, "message": job.error.message}
    return shown


def write_attempt(attempt: Attempt) -> dict[str, Any]:
    """One attempt, its error without the traceback."""
    shown = write_record(attempt)
    if attempt.error is not None:
        shown["error"] = {"type": attempt.error.type, "message": attempt.error.message}
    # The running attempt's token is the lease.
    del shown["token"]
    return shown


def write_page(name: str, page: Page[Any], write: Callable[[Any], Any]) -> dict[str, Any]:
    """One page, and where the next begins."""
    return {name: [write(item) for item in page.items], "next_cursor": show_cursor(page.next_cursor)}


def read_page(query: PageQuery) -> PageRequest:
    """Which page is meant."""
    return PageRequest(cursor=read_cursor(query.cursor), limit=query.limit)


def write_record(record: msgspec.Struct) -> dict[str, Any]:
    """Any record, field by field."""
    return msgspec.structs.asdict(record)


def write_records(name: str, records: Iterable[msgspec.Struct]) -> dict[str, Any]:
    """Some records under a name."""
    return {name: [write_record(record) for record in records]}


def write_schedule(schedule: Schedule) -> dict[str, Any]:
    """One schedule; durations in seconds."""
    shown = write_record(schedule)
    shown["grace_seconds"] = shown.pop("grace").total_seconds()
    shown["max_cost_cents"] = float(to_cents(shown.pop("max_cost_microcents")))
    timing = schedule.timing
    if isinstance(timing, Interval):
        shown["timing"] = {"type": "interval", "every_seconds": timing.every.total_seconds(), "anchor": timing.anchor}
    else:
        shown["timing"] = {"type": "cron", "expression": timing.expression, "zone": timing.zone}
    return shown


def order(schedule: Schedule) -> str:
    """By what schedules are listed."""
    return f"{schedule.tenant}{BETWEEN}{schedule.name}"


def write_verdict(verdict: FireVerdict) -> dict[str, Any]:
    """What came of firing by hand."""
    return {**write_record(verdict), **write_records("fires", verdict.fires)}


# What the limiter and the breaker keep for themselves.
_INNER = ("earlier_day", "earlier_used", "lone_probe")


def write_source(source: Source) -> dict[str, Any]:
    """One source; durations in seconds."""
    rule = write_record(source.rule)
    rule["pause_seconds"] = rule.pop("pause").total_seconds()
    told = {name: value for name, value in write_record(source).items() if name not in _INNER}
    return {**told, "rule": rule, "version": make_version(source.rule)}


def write_rule(rule: Rule) -> dict[str, Any]:
    """One rule, with its version."""
    return {**write_record(rule), "version": make_version(rule)}
