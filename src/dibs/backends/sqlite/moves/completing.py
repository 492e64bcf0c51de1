"""How jobs succeed: the hot path, one statement for many."""

from collections.abc import Sequence

import msgspec

from dibs.backends.sqlite.transaction import Row, Transaction
from dibs.engine.audit import JobAction
from dibs.engine.store.moves import Completion

_ID = 3


def complete(transaction: Transaction, completions: Sequence[Completion]) -> list[bool]:
    """Move running jobs to succeeded."""
    rows = [_as_row(completion, transaction.now) for completion in completions]
    moved = transaction.write_many("complete_job", rows)
    if moved == len(rows):
        _record_successes(transaction, [row[_ID] for row in rows])
        return [True] * moved
    just_moved = _find_unrecorded(transaction, rows)
    answers = [(completion.lease.job_id, completion.lease.token) in just_moved for completion in completions]
    _record_successes(transaction, [row[_ID] for row, has_moved in zip(rows, answers, strict=True) if has_moved])
    return answers


def _find_unrecorded(transaction: Transaction, rows: list[Row]) -> set[Row]:
    """Find what this very transaction moved: the only successes that the audit log does not know yet."""
    ids = msgspec.json.encode([row[_ID] for row in rows]).decode()
    return set(transaction.read("find_unrecorded_successes", ids, JobAction.SUCCEEDED.value))


def _as_row(completion: Completion, now: int) -> Row:
    lease = completion.lease
    return completion.output.decode(), completion.cost_microcents, now, lease.job_id, lease.token


def _record_successes(transaction: Transaction, ids: list[str]) -> None:
    listed = msgspec.json.encode(ids).decode()
    transaction.write("add_audit_of_successes", transaction.now, JobAction.SUCCEEDED.value, listed)
