"""Lanes of plain jobs are (queue, job type). A claim looks only into those it wants, however long the others are."""

import sqlite3
from itertools import product

from dibs.backends.sqlite.statements import statement
from dibs.backends.sqlite.transactions.transaction import Snapshot
from dibs.engine.store.moves import ClaimRequest

PlainLane = tuple[str, str]


def find_lanes(snapshot: Snapshot, request: ClaimRequest) -> list[PlainLane]:
    """Name the lanes that a claim wants; where it wants any, those that have jobs ready."""
    queues, job_types = request.queues, request.job_types
    if queues is None:
        queues = tuple(row[0] for row in snapshot.read("claiming/list_queues"))
    if job_types is not None:
        return list(product(queues, job_types))
    return [(queue, row[0]) for queue in queues for row in snapshot.read("claiming/list_types_of_queue", queue)]


def look_into(snapshot: Snapshot, lane: PlainLane, request: ClaimRequest) -> sqlite3.Cursor:
    """Begin to read a lane; only as many rows as the merge asks for are fetched."""
    cursor: sqlite3.Cursor = snapshot.cursor.connection.cursor()
    return cursor.execute(statement("claiming/list_lane"), (*lane, request.tenant, request.limit))
