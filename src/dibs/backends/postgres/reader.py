"""Looking at the store, for dashboards and operators."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from dibs.backends.postgres.rows import in_utc, read_job
from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections, Row
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import FINAL, UNFINISHED, State
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, Page, PageRequest, collect_queues

# Unfinished jobs have no index in the order of pages, which every move would pay for, but one that knows where in the
# table numbers lie. From such a size on, a page asks it for a window, instead of sorting all of them.
MANY_BYTES = 16 * 2**20
FIRST_WINDOW = 2_000

_attempts = msgspec.json.Decoder(dict[str, Any])
_entries = msgspec.json.Decoder(AuditEntry)


class Question:
    """Conditions for a WHERE, with their values. Column names come from our own records, never from outside."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._conditions: list[str] = []

    def add(self, wanted: msgspec.Struct, columns: Iterable[str]) -> None:
        """Ask for the fields that are set."""
        for name in columns:
            value = getattr(wanted, name)
            if value is not None:
                self.values.append(value)
                self._conditions.append(f"{name} = ${len(self.values)}::text")

    def add_span(self, column: str, since: datetime | None, until: datetime | None) -> None:
        """Ask for what lies between two instants, the first one included."""
        for comparison, instant in ((">=", since), ("<", until)):
            if instant is not None:
                self.values.append(instant)
                self._conditions.append(f"{column} {comparison} ${len(self.values)}::timestamptz")

    def add_unlike(self, column: str, value: str | None) -> None:
        """Ask for what has another value."""
        if value is not None:
            self.values.append(value)
            self._conditions.append(f"{column} <> ${len(self.values)}::text")

    def start_after(self, column: str, cursor: int | None) -> None:
        """Ask for what comes after a cursor, newest first."""
        if cursor is not None:
            self.values.append(cursor)
            self._conditions.append(f"{column} < ${len(self.values)}::bigint")

    def end_at(self, column: str, floor: int | None) -> None:
        """Ask for what is not older than a number."""
        if floor is not None:
            self.values.append(floor)
            self._conditions.append(f"{column} >= ${len(self.values)}::bigint")

    def within(self, states: frozenset[State], everything: frozenset[State]) -> str:
        """Give the conditions, for one table and those of its states that are meant."""
        asked = list(self._conditions)
        if states != everything:
            # Written out, so that the planner can choose the partial index that leaves out the successes.
            asked.append(f"state IN ({', '.join(repr(state.value) for state in sorted(states))})")
        if State.SUCCEEDED in everything and State.SUCCEEDED not in states:
            asked.append("state <> 'succeeded'")
        return " AND ".join(asked) or "true"

    def __str__(self) -> str:
        return " AND ".join(self._conditions) or "true"


class PostgresReader:
    """Reads; never blocks a move."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def find_jobs(self, job_ids: Sequence[str]) -> list[Job | None]:
        """Read jobs by id."""
        rows = await self._connections.read(self._sql["reading/find_jobs"], list(job_ids))
        found = {row["id"]: read_job(row["job"]) for row in rows}
        return [found.get(job_id) for job_id in job_ids]

    async def list_jobs(self, wanted: JobFilter, page: PageRequest) -> Page[Job]:
        """Read one page of jobs, the one stored last first."""
        rows: Sequence[Row] = ()
        floor: int | None = None
        for floor in await self._find_floors(wanted, page):
            rows = await self._list_down_to(floor, wanted, page)
            if len(rows) > page.limit:
                break
        jobs = [read_job(row["job"]) for row in rows[: page.limit]]
        following = _next_cursor(rows, page, "seq")
        return Page(items=jobs, next_cursor=floor if following is None else following)

    async def _list_down_to(self, floor: int | None, wanted: JobFilter, page: PageRequest) -> Sequence[Row]:
        question = _question(wanted)
        question.start_after("seq", page.cursor)
        question.end_at("seq", floor)
        branches = self._branches("list", question, wanted, page.limit + 1)
        if not branches:
            return ()
        statement = (
            f"SELECT * FROM ({' UNION ALL '.join(branches)}) AS found ORDER BY seq DESC LIMIT {page.limit + 1:d}"
        )
        return await self._connections.read(statement, *question.values)

    async def _find_floors(self, wanted: JobFilter, page: PageRequest) -> list[int | None]:
        """Tell down to which numbers to look, one after another, until a page is full; the last is where it ends."""
        ends = (await self._connections.read(self._sql["reading/list_ends"]))[0]
        is_large = ends["size"] > MANY_BYTES
        if wanted.states is None or wanted.states & FINAL:
            last = page.find_floor(ends["lowest"], ends["highest"])
        else:
            last = page.find_floor(0, ends["highest"]) if is_large else None
        if not is_large or _is_indexed(wanted):
            return [last]
        top = ends["highest"] + 1 if page.cursor is None else min(page.cursor, ends["highest"] + 1)
        return [*_windows(top, 0 if last is None else last), last]

    async def count_jobs(self, wanted: JobFilter) -> dict[State, int]:
        """Count jobs in each state."""
        question = _question(wanted)
        counts = dict.fromkeys(State if wanted.states is None else wanted.states, 0)
        branches = self._branches("count", question, wanted, 0)
        if branches:
            for row in await self._connections.read(" UNION ALL ".join(branches), *question.values):
                counts[State(row["state"])] = row["count"]
        return counts

    async def count_queues(self, tenant: str | None = None) -> dict[str, dict[State, int]]:
        """Count unfinished jobs in each queue."""
        question = _question(JobFilter(tenant=tenant))
        statement = self._sql["reading/count_queues"].replace("{conditions}", str(question))
        rows = await self._connections.read(statement, *question.values)
        return collect_queues((row["queue"], State(row["state"]), row["count"]) for row in rows)

    def _branches(self, verb: str, question: Question, wanted: JobFilter, limit: int) -> list[str]:
        """Ask only those tables that can hold what is meant."""
        branches = []
        for table, everything in (("unfinished", UNFINISHED), ("finished", FINAL)):
            states = everything if wanted.states is None else everything & wanted.states
            if states:
                conditions = question.within(states, everything)
                branch = self._sql[f"reading/{verb}_{table}"].replace("{conditions}", conditions)
                branches.append(f"({branch.replace('{limit}', str(limit))})")
        return branches

    async def list_attempts(self, job_id: str) -> list[Attempt]:
        """Read the history of a job. The last success and the running attempt are told by the job's own row."""
        rows = await self._connections.read(self._sql["reading/list_attempts"], job_id)
        if not rows or rows[0]["job"] is None:
            return []
        ended = [_attempts.decode(row["attempt"]) for row in rows if row["attempt"] is not None]
        last = _own_attempt(read_job(rows[0]["job"]))
        facts = ended if last is None else [*ended, last]
        attempts = [_attempt(number, fact) for number, fact in enumerate(facts, start=1)]
        return [in_utc(attempt, ("started_at", "ended_at")) for attempt in attempts]

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        question = Question()
        question.add(wanted, ("tenant", "actor", "action", "subject"))
        question.add_span("at", wanted.since, wanted.until)
        question.add_unlike("action", wanted.without)
        question.start_after("sequence", page.cursor)
        floor = None if page.reach is None else await self._find_audit_floor(page)
        question.end_at("sequence", floor)
        statement = self._sql["reading/list_audit"].replace("{conditions}", str(question))
        rows = await self._connections.read(statement.replace("{limit}", f"{page.limit + 1:d}"), *question.values)
        entries = [read_entry(row["entry"]) for row in rows[: page.limit]]
        return Page(items=entries, next_cursor=_next_cursor(rows, page, "sequence") or floor)

    async def _find_audit_floor(self, page: PageRequest) -> int | None:
        [ends] = await self._connections.read(self._sql["reading/find_audit_ends"])
        return page.find_floor(ends["lowest"], ends["highest"])

    async def now(self) -> datetime:
        """Tell the time by the clock that decides."""
        instant: datetime = (await self._connections.read(self._sql["reading/now"]))[0]["now"]
        return instant


def _is_indexed(wanted: JobFilter) -> bool:
    """Tell whether an index finds the unfinished jobs that are meant."""
    is_rare = wanted.states is not None and State.PENDING not in wanted.states
    return is_rare or wanted.unique_key is not None or wanted.parent_id is not None


def _windows(top: int, bottom: int) -> Iterator[int]:
    """Give floors further and further below: most pages are full with the newest few thousand jobs."""
    width = FIRST_WINDOW
    while top - width > bottom:
        yield top - width
        width *= 10


def read_entry(text: str) -> AuditEntry:
    """Read an entry that the server wrote as JSON."""
    return in_utc(_entries.decode(text), ("at",))


def _question(wanted: JobFilter) -> Question:
    question = Question()
    question.add(wanted, (name for name in wanted.__struct_fields__ if name != "states"))
    return question


def _next_cursor(rows: Sequence[Any], page: PageRequest, column: str) -> int | None:
    return rows[page.limit - 1][column] if len(rows) > page.limit else None


def _own_attempt(job: Job) -> dict[str, Any] | None:
    own = {"token": job.lease_token, "worker": job.locked_by or "", "started_at": job.locked_at}
    if job.state is State.RUNNING:
        return {**own, "ended_at": None, "outcome": AttemptOutcome.RUNNING}
    if job.state is State.SUCCEEDED:
        return {**own, "ended_at": job.finished_at, "outcome": AttemptOutcome.SUCCEEDED}
    return None


def _attempt(number: int, fact: dict[str, Any]) -> Attempt:
    return msgspec.convert({**fact, "number": number}, Attempt)
