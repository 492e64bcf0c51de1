"""Plain lanes as a governed claim sees them: those that no gate shuts, merged by urgency, one job ahead."""

import sqlite3
from collections.abc import Iterator
from heapq import merge

from dibs.backends.sqlite.governing.lanes import Urgency
from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.moves.lanes import find_lanes, look_into
from dibs.backends.sqlite.rows import SEQ, WAITING_PRIORITY, WAITING_QUEUE, WAITING_TENANT, instant, names_source_or_key
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.admission.gate import Gate, find_shut_gate
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest


def is_stray(row: Row, book: RuleBook) -> bool:
    """Tell whether a job of a plain lane is governed: older code put it there, or a rule came after it."""
    return names_source_or_key(row) or book.governs(row[WAITING_QUEUE], row[WAITING_TENANT])


def find_gate(book: RuleBook, queue: str, job_type: str, now: int) -> Gate | None:
    """Find the gate that stands before all plain jobs of a lane."""
    # A plain job has neither source nor a tenant with a gate; no name is empty.
    anybody = Job(id="", tenant="", queue=queue, job_type=job_type)
    return find_shut_gate(book.gates, anybody, instant(now)) if book.gates else None


class PlainStream:
    """Reads only so many jobs as are asked for."""

    def __init__(self, transaction: Transaction, book: RuleBook, request: ClaimRequest) -> None:
        lanes = find_lanes(transaction, request)
        self._cursors: list[sqlite3.Cursor] = [
            look_into(transaction, lane, request) for lane in lanes if find_gate(book, *lane, transaction.now) is None
        ]
        self._rows: Iterator[Row] = merge(*self._cursors, key=by_urgency)
        self._next: Row | None = next(self._rows, None)

    def first(self) -> Row | None:
        """Give the most urgent job."""
        return self._next

    def leave_out(self) -> None:
        """Go on to the next one."""
        self._next = next(self._rows, None)

    def close(self) -> None:
        """Let go of the lanes."""
        for cursor in self._cursors:
            cursor.close()


def by_urgency(row: Row) -> Urgency:
    """Order jobs: the lower, the sooner."""
    return -row[WAITING_PRIORITY], row[SEQ]
