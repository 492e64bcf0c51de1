"""Taking jobs in."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from dibs.backends.postgres.joining import join
from dibs.backends.postgres.moves.copying import fill_columns, is_due_at_once, is_governed
from dibs.backends.postgres.moves.stage import Stage
from dibs.backends.postgres.rows import as_lines, read_job, unless_empty
from dibs.engine.job import Job
from dibs.engine.store.moves import OnConflict, StoreRequest, UniqueRule
from dibs.errors import DuplicateJob, StoreError
from dibs.kit.clock import span_micros

FEWEST_TO_COPY = 1_000


class Storing(Stage):
    """From nothing to pending."""

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs as pending."""
        if all(job.unique_key is None for job in request.jobs):
            stored_at = await self._store_plain(request)
            return [request.as_told(place, stored_at) for place in range(len(request.jobs))]
        values = [*self._columns(request), *_rule_values(request), _costs(request)]
        rows = await self._insert(request.connection, "moves/store_unique_jobs", values)
        return [_answer(request, place, row) for place, row in enumerate(rows)]

    async def _store_plain(self, request: StoreRequest) -> datetime:
        """Store jobs without unique keys; tells when. COPY takes more round trips, which only pay for large batches."""
        if len(request.jobs) >= FEWEST_TO_COPY and request.connection is None:
            return await self._store_many(request)
        values = [*self._columns(request), _costs(request)]
        rows = await self._insert(request.connection, "moves/store_jobs", values)
        stored_at: datetime = rows[0]["stored_at"]
        return stored_at

    async def _insert(self, connection: Any, name: str, values: Sequence[Any]) -> Sequence[Any]:
        rows = await self._send(connection, self._sql[name], values)
        if rows[-1]["duplicate"] is not None:
            raise DuplicateJob.of(rows[-1]["duplicate"])
        return rows

    async def _send(self, connection: Any, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        if connection is None:
            return await self._connections.write(statement, *values)
        return await join(connection, self._connections.address.shown).fetch(statement, values)

    def _columns(self, request: StoreRequest) -> list[Any]:
        jobs = request.jobs
        return [
            [job.id for job in jobs],
            [job.job_type for job in jobs],
            [job.tenant for job in jobs],
            [job.queue for job in jobs],
            [job.priority for job in jobs],
            [encoded.decode() for encoded in request.inputs],
            [job.max_retries for job in jobs],
            unless_empty([job.run_at for job in jobs]),
            unless_empty([job.concurrency_key for job in jobs]),
            unless_empty([job.source for job in jobs]),
            unless_empty([job.parent_id for job in jobs]),
            None if request.delay is None else span_micros(request.delay),
            self._told_queues(request),
        ]

    def _told_queues(self, request: StoreRequest) -> list[str] | None:
        # Only the store knows what is due; a hint too many does no harm.
        is_due = request.delay is None or request.delay == timedelta(0)
        return sorted({job.queue for job in request.jobs}) if self._notify and is_due else None

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs, and do not read their inputs again, which would be a tenth of the price."""
        await self._store_plain(request)
        return len(request.jobs)

    async def _store_many(self, request: StoreRequest) -> datetime:
        try:
            return await self._connections.work(lambda connection: self._copy(connection, request))
        except StoreError as failed:
            if not isinstance(failed.__cause__, asyncpg.UniqueViolationError):
                raise
            raise DuplicateJob.of(await self._find_known_id(request)) from failed

    async def _copy(self, connection: PoolConnectionProxy, request: StoreRequest) -> datetime:
        now = None if is_due_at_once(request) else await connection.fetchval(self._sql["reading/now"])
        columns = fill_columns(request, now)
        records = zip(*columns.values(), strict=True)
        await connection.copy_records_to_table(
            "jobs", schema_name=self._sql.schema, columns=list(columns), records=records
        )
        # After the copy: a job that is just finishing has left the one table and is in the other by now.
        ids = columns["id"]
        values = as_lines(ids), min(ids), is_governed(request), self._told_queues(request)
        done = (await connection.fetch(self._sql["moves/finish_copy"], *values))[0]
        if done["duplicate"] is not None:
            raise DuplicateJob.of(done["duplicate"])
        stored_at: datetime = done["stored_at"]
        return stored_at

    async def _find_known_id(self, request: StoreRequest) -> str:
        ids = [job.id for job in request.jobs]
        rows = await self._connections.read(self._sql["moves/find_known_id"], ids)
        return rows[0]["id"] or ids[0]


def _costs(request: StoreRequest) -> list[int | None] | None:
    return unless_empty([job.max_cost_microcents or None for job in request.jobs])


def _rule_values(request: StoreRequest) -> tuple[Any, ...]:
    rule: UniqueRule = request.unique
    window = None if rule.window is None else span_micros(rule.window)
    return [job.unique_key for job in request.jobs], rule.hold.value, window, rule.on_conflict.value


def _answer(request: StoreRequest, place: int, row: Any) -> Job | None:
    if row["rival"] is None:
        return request.as_told(place, row["stored_at"])
    return None if request.unique.on_conflict is OnConflict.KEEP else read_job(row["rival"])
