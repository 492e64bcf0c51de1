"""Where due jobs wait, and whose turn it is."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator

from dibs.backends.memory.books import Books
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest

# Queue, job type, and for jobs that more than a gate of these may hold back: tenant, source, concurrency key, cost.
Lane = tuple[str, str, str | None, str | None, str | None, int]
Entry = tuple[int, int, str]
Line = list[Entry]


class Lines:
    """One heap a lane. All jobs of a lane meet the same obstacles, so that its first one speaks for them all.

    Entries are not removed when a job moves away: whoever finds an entry asks `find_waiting` for its job.
    """

    def __init__(self, books: Books, find_waiting: Callable[[Entry], Job | None]) -> None:
        self._books = books
        self._find_waiting = find_waiting
        self._lanes: defaultdict[Lane, Line] = defaultdict(list)

    def add(self, job: Job, sequence: int) -> None:
        """Let a due job wait in its lane."""
        heapq.heappush(self._lanes[self._lane_of(job)], (-job.priority, sequence, job.id))

    def clear(self) -> list[Entry]:
        """Take everybody out, to be lined up anew under other rules."""
        entries = [entry for line in self._lanes.values() for entry in line]
        self._lanes.clear()
        return entries

    def first_of(self, job: Job) -> str | None:
        """Name the most urgent job of the lane of a job; None where nobody stands there."""
        line = sorted(self._lanes.get(self._lane_of(job), ()))
        return next((entry[2] for entry in line if self._find_waiting(entry) is not None), None)

    def held_queues(self) -> tuple[str, ...]:
        """Name the queues in which somebody may wait for more than a worker."""
        return tuple({lane[0] for lane, line in self._lanes.items() if line and lane[2] is not None})

    def _lane_of(self, job: Job) -> Lane:
        # Without rules, what the job says of itself decides: this is asked of every job that is stored.
        is_plain = not self._books.rules and job.source is None and job.concurrency_key is None
        if not is_plain and self._books.is_governed(job):
            return job.queue, job.job_type, job.tenant, job.source, job.concurrency_key, job.max_cost_microcents
        return job.queue, job.job_type, None, None, None, 0

    def take(self, request: ClaimRequest, may_run: Callable[[Job], bool]) -> Iterator[Job]:
        """Take the jobs whose turn it is, as many as wanted; each must be given away before the next is asked for."""
        wanted = {lane: line for lane, line in self._lanes.items() if _is_wanted(lane, request)}
        if not self._books.has_gates and all(_is_plain(lane) for lane in wanted):
            yield from self._take_plain(list(wanted.values()), request)
            return
        passed_over: list[tuple[Line, Entry]] = []
        for _ in range(request.limit):
            job = self._take_next(wanted, request, may_run, passed_over)
            if job is None:
                break
            yield job
        for line, entry in passed_over:
            heapq.heappush(line, entry)

    def _take_plain(self, lines: list[Line], request: ClaimRequest) -> Iterator[Job]:
        """Take the most urgent jobs, one after another: nothing but a gate holds a plain job back."""
        passed_over: list[tuple[Line, Entry]] = []
        taken = 0
        while taken < request.limit and (lines := [line for line in lines if line]):
            line = lines[0] if len(lines) == 1 else min(lines, key=lambda line: line[0])
            entry = heapq.heappop(line)
            job = self._find_waiting(entry)
            if job is None:
                continue
            if request.tenant is None or request.tenant == job.tenant:
                taken += 1
                yield job
            else:
                passed_over.append((line, entry))
        for line, entry in passed_over:
            heapq.heappush(line, entry)

    def _take_next(
        self,
        wanted: dict[Lane, Line],
        request: ClaimRequest,
        may_run: Callable[[Job], bool],
        passed_over: list[tuple[Line, Entry]],
    ) -> Job | None:
        while first_jobs := self._find_first_jobs(wanted, request, passed_over):
            candidates = self._find_candidates(first_jobs, wanted)
            blocked = [lane for lane in candidates if not may_run(first_jobs[lane])]
            if not blocked:
                lane = min(candidates, key=lambda lane: wanted[lane][0])
                heapq.heappop(wanted[lane])
                return first_jobs[lane]
            for lane in blocked:
                del wanted[lane]
        return None

    def _find_first_jobs(
        self, wanted: dict[Lane, Line], request: ClaimRequest, passed_over: list[tuple[Line, Entry]]
    ) -> dict[Lane, Job]:
        first_jobs: dict[Lane, Job] = {}
        for lane, line in wanted.items():
            while line and lane not in first_jobs:
                job = self._find_waiting(line[0])
                if job is not None and request.tenant in (None, job.tenant):
                    first_jobs[lane] = job
                elif job is not None:
                    passed_over.append((line, heapq.heappop(line)))
                else:
                    heapq.heappop(line)
        return first_jobs

    def _find_candidates(self, first_jobs: dict[Lane, Job], wanted: dict[Lane, Line]) -> list[Lane]:
        """Find the lane of each queue to take from: its most urgent one, if it is fair of the tenant whose turn it is.

        Who is blocked must not stand for its queue: between queues, only those who may run are compared.
        """
        lanes: defaultdict[str, list[Lane]] = defaultdict(list)
        for lane, job in first_jobs.items():
            lanes[job.queue].append(lane)
        for queue in lanes:
            if self._books.is_fair(queue):
                next_tenant = self._books.turns[queue].find_next({first_jobs[lane].tenant for lane in lanes[queue]})
                lanes[queue] = [lane for lane in lanes[queue] if first_jobs[lane].tenant == next_tenant]
        return [min(some, key=lambda lane: wanted[lane][0]) for some in lanes.values()]


def _is_plain(lane: Lane) -> bool:
    return lane[2] is None


def _is_wanted(lane: Lane, request: ClaimRequest) -> bool:
    queue, job_type, tenant, *_ = lane
    fits_queue = request.queues is None or queue in request.queues
    fits_type = request.job_types is None or job_type in request.job_types
    return fits_queue and fits_type and (tenant is None or request.tenant in (None, tenant))
