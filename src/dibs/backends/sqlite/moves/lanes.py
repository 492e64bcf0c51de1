"""Lanes are (queue, job type). A claim looks only into those it wants, however long the others are."""

from itertools import product

from dibs.backends.sqlite.transaction import Transaction
from dibs.engine.store.moves import ClaimRequest

Lane = tuple[str, str]


def find_lanes(transaction: Transaction, request: ClaimRequest) -> list[Lane]:
    """Name the lanes that a claim wants; where it wants any, those that have jobs ready."""
    queues, job_types = request.queues, request.job_types
    if queues is None:
        queues = tuple(row[0] for row in transaction.read("list_queues"))
    if job_types is not None:
        return list(product(queues, job_types))
    return [(queue, row[0]) for queue in queues for row in transaction.read("list_types_of_queue", queue)]
