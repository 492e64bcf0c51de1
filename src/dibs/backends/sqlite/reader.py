"""Looking at jobs, on snapshots that no writer waits for."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.rows import ID, SEQ, to_attempt, to_audit_entry, to_job
from dibs.backends.sqlite.searching import count_by_queue, count_by_state, list_newest
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row, Snapshot
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest, collect_queues
from dibs.kit.clock import from_micros, to_micros

Item = TypeVar("Item")
_NEVER, _EVER = -(2**63), 2**63 - 1


class SqliteReader:
    """Answers questions of dashboards and operators."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""
        ids = msgspec.json.encode(job_ids).decode()
        rows = await self._database.read(lambda snapshot: snapshot.read("reading/find_jobs", ids))
        found = {row[ID]: row for row in rows}
        return [to_job(found[job_id]) if job_id in found else None for job_id in job_ids]

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""
        rows, floor = await self._database.read(lambda snapshot: _list_within_reach(snapshot, wanted, page))
        found = _as_page(rows, page, to_job)
        return found if found.next_cursor is not None else replace(found, next_cursor=floor)

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state."""
        counts = dict.fromkeys(State if wanted.states is None else wanted.states, 0)
        return counts | await self._database.read(lambda snapshot: count_by_state(snapshot, wanted))

    async def count_queues(self, tenant: str | None = None) -> dict[str, dict[State, int]]:
        """Count unfinished jobs in each queue."""
        return collect_queues(await self._database.read(lambda snapshot: count_by_queue(snapshot, tenant)))

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job. The last success and the running attempt are told by the job's own row."""
        row, ended = await self._database.read(lambda snapshot: _read_history(snapshot, job_id))
        if row is None:
            return []
        attempts, job = [to_attempt(one) for one in ended], to_job(row)
        if job.state is State.RUNNING:
            attempts.append(_own_attempt(job, AttemptOutcome.RUNNING, number=len(attempts) + 1))
        if job.state is State.SUCCEEDED:
            attempts.append(_own_attempt(job, AttemptOutcome.SUCCEEDED, number=len(attempts) + 1))
        return attempts

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        before, limit = _window(page)
        span = (
            _NEVER if wanted.since is None else to_micros(wanted.since),
            _EVER if wanted.until is None else to_micros(wanted.until),
        )
        values = (before, wanted.tenant, wanted.actor, wanted.action, wanted.subject, *span, limit, wanted.without)
        name = "reading/list_audit" if wanted.subject is None else "reading/list_audit_of_subject"

        def look(snapshot: Snapshot) -> tuple[list[Row], int | None]:
            floor = None if page.reach is None else page.find_floor(*snapshot.read("reading/list_audit_ends")[0])
            return snapshot.read_anyway(name, *values, _NEVER if floor is None else floor), floor

        rows, floor = await self._database.read(look)
        found = _as_page(rows, page, to_audit_entry)
        return found if found.next_cursor is not None else replace(found, next_cursor=floor)

    async def now(self) -> datetime:
        """Tell the time by the clock that decides."""
        return from_micros(await self._database.read(lambda snapshot: snapshot.now))


def _window(page: PageRequest) -> tuple[int, int]:
    """Where to begin, and how many rows tell whether there is a next page."""
    return (_EVER if page.cursor is None else page.cursor), page.limit + 1


def _list_within_reach(snapshot: Snapshot, wanted: JobFilter, page: PageRequest) -> tuple[list[Row], int | None]:
    before, limit = _window(page)
    floor = None if page.reach is None else page.find_floor(*snapshot.read("reading/list_ends")[0])
    return list_newest(snapshot, wanted, (_NEVER if floor is None else floor, before), limit), floor


def _as_page(rows: list[Row], page: PageRequest, convert: Callable[[Row], Item]) -> Page[Item]:
    shown = rows[: page.limit]
    has_more = len(rows) > page.limit
    return Page(items=[convert(row) for row in shown], next_cursor=shown[-1][SEQ] if has_more else None)


def _read_history(snapshot: Snapshot, job_id: str) -> tuple[Row | None, list[Row]]:
    row = snapshot.find("reading/find_job", job_id)
    return row, [] if row is None else snapshot.read("reading/list_attempts", row[SEQ])


def _own_attempt(job: Job, outcome: AttemptOutcome, *, number: int) -> Attempt:
    return Attempt(
        number=number,
        token=job.lease_token,
        worker=job.locked_by or "",
        started_at=job.locked_at or from_micros(0),
        ended_at=job.finished_at,
        outcome=outcome,
    )
