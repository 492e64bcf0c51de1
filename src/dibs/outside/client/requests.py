"""What the clients send and read; both send the same."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.errors import ApiError, BadInput, MissingExtra
from dibs.kit.ids import new_id
from dibs.kit.money import to_microcents

if TYPE_CHECKING:
    import httpx

PREFIX = "/api/v1"
# A long poll may take this much longer than asked for.
SLACK = 10.0
LONGEST_POLL = 50.0
_WHEN_AND_WHERE = ("tenant", "queue", "priority", "max_retries", "run_at", "delay")
_OPTIONS = (*_WHEN_AND_WHERE, "unique_key", "concurrency_key", "source", "parent_id", "max_cost")


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """One request, ready to be sent."""

    method: str
    path: str
    body: Any = None
    query: dict[str, Any] = {}
    headers: dict[str, str] = {}
    patience: float = SLACK


class JobsPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of jobs, and where the next begins (None: there is no next one)."""

    jobs: list[Job]
    next_cursor: str | None = None


class _WireJob(msgspec.Struct, kw_only=True):
    id: str
    job_type: str
    tenant: str
    queue: str
    priority: int
    input: Any
    max_retries: int
    state: State
    output: Any
    error: ErrorInfo | None
    progress: Any
    cost_cents: Decimal
    attempts: int
    worker_deaths: int
    run_at: datetime | None
    unique_key: str | None
    concurrency_key: str | None
    source: str | None
    parent_id: str | None
    locked_by: str | None
    created_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class _Enqueued(msgspec.Struct):
    job: _WireJob | None


class _Bulk(msgspec.Struct):
    jobs: list[_WireJob | None]


class _Page(msgspec.Struct):
    jobs: list[_WireJob]
    next_cursor: str | None


def load_httpx() -> Any:
    """Import httpx, which an extra brings."""
    try:
        import httpx
    except ModuleNotFoundError as cause:
        message = "httpx is not installed. Run: pip install 'dibs[client]'"
        raise MissingExtra(message) from cause
    return httpx


def ask_enqueue(job_type: str, given: Any, options: dict[str, Any]) -> Sent:
    """Store one job. It carries a key of its own, so that it may be sent again."""
    key = options.pop("idempotency_key", None) or new_id()
    body = {"job_type": job_type, "input": {} if given is None else given, **_read_options(options)}
    return Sent(method="POST", path="/jobs", body=body, headers={"Idempotency-Key": key})


def ask_enqueue_many(job_type: str, many: list[Any], options: dict[str, Any]) -> Sent:
    """Store a job for each input, all or none."""
    key = options.pop("idempotency_key", None) or new_id()
    shared = _read_options(options)
    tenant = {"tenant": shared.pop("tenant")} if "tenant" in shared else {}
    jobs = [{"job_type": job_type, "input": given, **shared} for given in many]
    return Sent(method="POST", path="/jobs/bulk", body={"jobs": jobs, **tenant}, headers={"Idempotency-Key": key})


def ask_job(job_id: str) -> Sent:
    """Read one job."""
    return Sent(method="GET", path=f"/jobs/{quote(job_id)}")


def ask_jobs(wanted: dict[str, Any]) -> Sent:
    """Read one page of jobs."""
    return Sent(method="GET", path="/jobs", query={name: value for name, value in wanted.items() if value is not None})


def ask_act(verb: str, job_id: str, reason: str) -> Sent:
    """Do something to a job as an operator."""
    headers = {"Idempotency-Key": new_id()}
    return Sent(method="POST", path=f"/jobs/{quote(job_id)}/{verb}", body={"reason": reason}, headers=headers)


def ask_result(job_id: str, seconds: float) -> Sent:
    """Wait for a job, for a while."""
    poll = max(0.0, min(seconds, LONGEST_POLL))
    return Sent(method="GET", path=f"/jobs/{quote(job_id)}/result", query={"timeout": poll}, patience=poll + SLACK)


def quote(name: str) -> str:
    """Make a name a part of a path."""
    from urllib.parse import quote as quote_part

    return quote_part(name, safe="")


def _read_options(options: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        message = f"enqueue has no option {unknown[0]!r} over HTTP. It has: {', '.join(_OPTIONS)}."
        raise BadInput(message)
    body = {name: value for name, value in options.items() if value is not None}
    if "delay" in body:
        delay = body.pop("delay")
        body["delay_seconds"] = delay.total_seconds() if isinstance(delay, timedelta) else delay
    if "max_cost" in body:
        body["max_cost_cents"] = float(body.pop("max_cost"))
    return body


def read_enqueued(content: bytes) -> Job | None:
    """Read what became of an enqueue."""
    found = msgspec.json.decode(content, type=_Enqueued).job
    return None if found is None else _read_job(found)


def read_bulk(content: bytes) -> list[Job | None]:
    """Read what became of many."""
    return [None if one is None else _read_job(one) for one in msgspec.json.decode(content, type=_Bulk).jobs]


def read_job(content: bytes) -> Job:
    """Read one job."""
    return _read_job(msgspec.json.decode(content, type=_WireJob))


def read_page(content: bytes) -> JobsPage:
    """Read one page."""
    page = msgspec.json.decode(content, type=_Page)
    return JobsPage(jobs=[_read_job(one) for one in page.jobs], next_cursor=page.next_cursor)


def _read_job(found: _WireJob) -> Job:
    fields = msgspec.structs.asdict(found)
    return Job(cost_microcents=to_microcents(fields.pop("cost_cents")), **fields)


def check(response: "httpx.Response") -> bytes:
    """Give the content of a good answer; of any other, raise what it says."""
    if response.is_success:
        return response.content
    try:
        problem = msgspec.json.decode(response.content, type=dict[str, Any])
    except msgspec.MsgspecError:
        problem = {}
    said = problem.get("detail") or f"{response.url.host} answered {response.status_code}. Is this a Dibs server?"
    wait = response.headers.get("retry-after", "")
    raise ApiError(
        str(said),
        status=response.status_code,
        code=str(problem.get("code", "unknown")),
        retry_after=int(wait) if wait.isdecimal() else None,
    )
