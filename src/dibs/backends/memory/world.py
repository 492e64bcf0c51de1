"""Everything that the memory backend knows, and the orders in which jobs wait."""

import heapq
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from threading import RLock
from typing import Any

from msgspec.structs import replace

from dibs.backends.memory.books import Books
from dibs.backends.memory.lines import Entry, Lines
from dibs.backends.memory.notices import MemoryNotices
from dibs.engine.admission.obstacle import Standing, find_obstacle
from dibs.engine.audit.actions import JobAction, job_subject
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.schedules.keeping import ScheduleAct
from dibs.engine.states import PENDING, RETRYABLE, RUNNING
from dibs.engine.store.moves import ClaimRequest, OperatorAct
from dibs.engine.store.reading import AuditEntry
from dibs.kit.clock import Clock
from dibs.kit.codec import Json, decode_json

Act = OperatorAct | ScheduleAct
SUCCESS = JobAction.SUCCEEDED


class World:
    """Jobs by id, in the order in which they were stored; their payloads are kept as JSON.

    Entered (`with world:`) for one move at one instant.

    A waiting job has an entry in the line of its lane, or, while it is not due, in `later`.
    """

    def __init__(self, clock: Clock, notices: MemoryNotices) -> None:
        self._clock = clock
        self._lock = RLock()
        self.now = clock()
        self.notices = notices
        self._news: set[str] = set()
        self.jobs: dict[str, Job] = {}
        self.sequence: dict[str, int] = {}
        self.running: dict[str, Job] = {}
        self.keys: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
        self.attempts: defaultdict[str, list[Attempt]] = defaultdict(list)
        self.audit: list[AuditEntry] = []
        self._last_entry = self._last_token = self._last_job = 0
        self.books = Books()
        self._lines = Lines(self.books, self._find_waiting)
        self._later: list[tuple[datetime, int, str]] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self.now = self._clock()

    def __exit__(self, *_: object) -> None:
        if self._news:
            # Once a move, however many jobs it lets wait.
            self.notices.tell(tuple(self._news))
            self._news.clear()
        self._lock.release()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def add_all(self, jobs: list[Job]) -> None:
        """Take in jobs that were never here."""
        ids = [job.id for job in jobs]
        self.jobs.update(zip(ids, jobs, strict=True))
        first = self._last_job + 1
        self._last_job += len(ids)
        self.sequence.update(zip(ids, range(first, self._last_job + 1), strict=True))
        for job in jobs:
            if job.unique_key is not None:
                self.keys[job.tenant, job.job_type, job.unique_key].append(job.id)
            self._line_up(job)

    def put(self, job: Job) -> None:
        """Keep a job as it is now, and let it wait where it belongs."""
        self.jobs[job.id] = job
        if job.state is RUNNING:
            self.running[job.id] = job
            return
        if job.id in self.running:
            self._leave(job)
        if _is_waiting(job):
            self._line_up(job)

    def succeed(self, job: Job) -> None:
        """Keep a job that its holder has done, and append that to the audit log: the way that most jobs end."""
        self.jobs[job.id] = job
        self._leave(job)
        self._last_entry += 1
        entry = AuditEntry(
            sequence=self._last_entry,
            at=self.now,
            tenant=job.tenant,
            actor=job.locked_by or "",
            action=SUCCESS,
            subject=job_subject(job.id),
            token=job.lease_token,
        )
        self.audit.append(entry)

    def _leave(self, job: Job) -> None:
        del self.running[job.id]
        books = self.books
        # Where nothing is ruled and nobody holds a permit, a plain job held nothing that anybody could wait for.
        if books.rules or books.permits or books.probes or job.source is not None or job.concurrency_key is not None:
            self._free(job)

    def _free(self, job: Job) -> None:
        # A plain job may have tried a broken source.
        self.books.free(job)
        if self.books.is_governed(job):
            self.tell_held()

    def tell_held(self) -> None:
        """Tell those who wait for a key, a slot, a permit or money that there may be some now."""
        if queues := self._lines.held_queues():
            self._news.update(queues)

    def forget(self, job: Job) -> None:
        """Let go of a finished job. What the audit log says of it stays."""
        del self.jobs[job.id], self.sequence[job.id]
        self.attempts.pop(job.id, None)
        if job.unique_key is not None:
            self.keys[job.tenant, job.job_type, job.unique_key].remove(job.id)

    def rewrite(self, job: Job) -> None:
        """Keep a job whose payload is written otherwise: it stands where it stood."""
        self.jobs[job.id] = job
        if job.id in self.running:
            self.running[job.id] = job

    def rewrite_error(self, job_id: str, before: ErrorInfo, after: ErrorInfo) -> bool:
        """Write an error otherwise, in the job and in its history; False where it does not stand."""
        job, history = self.jobs.get(job_id), self.attempts.get(job_id, [])
        has_moved = False
        if job is not None and job.error == before:
            self.rewrite(replace(job, error=after))
            has_moved = True
        for place, attempt in enumerate(history):
            if attempt.error == before:
                history[place] = replace(attempt, error=after)
                has_moved = True
        return has_moved

    def next_token(self) -> int:
        """Give a token higher than any before."""
        self._last_token += 1
        return self._last_token

    def _line_up(self, job: Job) -> None:
        number = self.sequence[job.id]
        if job.run_at is not None and job.run_at > self.now:
            heapq.heappush(self._later, (job.run_at, number, job.id))
        else:
            self._lines.add(job, number)
            self._news.add(job.queue)

    def line_up_anew(self) -> None:
        """Let all due jobs wait where the rules of now want them."""
        for entry in self._lines.clear():
            job = self._find_waiting(entry)
            if job is not None:
                self._line_up(job)

    def take_due(self, request: ClaimRequest) -> Iterator[Job]:
        """Take the jobs that may run now, in turn; each must be claimed before the next is asked for."""
        self._promote()
        return self._lines.take(request, self.may_run)

    def may_run(self, job: Job) -> bool:
        """Tell whether nothing holds a job back at this instant."""
        if not self.books.rules and job.source is None and job.concurrency_key is None:
            return True
        return find_obstacle(job, self.describe(job), self.now) is None

    def describe(self, job: Job) -> Standing:
        """Gather all that decides whether a job may run."""
        return self.books.describe(job, self.running.values(), self.now)

    def find_first(self, job: Job) -> str | None:
        """Name the job that stands first where this one waits; None: this one does, or it does not stand there yet."""
        if not _is_waiting(job) or (job.run_at is not None and job.run_at > self.now):
            return None
        first = self._lines.first_of(job)
        return None if first == job.id else first

    def _promote(self) -> None:
        while self._later and self._later[0][0] <= self.now:
            job = self.jobs.get(heapq.heappop(self._later)[2])
            if job is not None and _is_waiting(job):
                self._line_up(job)

    def _find_waiting(self, entry: Entry) -> Job | None:
        """Find the job that an entry of a line speaks of; None when it has moved away since."""
        priority, _, job_id = entry
        job = self.jobs.get(job_id)
        if job is None or not _is_waiting(job) or job.priority != -priority:
            return None
        if job.run_at is None or job.run_at <= self.now:
            return job
        # It was put off, or the clock was set back: it must not be forgotten with its entry.
        self._line_up(job)
        return None

    def end_attempt(self, job: Job, outcome: AttemptOutcome, **facts: Any) -> None:
        """Write the running attempt of a job into its history."""
        self.attempts[job.id].append(self.current_attempt(job, outcome, ended_at=self.now, **facts))

    def current_attempt(self, job: Job, outcome: AttemptOutcome, **facts: Any) -> Attempt:
        """Describe the attempt that a job's own row tells of."""
        return Attempt(
            number=len(self.attempts[job.id]) + 1,
            token=job.lease_token,
            worker=job.locked_by or "",
            started_at=job.locked_at or self.now,
            outcome=outcome,
            **facts,
        )

    def record(self, action: JobAction, job: Job, *, actor: str, reason: str = "", detail: Any = None) -> None:
        """Append what happened to a job to the audit log."""
        self._last_entry += 1
        entry = AuditEntry(
            sequence=self._last_entry,
            at=self.now,
            tenant=job.tenant,
            actor=actor,
            action=action,
            subject=job_subject(job.id),
            reason=reason,
            token=job.lease_token,
            detail=detail,
        )
        self.audit.append(entry)

    def record_act(self, action: str, subject: str, act: Act, *, tenant: str, detail: Any = None) -> None:
        """Append what was done to something else than a job."""
        self._last_entry += 1
        entry = AuditEntry(
            sequence=self._last_entry,
            at=self.now,
            tenant=tenant,
            actor=act.actor,
            action=action,
            subject=subject,
            reason=act.reason,
            detail=detail,
        )
        self.audit.append(entry)


def _is_waiting(job: Job) -> bool:
    return job.state is PENDING or job.state is RETRYABLE


def shown(job: Job) -> Job:
    """Give the job with its payloads read anew: what a caller does to them does not reach the store."""
    if job.output is None and job.progress is None:
        return replace(job, input=decode_json(job.input))
    return replace(job, input=decode_json(job.input), output=_read(job.output), progress=_read(job.progress))


def _read(payload: Json | None) -> Any:
    return None if payload is None else decode_json(payload)


def unlocked(job: Job, **changes: Any) -> Job:
    """Give the job without a holder."""
    return replace(job, locked_by=None, locked_at=None, heartbeat_at=None, lease_expires_at=None, **changes)
