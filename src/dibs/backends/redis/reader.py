"""Looking at jobs. What may be long is read in bounded pieces, so that no move waits for it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dibs.backends.redis.auditing.reading import AuditReading
from dibs.backends.redis.moves.storing import unique_name
from dibs.backends.redis.rows import FIXED_FIELDS, build_attempt, build_job, instant, pack, sequence_of
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import FINAL, UNFINISHED, State
from dibs.engine.store.reading import JobFilter, Page, PageRequest, collect_queues

_LOOK = 1_000
_NEWEST = "+inf"


class RedisReader(AuditReading):
    """Answers from indexes where there is one, and by walking jobs from the newest where there is none."""

    def __init__(self, lines: Lines) -> None:
        super().__init__(lines)
        self._lines = lines

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""
        jobs: list[Job | None] = []
        for start in range(0, len(job_ids), _LOOK):
            rows = await self._lines.run("reading/find_jobs", job_ids[start : start + _LOOK], is_write=False)
            jobs += [None if row is None else build_job(row) for row in rows]
        return jobs

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""
        rows: list[Any] = []
        cursor = _NEWEST if page.cursor is None else str(page.cursor)
        looks = None if page.reach is None else -(-page.reach // _LOOK)
        # One more than asked for tells whether there is a next page.
        while cursor and len(rows) <= page.limit and looks != 0:
            args = [*_walk(wanted, cursor), page.limit + 1 - len(rows)]
            found, position = await self._lines.run("reading/list_jobs", args, is_write=False)
            rows += found
            cursor = position.decode() if position else ""
            looks = None if looks is None else looks - 1
        items = [build_job(row) for row in rows[: page.limit]]
        if len(rows) > page.limit:
            return Page(items=items, next_cursor=sequence_of(rows[page.limit - 1]))
        return Page(items=items, next_cursor=int(cursor) if cursor else None)

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state: by the sizes of sets, or, with other filters, by walking."""
        counts = dict.fromkeys(State if wanted.states is None else wanted.states, 0)
        found = await (self._count_some(wanted) if _has_more_than_states(wanted) else self._count_all())
        return counts | {state: found[state] for state in found if wanted.states is None or state in wanted.states}

    async def _count_all(self) -> dict[State, int]:
        return _pairs(await self._lines.run("reading/count_all", is_write=False))

    async def _count_some(self, wanted: JobFilter) -> dict[State, int]:
        totals: dict[State, int] = {}
        cursor = _NEWEST
        while cursor:
            found, position = await self._lines.run("reading/count_some", _walk(wanted, cursor), is_write=False)
            for state, count in _pairs(found).items():
                totals[state] = totals.get(state, 0) + count
            cursor = position.decode() if position else ""
        return totals

    async def count_queues(self, tenant: str | None = None) -> dict[str, dict[State, int]]:
        """Count unfinished jobs in each queue, by walking them."""
        rows: list[tuple[str, State, int]] = []
        cursor = _NEWEST
        while cursor:
            args = _walk(JobFilter(states=UNFINISHED, tenant=tenant), cursor)
            found, position = await self._lines.run("reading/count_queues", args, is_write=False)
            for name, count in zip(found[::2], found[1::2], strict=True):
                state, _, queue = name.decode().partition(" ")
                rows.append((queue, State(state), count))
            cursor = position.decode() if position else ""
        return collect_queues(rows)

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job. The last success and the running attempt are told by the job's own row."""
        row, packed = await self._lines.run("reading/list_attempts", [job_id], is_write=False)
        if row is None:
            return []
        ended = [build_attempt(number, one) for number, one in enumerate(packed, start=1)]
        job = build_job(row)
        if job.state is State.RUNNING:
            return [*ended, _current_attempt(job, len(ended) + 1, AttemptOutcome.RUNNING)]
        if job.state is State.SUCCEEDED:
            return [*ended, _current_attempt(job, len(ended) + 1, AttemptOutcome.SUCCEEDED)]
        return ended

    async def now(self) -> datetime:
        """Tell the time by the clock that decides."""
        return instant(await self._lines.run("reading/tell_time", is_write=False))


def _walk(wanted: JobFilter, cursor: str) -> list[str | bytes | int]:
    fixed = {place: getattr(wanted, name, None) for place, name in enumerate(FIXED_FIELDS, start=1)}
    asked: dict[str, Any] = {"fixed": {place: value for place, value in fixed.items() if value is not None}}
    if wanted.states is not None:
        asked["states"] = sorted(wanted.states)
    if wanted.locked_by is not None:
        asked["locked_by"] = wanted.locked_by
    return [cursor, _LOOK, pack(_sources(wanted)), pack(asked)]


def _sources(wanted: JobFilter) -> list[str]:
    """Choose the sorted sets that hold every job that may be meant, and as few others as possible."""
    if wanted.tenant is not None and wanted.job_type is not None and wanted.unique_key is not None:
        return [f"key:{unique_name(wanted.tenant, wanted.job_type, wanted.unique_key)}"]
    states = frozenset(State) if wanted.states is None else wanted.states
    done = [f"done:{state}" for state in sorted(states & FINAL)]
    if State.PENDING in states:
        return ["active", *done]
    return [*sorted(states - FINAL), *done]


def _has_more_than_states(wanted: JobFilter) -> bool:
    return any(getattr(wanted, name) is not None for name in wanted.__struct_fields__ if name != "states")


def _pairs(flat: Sequence[Any]) -> dict[State, int]:
    return {State(state.decode()): count for state, count in zip(flat[::2], flat[1::2], strict=True)}


def _current_attempt(job: Job, number: int, outcome: AttemptOutcome) -> Attempt:
    return Attempt(
        number=number,
        token=job.lease_token,
        worker=job.locked_by or "",
        started_at=job.locked_at or job.created_at or instant(0),
        ended_at=job.finished_at,
        outcome=outcome,
    )
