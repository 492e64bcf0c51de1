"""How jobs are given to workers."""

from heapq import merge
from itertools import islice
from typing import NamedTuple

import msgspec

from dibs.backends.sqlite.governing.claiming import GovernedClaim
from dibs.backends.sqlite.governing.lanes import relane_some
from dibs.backends.sqlite.governing.plain import by_urgency
from dibs.backends.sqlite.governing.rulebook import RuleBook, find_book
from dibs.backends.sqlite.moves.lanes import find_lanes, look_into
from dibs.backends.sqlite.rows import (
    SEQ,
    WAITING_HISTORY,
    WAITING_TENANT,
    Holding,
    instant,
    names_source_or_key,
    to_claimed_job,
)
from dibs.backends.sqlite.transactions.transaction import CLOCK_STEP_MICROS, Row, Transaction
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import span_micros

PROMOTED_AT_ONCE = 1_000


class Claimed(NamedTuple):
    """The rows of jobs as they were before, what all of them got, and whether lanes are left to look at."""

    rows: list[Row]
    holding: Holding | None
    is_cut_short: bool = False


class ClaimedJobs(NamedTuple):
    """The same as jobs."""

    jobs: list[Job]
    is_cut_short: bool


def claim(transaction: Transaction, request: ClaimRequest) -> Claimed:
    """Give due jobs to one worker."""
    due_by = transaction.now + CLOCK_STEP_MICROS
    book = find_book(transaction)
    is_any_due, has_lanes = transaction.read("claiming/look_around", due_by)[0]
    promoted, relaned = _promote(transaction, book, due_by) if is_any_due else (0, 0)
    is_plain = not (relaned or _is_governed(transaction, book, request, has_lanes=has_lanes))
    claimed = _take(transaction, request, book, is_plain=is_plain)
    while promoted == PROMOTED_AT_ONCE and not claimed.rows and not claimed.is_cut_short:
        promoted, relaned = _promote(transaction, book, due_by)
        is_plain = is_plain and not relaned
        claimed = _take(transaction, request, book, is_plain=is_plain)
    return claimed


def _is_governed(transaction: Transaction, book: RuleBook, request: ClaimRequest, *, has_lanes: bool) -> bool:
    """Tell whether this claim may meet more than plain jobs: rules and lanes of others do not concern it."""
    if book.gates or book.find_fair(request):
        return True
    return bool(has_lanes) and any(_is_wanted(request, *kind) for kind in transaction.read("directory/list_kinds"))


def _is_wanted(request: ClaimRequest, queue: str, job_type: str) -> bool:
    fits_queue = request.queues is None or queue in request.queues
    return fits_queue and (request.job_types is None or job_type in request.job_types)


def claimed_jobs(claimed: Claimed) -> ClaimedJobs:
    """Make jobs of what `claim` gave; also tells whether lanes are left to look at."""
    rows, holding, is_cut_short = claimed
    if holding is None:
        return ClaimedJobs([], is_cut_short)
    jobs = [to_claimed_job(row, token, holding) for token, row in enumerate(rows, holding.first_token)]
    return ClaimedJobs(jobs, is_cut_short)


def _promote(transaction: Transaction, book: RuleBook, due_by: int) -> tuple[int, int]:
    """Let jobs whose time has come wait in their lanes; tells how many, and how many of them are governed."""
    promoted = transaction.read("claiming/promote_due_jobs", due_by, PROMOTED_AT_ONCE, book.governs_plain)
    transaction.announce(queue for queue, _ in promoted)
    strays = [seq for _, seq in promoted if seq is not None]
    return len(promoted), relane_some(transaction, book, strays) if strays else 0


def _take(transaction: Transaction, request: ClaimRequest, book: RuleBook, *, is_plain: bool) -> Claimed:
    if is_plain:
        rows = _find_urgent(transaction, request)
        rare = [row for row in rows if row[WAITING_HISTORY] is not None]
        if not any(map(names_source_or_key, rare)) and book.tenants.isdisjoint(row[WAITING_TENANT] for row in rows):
            return Claimed(rows, _hold(transaction, rows, request) if rows else None)
    governed = GovernedClaim(transaction, book, request)
    rows, holding = governed.take()
    return Claimed(rows, holding, governed.is_cut_short)


def _find_urgent(transaction: Transaction, request: ClaimRequest) -> list[Row]:
    lanes = find_lanes(transaction, request)
    if len(lanes) == 1:
        return transaction.read("claiming/list_lane", *lanes[0], request.tenant, request.limit)
    cursors = [look_into(transaction, lane, request) for lane in lanes]
    try:
        return list(islice(merge(*cursors, key=by_urgency), request.limit))
    finally:
        for cursor in cursors:
            cursor.close()


def _hold(transaction: Transaction, rows: list[Row], request: ClaimRequest) -> Holding:
    now, until = transaction.now, transaction.now + span_micros(request.lease)
    first = transaction.take_numbers("token", len(rows))
    chosen = msgspec.json.encode([row[SEQ] for row in rows]).decode()
    transaction.write("claiming/hold_jobs", chosen, first, request.worker, now, until)
    return Holding(worker=request.worker, first_token=first, locked_at=instant(now), lease_expires_at=instant(until))
