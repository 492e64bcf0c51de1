"""What the end of an execution leaves: costs for its tenant, and room for those who wait."""

from collections.abc import Sequence

import msgspec

from dibs.backends.sqlite.governing.parks import has_closed, key_subject, open_for, source_subject, tenant_subject
from dibs.backends.sqlite.transactions.transaction import Transaction
from dibs.engine.job import Job
from dibs.engine.store.moves import Completion

DAY_MICROS = 86_400_000_000


def pay(transaction: Transaction, job: Job, cost_microcents: int) -> None:
    """Add what an attempt has cost to what its tenant has spent today."""
    if cost_microcents:
        transaction.write("spending/pay", job.tenant, _today(transaction), cost_microcents)


def free(transaction: Transaction, job: Job) -> None:
    """Tell those who wait that a job does not run any more."""
    if has_closed(transaction):
        _tell(transaction, [(job.tenant, job.source, job.concurrency_key)], [job.id])


def settle(transaction: Transaction, completions: Sequence[Completion]) -> None:
    """Pay for jobs that have just succeeded, and tell those who wait."""
    costs = [(one.lease.job_id, _today(transaction), one.cost_microcents) for one in completions if one.cost_microcents]
    if costs:
        transaction.write_many("spending/pay_for_job", costs)
    if has_closed(transaction):
        ids = [one.lease.job_id for one in completions]
        _tell(transaction, transaction.read("spending/list_holdings", _listed(ids)), ids)


def _tell(transaction: Transaction, holdings: Sequence[tuple[str, str | None, str | None]], ids: list[str]) -> None:
    subjects = {tenant_subject(tenant) for tenant, _, _ in holdings}
    subjects |= {source_subject(source) for _, source, _ in holdings if source is not None}
    # A job may try a broken source that is not its own.
    subjects |= {source_subject(name) for (name,) in transaction.read("sources/list_probed", _listed(ids))}
    subjects |= {
        key_subject(Job(job_type="", tenant=tenant, concurrency_key=key))
        for tenant, _, key in holdings
        if key is not None
    }
    open_for(transaction, subjects)


def _listed(ids: list[str]) -> str:
    return msgspec.json.encode(ids).decode()


def _today(transaction: Transaction) -> int:
    return transaction.now - transaction.now % DAY_MICROS
