"""What a holder says while it works, and giving a job back."""

from collections.abc import Sequence
from datetime import timedelta

from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import lock_order, moved_at
from dibs.engine.job import Lease
from dibs.engine.store.moves import Deferral, Progress
from dibs.kit.clock import span_micros


class Holding(Stage):
    """Running, and from running back to pending."""

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Let running jobs lapse `duration` from now."""
        order = lock_order(leases)
        rows = await self._connections.write(
            self._sql["moves/heartbeat_jobs"],
            [leases[place].job_id for place in order],
            [leases[place].token for place in order],
            span_micros(duration),
        )
        return moved_at(order, rows)

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        order = lock_order([report.lease for report in reports])
        asked = [reports[place] for place in order]
        rows = await self._connections.write(
            self._sql["moves/report_progress"],
            [report.lease.job_id for report in asked],
            [report.lease.token for report in asked],
            [report.value.decode() for report in asked],
        )
        return moved_at(order, rows)

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Move running jobs back to pending."""
        order = lock_order([snooze.lease for snooze in snoozes])
        asked = [snoozes[place] for place in order]
        rows = await self._connections.write(
            self._sql["moves/snooze_jobs"],
            [snooze.lease.job_id for snooze in asked],
            [snooze.lease.token for snooze in asked],
            [span_micros(snooze.delay) for snooze in asked],
            [snooze.outcome.value for snooze in asked],
            [snooze.cost_microcents for snooze in asked],
            self._notify,
        )
        return moved_at(order, rows)
