"""Who holds a unique key."""

from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.job import Job
from dibs.engine.store.moves import UniqueRule, UniqueWhile
from dibs.kit.clock import span_micros


def find_rival(transaction: Transaction, new: Job, rule: UniqueRule) -> Row | None:
    """Find the job that holds the unique key of another; of several, the one stored last."""
    if new.unique_key is None:
        return None
    key = (new.unique_key, new.job_type, new.tenant)
    if rule.window is not None:
        return transaction.find("storing/find_key_in_window", *key, transaction.now - span_micros(rule.window))
    is_pending_only = rule.hold is UniqueWhile.PENDING
    return transaction.find("storing/find_key_pending" if is_pending_only else "storing/find_key_unfinished", *key)
