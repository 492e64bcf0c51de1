"""What a holder may do while it works: renew, and tell how far it is."""

from collections.abc import Sequence
from datetime import timedelta

from dibs.backends.sqlite.transactions.transaction import Transaction
from dibs.engine.job import Lease
from dibs.engine.store.moves import Progress
from dibs.kit.clock import span_micros


def renew(transaction: Transaction, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
    """Let running jobs lapse `duration` from now."""
    now, until = transaction.now, transaction.now + span_micros(duration)
    return [transaction.write("holding/renew_job", lease.job_id, lease.token, now, until) > 0 for lease in leases]


def report_progress(transaction: Transaction, reports: Sequence[Progress]) -> list[bool]:
    """Keep how far running jobs are."""
    return [
        transaction.write("holding/report_progress", report.lease.job_id, report.lease.token, report.value.decode()) > 0
        for report in reports
    ]
