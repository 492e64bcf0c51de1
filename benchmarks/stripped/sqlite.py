"""SQLite without admission: no rules are asked for, no governed lanes looked for, no end tells anybody."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from dibs.backends.sqlite.governing.rulebook import NO_RULES, RuleBook
from dibs.backends.sqlite.moves import claiming, completing, storing
from dibs.backends.sqlite.transactions.transaction import CLOCK_STEP_MICROS, Transaction
from dibs.engine.store.moves import ClaimRequest


def _claim(transaction: Transaction, request: ClaimRequest) -> claiming.Claimed:
    is_any_due, _ = transaction.read("claiming/look_around", transaction.now + CLOCK_STEP_MICROS)[0]
    assert not is_any_due
    rows = claiming._find_urgent(transaction, request)
    return claiming.Claimed(rows, claiming._hold(transaction, rows, request) if rows else None)


def _no_rules(_snapshot: Any) -> RuleBook:
    return NO_RULES


async def prepare(_url: str) -> None:
    """Nothing is changed in the store itself."""


@contextmanager
def strip() -> Iterator[None]:
    """Take admission out."""
    with (
        patch.object(claiming, "claim", _claim),
        patch.object(storing, "find_book", _no_rules),
        patch.object(completing, "settle", lambda *_: None),
    ):
        yield
