"""How jobs succeed: the hot path, one statement for many."""

from collections.abc import Sequence

import msgspec

from dibs.backends.sqlite.governing.settling import settle
from dibs.backends.sqlite.transaction import Row, Transaction
from dibs.engine.audit import JobAction
from dibs.engine.store.moves import Completion

_ID = 3


def complete(transaction: Transaction, completions: Sequence[Completion]) -> list[bool]:
    """Move running jobs to succeeded."""
    rows = _as_rows(completions, transaction.now)
    moved = transaction.write_many("complete_job", rows)
    if moved == len(rows):
        _record_successes(transaction, [row[_ID] for row in rows])
        settle(transaction, completions)
        return [True] * moved
    just_moved = _find_unrecorded(transaction, rows) if moved else set()
    answers = [(completion.lease.job_id, completion.lease.token) in just_moved for completion in completions]
    accepted = [completion for completion, has_moved in zip(completions, answers, strict=True) if has_moved]
    _record_successes(transaction, [completion.lease.job_id for completion in accepted])
    settle(transaction, accepted)
    return answers


def _find_unrecorded(transaction: Transaction, rows: list[Row]) -> set[Row]:
    """Find what this very transaction moved: the only successes of this instant that the log does not know yet."""
    ids = msgspec.json.encode([row[_ID] for row in rows]).decode()
    return set(transaction.read("find_unrecorded_successes", ids, JobAction.SUCCEEDED.value, transaction.now))


def _as_rows(completions: Sequence[Completion], now: int) -> list[Row]:
    return [(one.output.decode(), one.cost_microcents, now, one.lease.job_id, one.lease.token) for one in completions]


def _record_successes(transaction: Transaction, ids: list[str]) -> None:
    listed = msgspec.json.encode(ids).decode()
    transaction.write("add_audit_of_successes", transaction.now, JobAction.SUCCEEDED.value, listed)
