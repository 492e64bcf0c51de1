"""What a holder says while it works, and giving a job back."""

from collections.abc import Sequence
from datetime import timedelta

from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import moved_at
from dibs.engine.job import Lease
from dibs.engine.store.moves import Deferral, Progress
from dibs.kit.clock import span_micros


class Holding(Stage):
    """Running, and from running back to pending."""

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Let running jobs lapse `duration` from now."""
        rows = await self._connections.write(
            self._sql["moves/heartbeat_jobs"],
            [lease.job_id for lease in leases],
            [lease.token for lease in leases],
            span_micros(duration),
        )
        return moved_at(len(leases), rows)

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        rows = await self._connections.write(
            self._sql["moves/report_progress"],
            [report.lease.job_id for report in reports],
            [report.lease.token for report in reports],
            [report.value.decode() for report in reports],
        )
        return moved_at(len(reports), rows)

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Move running jobs back to pending."""
        rows = await self._connections.write(
            self._sql["moves/snooze_jobs"],
            [snooze.lease.job_id for snooze in snoozes],
            [snooze.lease.token for snooze in snoozes],
            [span_micros(snooze.delay) for snooze in snoozes],
            [snooze.outcome.value for snooze in snoozes],
            [snooze.cost_microcents for snooze in snoozes],
            self._notify,
        )
        return moved_at(len(snoozes), rows)
