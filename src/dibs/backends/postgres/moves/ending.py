"""How a holder ends its work on a job."""

from collections.abc import Sequence
from typing import Any

import msgspec

from dibs.backends.postgres.joining import join
from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import lock_order, moved_at
from dibs.engine.states import State
from dibs.engine.store.moves import Completion, Drop, Failure
from dibs.kit.clock import span_micros


class Ending(Stage):
    """From running to succeeded, retryable, failed or cancelled."""

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Move running jobs to succeeded."""
        order = lock_order([completion.lease for completion in completions])
        asked = [completions[place] for place in order]
        values = (
            [completion.lease.job_id for completion in asked],
            [completion.lease.token for completion in asked],
            [completion.output.decode() for completion in asked],
            [completion.cost_microcents for completion in asked],
        )
        statement = self._sql["moves/complete_jobs"]
        if connection is None:
            return moved_at(order, await self._connections.write(statement, *values))
        caller = join(connection, self._connections.address.shown)
        return moved_at(order, await caller.fetch(statement, values))

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        order = lock_order([failure.lease for failure in failures])
        asked = [failures[place] for place in order]
        rows = await self._connections.write(
            self._sql["moves/fail_jobs"],
            [failure.lease.job_id for failure in asked],
            [failure.lease.token for failure in asked],
            [msgspec.json.encode(failure.error).decode() for failure in asked],
            [failure.kind.value for failure in asked],
            [span_micros(failure.retry_in) for failure in asked],
            [failure.cost_microcents for failure in asked],
            [failure.max_worker_deaths for failure in asked],
            self._notify,
        )
        states: list[State | None] = [None] * len(failures)
        for row in rows:
            states[order[row["place"] - 1]] = State(row["verdict"])
        return states

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Move running jobs to cancelled, by their holder."""
        order = lock_order([drop.lease for drop in drops])
        asked = [drops[place] for place in order]
        rows = await self._connections.write(
            self._sql["moves/drop_jobs"],
            [drop.lease.job_id for drop in asked],
            [drop.lease.token for drop in asked],
            [drop.reason for drop in asked],
            [drop.cost_microcents for drop in asked],
        )
        return moved_at(order, rows)
