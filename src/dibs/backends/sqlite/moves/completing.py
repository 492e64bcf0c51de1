"""How jobs succeed: the hot path, one statement for many."""

from collections.abc import Sequence

import msgspec

from dibs.backends.sqlite.governing.settling import settle
from dibs.backends.sqlite.moves.claiming import Claimed
from dibs.backends.sqlite.rows import SEQ
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.audit.actions import JobAction
from dibs.engine.store.moves import Completion

_ID = 3
MOST_PLACES = 100_000


class Places:
    """Where the jobs that this handle claimed lie in the table, by their tokens.

    Only a hint, which spares a look into the index of ids: whoever uses it asks the row for its id and token as well.
    """

    def __init__(self) -> None:
        self._seqs: dict[int, int] = {}

    def note(self, claimed: Claimed) -> None:
        """Remember what a claim gave."""
        rows, holding, _ = claimed
        if holding is not None:
            if len(self._seqs) > MOST_PLACES:
                self._seqs.clear()
            self._seqs.update(enumerate([row[SEQ] for row in rows], holding.first_token))

    def take(self, completions: Sequence[Completion]) -> list[int] | None:
        """Give the places of all of these, and forget them; None if one is not known."""
        seqs = [self._seqs.pop(one.lease.token, 0) for one in completions]
        return seqs if all(seqs) else None


def complete(transaction: Transaction, completions: Sequence[Completion], places: Places) -> list[bool]:
    """Move running jobs to succeeded."""
    rows = _as_rows(completions, transaction.now)
    seqs = places.take(completions)
    moved = 0 if seqs is None else _complete_known(transaction, rows, seqs)
    if seqs is not None and moved == len(rows):
        _record(transaction, "records/add_audit_of_known_successes", seqs)
        settle(transaction, completions)
        return [True] * moved
    # Those that have just moved do not run any more, and are passed over.
    moved += transaction.write_many("ending/complete_job", rows)
    if moved == len(rows):
        accepted, answers = completions, [True] * moved
    else:
        just_moved = _find_unrecorded(transaction, rows) if moved else set()
        answers = [(one.lease.job_id, one.lease.token) in just_moved for one in completions]
        accepted = [one for one, has_moved in zip(completions, answers, strict=True) if has_moved]
    _record(transaction, "records/add_audit_of_successes", [one.lease.job_id for one in accepted])
    settle(transaction, accepted)
    return answers


def _complete_known(transaction: Transaction, rows: list[Row], seqs: list[int]) -> int:
    return transaction.write_many(
        "ending/complete_known_job", [(*row, seq) for row, seq in zip(rows, seqs, strict=True)]
    )


def _find_unrecorded(transaction: Transaction, rows: list[Row]) -> set[Row]:
    """Find what this very transaction moved: the only successes of this instant that the log does not know yet."""
    ids = msgspec.json.encode([row[_ID] for row in rows]).decode()
    return set(transaction.read("records/find_unrecorded_successes", ids, JobAction.SUCCEEDED.value, transaction.now))


def _as_rows(completions: Sequence[Completion], now: int) -> list[Row]:
    return [(one.output.decode(), one.cost_microcents, now, one.lease.job_id, one.lease.token) for one in completions]


def _record(transaction: Transaction, statement: str, which: list[str] | list[int]) -> None:
    listed = msgspec.json.encode(which).decode()
    transaction.write(statement, transaction.now, JobAction.SUCCEEDED.value, listed)
