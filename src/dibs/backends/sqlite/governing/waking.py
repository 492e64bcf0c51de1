"""When a claim may bring something by the passing of time alone. Looks at a bounded number of rows.

Where there are more, the answer may be too early, never too late.
"""

from collections.abc import Iterator
from datetime import timedelta

from dibs.backends.sqlite.governing.directory import Directory
from dibs.backends.sqlite.governing.lanes import Lane
from dibs.backends.sqlite.governing.plain import find_gate
from dibs.backends.sqlite.governing.rulebook import RuleBook, find_book
from dibs.backends.sqlite.governing.standing import describe
from dibs.backends.sqlite.moves.lanes import find_lanes
from dibs.backends.sqlite.rows import instant, to_text
from dibs.backends.sqlite.transactions.transaction import Snapshot
from dibs.engine.admission.obstacle import find_obstacle
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import MICROSECOND, to_micros

MOST_LATER = 1_000
MOST_PARKS = 32


def find_wake(snapshot: Snapshot, request: ClaimRequest) -> timedelta | None:
    """Tell after how long to ask again; None: nobody knows."""
    book, earliest = find_book(snapshot), None
    for instants in (_of_plain_lanes, _of_lanes, _of_later_jobs):
        for found in instants(snapshot, book, request):
            earliest = found if earliest is None else min(earliest, found)
            if earliest <= snapshot.now:
                return timedelta(0)
    return None if earliest is None else (earliest - snapshot.now) * MICROSECOND


def _of_plain_lanes(snapshot: Snapshot, book: RuleBook, request: ClaimRequest) -> Iterator[int]:
    for lane in find_lanes(snapshot, request):
        if snapshot.find("claiming/list_lane", *lane, request.tenant, 1) is not None:
            gate = find_gate(book, *lane, snapshot.now)
            if gate is None:
                yield snapshot.now
            elif gate.expires_at is not None:
                yield to_micros(gate.expires_at)


def _of_lanes(snapshot: Snapshot, book: RuleBook, request: ClaimRequest) -> Iterator[int]:
    is_open: dict[str, int] = dict(snapshot.read("parks/list_some_parks", MOST_PARKS))
    for line in Directory(snapshot, book, request, list(is_open)).list_lines():
        for lane in line.some():
            yield from _of_lane(snapshot, book, lane)
        # All lanes of a closed park wait for the same thing; of others only a claim can tell.
        if line.has_more and is_open.get(line.address[0], True):
            yield snapshot.now


def _of_lane(snapshot: Snapshot, book: RuleBook, lane: Lane) -> Iterator[int]:
    if snapshot.find("lanes/find_head", lane.number) is None:
        return
    job = lane.speaker()
    obstacle = find_obstacle(job, describe(snapshot, book, job), instant(snapshot.now))
    if obstacle is None:
        yield snapshot.now
    elif obstacle.until is not None:
        yield to_micros(obstacle.until)


def _of_later_jobs(snapshot: Snapshot, _: RuleBook, request: ClaimRequest) -> Iterator[int]:
    wanted = (to_text(request.queues), to_text(request.job_types), request.tenant)
    for (run_at,) in snapshot.read("moving/find_next_due", *wanted, MOST_LATER):
        if run_at is not None:
            yield run_at
