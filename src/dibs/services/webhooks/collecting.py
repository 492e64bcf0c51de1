"""From the audit log to deliveries: none is lost when a process dies, and none is made twice.

The sealed part of the log has positions without a gap, so that a cursor there can miss nothing, whatever commits when.
What is not sealed yet is looked at as well, so that nobody waits for the seal; it comes by again with the seal, and the
id of a delivery follows from the entry and the endpoint.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol

from dibs.engine.audit.sealing import SealedEntry
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditEntry
from dibs.errors import DuplicateJob
from dibs.services.webhooks import store
from dibs.services.webhooks.model import (
    DELIVER,
    KEEP_DELIVERIES,
    Cursor,
    Message,
    find_event,
    find_job_id,
    write_message,
)
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

BATCH = 1_000
BETWEEN_PRUNES = 3600.0


class Enqueue(Protocol):
    """How the job of a delivery is stored."""

    def __call__(self, job_type: str, given: object, *, tenant: str, id: str) -> Awaitable[Job | None]: ...  # noqa: A002 - the option's name


class Collector:
    """Reads the log of every tenant that has endpoints. One process at a time does; a second one would do no harm."""

    def __init__(self, tables: Tables, open_backend: Callable[[], Awaitable[Backend]], enqueue: Enqueue) -> None:
        self._tables = tables
        self._open_backend = open_backend
        self._enqueue = enqueue
        self._handled: frozenset[int] = frozenset()
        self._prune_at = 0.0

    async def collect(self) -> int:
        """Look once; tell how many deliveries were given to workers."""
        async with self._tables.reading(sight_of(None)) as transaction:
            cursors = await store.list_cursors(transaction)
        if not cursors:
            return 0
        backend = await self._open_backend()
        # Before the sealed part: what is sealed in between is then seen twice, and not never.
        tail = await backend.audit.list_unsealed(BATCH)
        new = [entry for entry in tail if entry.sequence not in self._handled]
        queued = 0
        for cursor in cursors:
            queued += await self._collect_for(backend, cursor, new)
        self._handled = frozenset(entry.sequence for entry in tail)
        await self._prune(cursors)
        return queued

    async def _collect_for(self, backend: Backend, cursor: Cursor, tail: Sequence[AuditEntry]) -> int:
        own = [entry for entry in tail if entry.tenant == cursor.tenant]
        await self._note(backend, cursor, [], own)
        while sealed := await backend.audit.list_sealed(cursor.tenant, cursor.position, BATCH):
            await self._note(backend, cursor, sealed, [one.entry for one in sealed if one.entry is not None])
            cursor = Cursor(tenant=cursor.tenant, position=sealed[-1].seal.position)
        return await self._queue(cursor.tenant)

    async def _note(
        self, backend: Backend, cursor: Cursor, sealed: Sequence[SealedEntry], entries: Sequence[AuditEntry]
    ) -> None:
        """Note what is to be sent, and how far the log was read, in one transaction."""
        messages = await _write_messages(backend, entries)
        if not messages and not sealed:
            return
        async with self._tables.writing(sight_of(cursor.tenant)) as transaction:
            endpoints = await store.list_endpoints(transaction) if messages else []
            for message in messages:
                for endpoint in endpoints:
                    if endpoint.wants(message.event, message.at):
                        await store.add_delivery(transaction, endpoint, message)
            if sealed:
                await store.move_cursor(transaction, sealed[-1].seal.position)

    async def _queue(self, tenant: str) -> int:
        """Store the jobs. Whoever dies before that is noted stores them again, and they are there already."""
        async with self._tables.reading(sight_of(tenant)) as transaction:
            ids = await store.list_unqueued(transaction)
        for delivery_id in ids:
            with suppress(DuplicateJob):
                await self._enqueue(DELIVER, {"delivery": delivery_id}, tenant=tenant, id=delivery_id)
        if ids:
            async with self._tables.writing(sight_of(tenant)) as transaction:
                await store.mark_queued(transaction, ids)
        return len(ids)

    async def _prune(self, cursors: Sequence[Cursor]) -> None:
        now = time.monotonic()
        if now < self._prune_at:
            return
        self._prune_at = now + BETWEEN_PRUNES
        for cursor in cursors:
            async with self._tables.writing(sight_of(cursor.tenant)) as transaction:
                await store.forget_deliveries(transaction, KEEP_DELIVERIES)


async def _write_messages(backend: Backend, entries: Sequence[AuditEntry]) -> list[Message]:
    told = [(entry, event) for entry in entries if (event := find_event(entry)) is not None]
    ids = list(dict.fromkeys(job_id for entry, _ in told if (job_id := find_job_id(entry)) is not None))
    found = dict(zip(ids, await backend.reader.find_jobs(ids), strict=True)) if ids else {}
    jobs = [found.get(find_job_id(entry) or "") for entry, _ in told]
    return [
        write_message(entry, event, job)
        for (entry, event), job in zip(told, jobs, strict=True)
        # How a delivery went is no news, or it would never end.
        if job is None or job.job_type != DELIVER
    ]
