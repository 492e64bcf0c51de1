"""How jobs are given to workers."""

import sqlite3
from collections.abc import Iterator
from heapq import merge
from itertools import islice

import msgspec

from dibs.backends.sqlite.moves.lanes import find_lanes
from dibs.backends.sqlite.rows import SEQ, WAITING_PRIORITY, Holding, instant, to_claimed_job
from dibs.backends.sqlite.statements import statement
from dibs.backends.sqlite.transaction import CLOCK_STEP_MICROS, Row, Transaction
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import span_micros

PROMOTED_AT_ONCE = 1_000


def claim(transaction: Transaction, request: ClaimRequest) -> tuple[list[Row], Holding | None]:
    """Give due jobs to one worker; gives their rows as they were before, and what all of them got."""
    promoted = _promote(transaction)
    rows = _find_urgent(transaction, request)
    while not rows and promoted == PROMOTED_AT_ONCE:
        promoted = _promote(transaction)
        rows = _find_urgent(transaction, request)
    return rows, _hold(transaction, rows, request) if rows else None


def claimed_jobs(claimed: tuple[list[Row], Holding | None]) -> list[Job]:
    """Make jobs of what `claim` gave."""
    rows, holding = claimed
    if holding is None:
        return []
    return [to_claimed_job(row, token, holding) for token, row in enumerate(rows, holding.first_token)]


def _promote(transaction: Transaction) -> int:
    """Let jobs whose time has come wait in their lanes; tells how many."""
    due_by = transaction.now + CLOCK_STEP_MICROS
    if not transaction.read("find_due_job", due_by):
        return 0
    queues = [row[0] for row in transaction.read("promote_due_jobs", due_by, PROMOTED_AT_ONCE)]
    transaction.announce(queues)
    return len(queues)


def _find_urgent(transaction: Transaction, request: ClaimRequest) -> list[Row]:
    lanes = find_lanes(transaction, request)
    if len(lanes) == 1:
        return transaction.read("list_lane", *lanes[0], request.tenant, request.limit)
    cursors = [_look_into(transaction, lane, request) for lane in lanes]
    try:
        return list(islice(_by_urgency(cursors), request.limit))
    finally:
        for cursor in cursors:
            cursor.close()


def _look_into(transaction: Transaction, lane: tuple[str, str], request: ClaimRequest) -> sqlite3.Cursor:
    """Begin to read a lane; only as many rows as the merge asks for are fetched."""
    cursor: sqlite3.Cursor = transaction.cursor.connection.cursor()  # type: ignore[attr-defined]
    return cursor.execute(statement("list_lane"), (*lane, request.tenant, request.limit))


def _by_urgency(cursors: list[sqlite3.Cursor]) -> Iterator[Row]:
    return merge(*cursors, key=lambda row: (-row[WAITING_PRIORITY], row[SEQ]))


def _hold(transaction: Transaction, rows: list[Row], request: ClaimRequest) -> Holding:
    now, until = transaction.now, transaction.now + span_micros(request.lease)
    first = transaction.take_numbers("token", len(rows))
    chosen = msgspec.json.encode([row[SEQ] for row in rows]).decode()
    transaction.write("hold_jobs", chosen, first, request.worker, now, until)
    return Holding(worker=request.worker, first_token=first, locked_at=instant(now), lease_expires_at=instant(until))
