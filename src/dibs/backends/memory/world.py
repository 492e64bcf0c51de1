"""Everything that the memory backend knows, and the orders in which jobs wait."""

import heapq
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from threading import RLock
from typing import Any

from msgspec.structs import replace

from dibs.backends.memory.notices import MemoryNotices
from dibs.engine.audit import ALL_JOBS, ALL_TENANTS, JobAction, job_subject
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import PENDING, RETRYABLE
from dibs.engine.store.moves import ClaimRequest, OperatorAct
from dibs.engine.store.reading import AuditEntry
from dibs.kit.clock import Clock
from dibs.kit.codec import Json, decode_json

Lane = tuple[str, str]


class World:
    """Jobs by id, in the order in which they were stored; their payloads are kept as JSON.

    Entered (`with world:`) for one move at one instant.

    A waiting job has an entry in the heap of its lane (queue and type), or, while it is not due, in `later`. Entries
    are not removed when a job moves away: whoever finds an entry checks it.
    """

    def __init__(self, clock: Clock, notices: MemoryNotices) -> None:
        self._clock = clock
        self._lock = RLock()
        self.now = clock()
        self.notices = notices
        self.jobs: dict[str, Job] = {}
        self.sequence: dict[str, int] = {}
        self.keys: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
        self.attempts: defaultdict[str, list[Attempt]] = defaultdict(list)
        self.audit: list[AuditEntry] = []
        self._tokens = count(1)
        self._sequence = count(1)
        self._lanes: defaultdict[Lane, list[tuple[int, int, str]]] = defaultdict(list)
        self._later: list[tuple[datetime, int, str]] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self.now = self._clock()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def add(self, job: Job) -> None:
        """Take in a job that was never here."""
        self.sequence[job.id] = next(self._sequence)
        if job.unique_key is not None:
            self.keys[job.tenant, job.job_type, job.unique_key].append(job.id)
        self.put(job)

    def put(self, job: Job) -> None:
        """Keep a job as it is now, and let it wait where it belongs."""
        self.jobs[job.id] = job
        if _is_waiting(job):
            self._line_up(job)

    def forget(self, job: Job) -> None:
        """Let go of a finished job. What the audit log says of it stays."""
        del self.jobs[job.id], self.sequence[job.id]
        self.attempts.pop(job.id, None)
        if job.unique_key is not None:
            self.keys[job.tenant, job.job_type, job.unique_key].remove(job.id)

    def next_token(self) -> int:
        """Give a token higher than any before."""
        return next(self._tokens)

    def _line_up(self, job: Job) -> None:
        run_at = job.run_at or self.now
        if run_at > self.now:
            heapq.heappush(self._later, (run_at, self.sequence[job.id], job.id))
        else:
            heapq.heappush(self._lanes[job.queue, job.job_type], (-job.priority, self.sequence[job.id], job.id))
            self.notices.tell((job.queue,))

    def take_due(self, request: ClaimRequest) -> list[Job]:
        """Take the most urgent due jobs out of their lanes."""
        self._promote()
        lanes = [heap for lane, heap in self._lanes.items() if _is_wanted(lane, request)]
        taken: list[Job] = []
        passed_over: list[Job] = []
        for job in self._by_urgency(lanes):
            (taken if request.tenant in (None, job.tenant) else passed_over).append(job)
            if len(taken) == request.limit:
                break
        for job in passed_over:
            heapq.heappush(self._lanes[job.queue, job.job_type], (-job.priority, self.sequence[job.id], job.id))
        return taken

    def _promote(self) -> None:
        while self._later and self._later[0][0] <= self.now:
            job = self.jobs.get(heapq.heappop(self._later)[2])
            if job is not None and _is_waiting(job):
                self._line_up(job)

    def _by_urgency(self, lanes: list[list[tuple[int, int, str]]]) -> Iterator[Job]:
        seen: set[str] = set()
        while lanes := [heap for heap in lanes if heap]:
            heap = lanes[0] if len(lanes) == 1 else min(lanes, key=lambda heap: heap[0])
            priority, _, job_id = heapq.heappop(heap)
            job = self.jobs.get(job_id)
            if job is None or job_id in seen or not _is_waiting(job) or job.priority != -priority:
                continue
            if job.run_at is None or job.run_at <= self.now:
                seen.add(job_id)
                yield job
            else:
                # It was put off, or the clock was set back: it must not be forgotten with its entry.
                self._line_up(job)

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
        entry = AuditEntry(
            sequence=len(self.audit) + 1,
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

    def record_purge(self, act: OperatorAct, *, tenant: str | None, count: int) -> None:
        """Append that an operator had jobs forgotten."""
        entry = AuditEntry(
            sequence=len(self.audit) + 1,
            at=self.now,
            tenant=tenant or ALL_TENANTS,
            actor=act.actor,
            action=JobAction.PURGED,
            subject=ALL_JOBS,
            reason=act.reason,
            detail={"count": count},
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


def _is_wanted(lane: Lane, request: ClaimRequest) -> bool:
    queue, job_type = lane
    fits_queue = request.queues is None or queue in request.queues
    return fits_queue and (request.job_types is None or job_type in request.job_types)
