"""How jobs succeed: the hot path, one statement for many."""

from collections.abc import Sequence

import msgspec

from dibs.backends.sqlite.governing.settling import settle
from dibs.backends.sqlite.transaction import Row, Transaction
from dibs.engine.audit import JobAction
from dibs.engine.store.moves import Completion

_SAVEPOINT, _UNDO, _KEEP = "SAVEPOINT dibs_batch", "ROLLBACK TO dibs_batch", "RELEASE dibs_batch"


def complete(transaction: Transaction, completions: Sequence[Completion]) -> list[bool]:
    """Move running jobs to succeeded."""
    rows = [(one.output.decode(), one.cost_microcents, transaction.now, *_lease(one)) for one in completions]
    answers = _complete_together(transaction, rows) if len(rows) > 1 else _complete_apart(transaction, rows)
    accepted = [completion for completion, has_moved in zip(completions, answers, strict=True) if has_moved]
    if accepted:
        _record_successes(transaction, accepted)
        settle(transaction, accepted)
    return answers


def _lease(completion: Completion) -> Row:
    return completion.lease.job_id, completion.lease.token


def _complete_together(transaction: Transaction, rows: list[Row]) -> list[bool]:
    """Hope that all leases are held. If one is not, only doing them again one by one tells which."""
    transaction.cursor.execute(_SAVEPOINT)
    is_whole = transaction.write_many("complete_job", rows) == len(rows)
    if not is_whole:
        transaction.cursor.execute(_UNDO)
    transaction.cursor.execute(_KEEP)
    return [True] * len(rows) if is_whole else _complete_apart(transaction, rows)


def _complete_apart(transaction: Transaction, rows: list[Row]) -> list[bool]:
    return [transaction.write("complete_job", *row) > 0 for row in rows]


def _record_successes(transaction: Transaction, completions: Sequence[Completion]) -> None:
    listed = msgspec.json.encode([one.lease.job_id for one in completions]).decode()
    transaction.write("add_audit_of_successes", transaction.now, JobAction.SUCCEEDED.value, listed)
