"""What the verbs of postings work on, and the locks that other agents see."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from dibs.apps.postings import store
from dibs.apps.postings.claims.crowds.glancing import Glances
from dibs.apps.postings.claims.crowds.joining import JointClaims
from dibs.apps.postings.claims.runs import LEASE
from dibs.apps.postings.records import Act
from dibs.engine.audit.sealing import NewEntry
from dibs.engine.store.backend import Backend
from dibs.engine.store.guards import GuardedAudit
from dibs.engine.store.protocols import NamedLease, NamedLeases
from dibs.errors import StoreError
from dibs.kit.links import split_url
from dibs.kit.log import get_logger
from dibs.storage.database.unbroken import unbroken
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

log = get_logger("dibs.postings")
DEFAULT_TENANT = "default"
Answer = TypeVar("Answer")


class Office:
    """The tables, and the named leases where there are any beside them.

    The tables decide: a claim is written there under a number that only grows. A lock on Redis turns most of the others
    away before they ask the tables; one that is lost or late changes nothing.
    """

    def __init__(
        self,
        tables: Tables,
        *,
        locks: NamedLeases | None = None,
        audit: GuardedAudit | None = None,
        lease: timedelta = LEASE,
    ) -> None:
        self.tables = tables
        self.lease = lease
        # The others stand in line here: in the line for connections they would be refused after a while, and those
        # who ask for something else with them.
        half = max(1, tables.address.pool_size // 2)
        self.places = asyncio.Semaphore(half)
        # A file has one writer at a time, and who waits for it there sleeps longer and longer; a line is shorter.
        self.pens = asyncio.Semaphore(half if tables.address.is_postgres else 1)
        self.glances = Glances(tables)
        self.joint = JointClaims(tables, self.pens, lease)
        self._locks = locks
        self._audit = audit

    async def forward_acts(self, tenant: str) -> None:
        """Bring what people did into the audit log. What cannot be brought now goes with the next act."""
        if self._audit is None:
            return
        async with self.tables.reading(sight_of(tenant)) as transaction:
            acts = await store.list_unforwarded(transaction)
        if not acts:
            return
        try:
            await self._audit.append([_as_entry(tenant, act) for act in acts])
        except StoreError as error:
            # The act itself is committed: that the log's store is away must not make it look undone.
            log.warning("postings.audit.delayed", error=type(error).__name__)
            return
        async with self.tables.writing(sight_of(tenant)) as transaction:
            await store.mark_forwarded(transaction, [act.id for act in acts])

    async def take_lock(self, name: str, run_id: str) -> NamedLease | None:
        """Take the lock of a posting; gives the lock of somebody else who has it, else None.

        Whoever leaves meanwhile leaves no lock behind, which would keep all others out for minutes.
        """
        if self._locks is None:
            return None
        return await unbroken(
            _take(self._locks, name, run_id, self.lease), undo=lambda _: self.release_lock(name, run_id)
        )

    async def renew_lock(self, name: str, run_id: str) -> None:
        """Let the lock of a posting last; take it anew where it was forgotten."""
        if self._locks is None:
            return
        locks = self._locks
        found = await _calmly(lambda: locks.find(name))
        if found is None:
            await _calmly(lambda: locks.acquire(name, run_id, self.lease))
        elif found.owner == run_id:
            await _calmly(lambda: locks.renew(found, self.lease))

    async def release_lock(self, name: str, run_id: str) -> None:
        """Give the lock of a posting up, if it is this run's."""
        if self._locks is not None:
            await unbroken(_release(self._locks, name, run_id))


async def _take(locks: NamedLeases, name: str, run_id: str, lease: timedelta) -> NamedLease | None:
    taken = await _calmly(lambda: locks.acquire(name, run_id, lease))
    if taken is not None:
        return None
    found = await _calmly(lambda: locks.find(name))
    return None if found is None or found.owner == run_id else found


async def _release(locks: NamedLeases, name: str, run_id: str) -> None:
    found = await _calmly(lambda: locks.find(name))
    if found is not None and found.owner == run_id:
        await _calmly(lambda: locks.release(found))


def _as_entry(tenant: str, act: Act) -> NewEntry:
    # The id tells an act that was brought twice, because a store went away in between, from one that was done twice.
    return NewEntry(
        action=act.action,
        subject=f"posting:{act.posting_id}",
        actor=act.actor,
        tenant=tenant,
        reason=act.reason,
        detail={"act": act.id, "at": act.at.isoformat()},
    )


def choose_locks(url: str, backend: Backend) -> NamedLeases | None:
    """Give the locks that stand before the tables, where jobs are in Redis or leases elsewhere; else None."""
    is_elsewhere = bool(backend.settings.leases_url) or split_url(url).scheme.startswith("redis")
    return backend.leases if is_elsewhere else None


def lock_name(tenant: str, board: str, external_id: str) -> str:
    """Name the lock of a posting, as agents know it; those of other tenants are set apart."""
    name = f"lock:apply:{_close(board)}:{external_id}"
    return name if tenant == DEFAULT_TENANT else f"{_close(tenant)}:{name}"


def _close(word: str) -> str:
    # A colon ends it: one within it would let two postings share a lock, and two tenants.
    return word.replace("%", "%25").replace(":", "%3A")


async def _calmly(ask: Callable[[], Awaitable[Answer]]) -> Answer | None:
    try:
        return await ask()
    except StoreError as error:
        # The tables fence every write: without locks, claims are slower and nothing else.
        log.warning("postings.lock.lost", error=type(error).__name__)
        return None
