"""What a holder does while it works, and how it gives a job back."""

from collections.abc import Sequence
from datetime import timedelta

from dibs.backends.redis.rows import running_member
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.job import Lease
from dibs.engine.store.moves import Deferral, Progress
from dibs.kit.clock import span_micros


class Holding:
    """Running jobs stay running here, or go back in line."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def heartbeat(self, leases: Sequence[Lease], duration: timedelta) -> list[bool]:
        """Let running jobs lapse `duration` from now."""
        members = [running_member(lease) for lease in leases]
        head = [span_micros(duration)]
        return _moved(await self._lines.run_in_pieces("moves/heartbeat", members, head=head))

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        args: list[Word] = []
        for report in reports:
            args += (running_member(report.lease), report.value)
        return _moved(await self._lines.run_in_pieces("moves/report_progress", args, width=2))

    async def snooze(self, snoozes: Sequence[Deferral]) -> list[bool]:
        """Move running jobs back to pending."""
        args: list[Word] = []
        for one in snoozes:
            args += (running_member(one.lease), span_micros(one.delay), one.outcome.value, one.cost_microcents)
        return _moved(await self._lines.run_in_pieces("moves/snooze", args, width=4))


def _moved(answers: Sequence[int]) -> list[bool]:
    return [answer == 1 for answer in answers]
