"""How a holder ends its work on a job."""

from collections.abc import Sequence
from typing import Any

import msgspec

from dibs.backends.postgres.joining import join
from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import as_lines, moved_at, unless_empty
from dibs.engine.states import State
from dibs.engine.store.moves import Completion, Drop, Failure
from dibs.kit.clock import span_micros
from dibs.kit.codec import NULL


class Ending(Stage):
    """From running to succeeded, retryable, failed or cancelled."""

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Move running jobs to succeeded."""
        values = (
            as_lines([done.lease.job_id for done in completions]),
            as_lines([str(done.lease.token) for done in completions]),
            unless_empty([None if done.output == NULL else done.output.decode() for done in completions]),
            unless_empty([done.cost_microcents or None for done in completions]),
        )
        statement = self._sql["moves/complete_jobs"]
        if connection is None:
            return moved_at(len(completions), await self._connections.write(statement, *values))
        caller = join(connection, self._connections.address.shown)
        return moved_at(len(completions), await caller.fetch(statement, values))

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        rows = await self._connections.write(
            self._sql["moves/fail_jobs"],
            [failure.lease.job_id for failure in failures],
            [failure.lease.token for failure in failures],
            [msgspec.json.encode(failure.error).decode() for failure in failures],
            [failure.kind.value for failure in failures],
            [span_micros(failure.retry_in) for failure in failures],
            [failure.cost_microcents for failure in failures],
            [failure.max_worker_deaths for failure in failures],
            self._notify,
        )
        states: list[State | None] = [None] * len(failures)
        for row in rows:
            states[row["place"] - 1] = State(row["verdict"])
        return states

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Move running jobs to cancelled, by their holder."""
        rows = await self._connections.write(
            self._sql["moves/drop_jobs"],
            [drop.lease.job_id for drop in drops],
            [drop.lease.token for drop in drops],
            [drop.reason for drop in drops],
            [drop.cost_microcents for drop in drops],
        )
        return moved_at(len(drops), rows)
