"""Giving jobs to workers."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import CONTENT_COLUMNS, claimed_jobs
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import span_micros

# What the answer to a claim may hold of contents, so that it fits between two machines: until all of it has gone out,
# the claim is not committed, and a claimer that stops reading would keep its jobs, and the rules, from everybody.
_ANSWER_BYTES = 128 * 1024
# Contents that come with the claim in any case: to fetch them costs more than to send them.
_SMALL_BYTES = 1024
_id, _input, _token = itemgetter(0), itemgetter(CONTENT_COLUMNS[0]), itemgetter(17)


class Claiming(Stage):
    """From pending to running."""

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker."""
        rows = await self._connections.write(
            self._sql["moves/claim_jobs"],
            request.worker,
            request.limit,
            span_micros(request.lease),
            request.queues,
            request.job_types,
            request.tenant,
            self._notify,
            max(_SMALL_BYTES, _ANSWER_BYTES // request.limit),
        )
        if not rows:
            return []
        self._on_claim()
        # Tokens were drawn in the order of urgency.
        whole = await self._fetch_contents(sorted(rows, key=_token))
        return claimed_jobs(whole, request.worker, request.lease) if whole else []

    async def _fetch_contents(self, rows: list[Any]) -> list[Any]:
        """Read what was too large to come with the claim. A job that is not ours any more is left out."""
        heavy = [row for row in rows if _input(row) is None]
        if not heavy:
            return rows
        found = await self._connections.read(
            self._sql["moves/read_contents"], [_id(row) for row in heavy], [_token(row) for row in heavy]
        )
        contents = {row[0]: row[1:] for row in map(tuple, found)}
        return [whole for row in rows if (whole := _with_contents(row, contents)) is not None]


def _with_contents(row: Any, contents: dict[str, Any]) -> Sequence[Any] | None:
    if _input(row) is not None:
        filled: Sequence[Any] = row
        return filled
    if _id(row) not in contents:
        return None
    values = list(row)
    for column, value in zip(CONTENT_COLUMNS, contents[_id(row)], strict=True):
        values[column] = value
    return values
