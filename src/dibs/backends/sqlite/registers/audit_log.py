"""The audit log as its sealer sees it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from dibs.backends.sqlite.moves.records import record_act
from dibs.backends.sqlite.rows import to_audit_entry
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.joining import run_joined
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.audit.sealing import NewEntry, Seal, SealedEntry
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import AuditEntry

_SEAL_FIELDS = 4
_SEQUENCE = 4


class SqliteAuditLog:
    """Entries are rows of `dibs_audit`, seals of `dibs_seals`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, entries: Sequence[NewEntry], *, connection: Any = None) -> None:
        """Add entries."""
        await run_joined(self._database, partial(_append, entries=entries), connection)

    async def list_unsealed(self, limit: int) -> list[AuditEntry]:
        """Read the tail."""
        rows = await self._database.read(lambda snapshot: snapshot.read_anyway("audit/list_unsealed", limit))
        return [to_audit_entry(row) for row in rows]

    async def count_unsealed(self, tenant: str | None) -> int:
        """Count the tail."""
        rows = await self._database.read(lambda snapshot: snapshot.read("audit/count_unsealed", tenant))
        return int(rows[0][0])

    async def list_heads(self) -> list[Seal]:
        """Read the last seal of each tenant."""
        rows = await self._database.read(lambda snapshot: snapshot.read_anyway("audit/list_heads"))
        return [_to_seal(row) for row in rows]

    async def seal(self, seals: Sequence[Seal]) -> bool:
        """Add seals right behind the last one."""
        return await self._database.write(partial(_seal, seals=seals))

    async def list_sealed(self, tenant: str, after: int, limit: int) -> list[SealedEntry]:
        """Read seals with their entries."""
        asked = (tenant, after, limit)
        rows = await self._database.read(lambda snapshot: snapshot.read_anyway("audit/list_sealed", *asked))
        return [SealedEntry(seal=_to_seal(row[:_SEAL_FIELDS]), entry=_find_entry(row[_SEQUENCE:])) for row in rows]

    async def forget_sealed(self, tenant: str, through: int) -> int:
        """Forget entries up to a position."""
        return await self._database.write(partial(_forget, tenant=tenant, through=through))


def _append(transaction: Transaction, entries: Sequence[NewEntry]) -> None:
    for new in entries:
        act = OperatorAct(actor=new.actor, reason=new.reason)
        record_act(transaction, new.action, new.subject, act, tenant=new.tenant, detail=new.detail)


def _seal(transaction: Transaction, seals: Sequence[Seal]) -> bool:
    last = transaction.find("audit/find_head", seals[0].tenant)
    sequences = msgspec.json.encode([seal.sequence for seal in seals]).decode()
    is_next = seals[0].position == (1 if last is None else last[0] + 1)
    if not is_next or transaction.find("audit/find_sealed", sequences) is not None:
        return False
    transaction.write_many("audit/add_seal", [msgspec.structs.astuple(seal) for seal in seals])
    transaction.write("audit/advance_sealed")
    return True


def _forget(transaction: Transaction, tenant: str, through: int) -> int:
    # Numbers of entries only grow: the newest row keeps its number, and nothing else, until there is a newer one.
    newest = transaction.read("audit/find_newest")[0][0]
    forgotten = transaction.write("audit/forget_entries", tenant, through, newest)
    forgotten += transaction.write("audit/blank_entry", tenant, through, newest)
    transaction.write("audit/forget_blank_entries", newest)
    transaction.write("audit/forget_seals", tenant, through)
    return forgotten


def _to_seal(row: Row) -> Seal:
    tenant, position, sequence, digest = row
    # SQLite keeps whatever is put into a column of texts.
    return Seal(tenant=tenant, position=position, sequence=sequence, hash=str(digest))


def _find_entry(row: Row) -> AuditEntry | None:
    return None if row[0] is None else to_audit_entry(row)
