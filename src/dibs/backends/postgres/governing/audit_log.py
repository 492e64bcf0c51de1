"""The audit log beside what every move appends, and its seals."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from dibs.backends.postgres.joining import join
from dibs.backends.postgres.reader import read_entry
from dibs.backends.postgres.rows import as_lines, read_instants
from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.audit.sealing import NewEntry, Seal, SealedEntry
from dibs.engine.store.reading import AuditEntry
from dibs.kit.codec import decode_json


class PostgresAuditLog:
    """Entries only come in; a trigger keeps them as they were written."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def append(self, entries: Sequence[NewEntry], *, connection: Any = None) -> None:
        """Add entries, all or none."""
        columns = [
            [getattr(new, name) for new in entries] for name in ("tenant", "actor", "action", "subject", "reason")
        ]
        details = [None if new.detail is None else msgspec.json.encode(new.detail).decode() for new in entries]
        if connection is None:
            await self._connections.write(self._sql["auditing/append"], *columns, details)
        else:
            caller = join(connection, self._connections.address.shown)
            await caller.fetch(self._sql["auditing/append"], [*columns, details])

    async def list_unsealed(self, limit: int) -> list[AuditEntry]:
        """Read the tail."""
        rows = await self._connections.read(self._sql["auditing/list_unsealed"], limit)
        instants = read_instants(row[1] for row in rows)
        return [_unsealed_entry(row, instants[row[1]]) for row in rows]

    async def count_unsealed(self, tenant: str | None) -> int:
        """Count the tail."""
        count: int = (await self._connections.read(self._sql["auditing/count_unsealed"], tenant))[0]["count"]
        return count

    async def list_heads(self) -> list[Seal]:
        """Read the last seal of each tenant."""
        return [_seal(row) for row in await self._connections.read(self._sql["auditing/list_heads"])]

    async def seal(self, seals: Sequence[Seal]) -> bool:
        """Add seals right behind the last one."""
        columns = [as_lines(str(getattr(seal, name)) for seal in seals) for name in ("position", "sequence", "hash")]
        rows = await self._connections.write(self._sql["auditing/seal"], seals[0].tenant, *columns)
        fits: bool = rows[0]["fits"]
        return fits

    async def list_sealed(self, tenant: str, after: int, limit: int) -> list[SealedEntry]:
        """Read seals with their entries."""
        rows = await self._connections.read(self._sql["auditing/list_sealed"], tenant, after, limit)
        return [_sealed_entry(row) for row in rows]

    async def forget_sealed(self, tenant: str, through: int) -> int:
        """Forget entries up to a position."""
        count: int = (await self._connections.write(self._sql["auditing/forget"], tenant, through))[0]["count"]
        return count


def _unsealed_entry(row: Any, at: datetime) -> AuditEntry:
    """Read a row of list_unsealed; by position, for every entry of the log passes here once."""
    detail = row[8]
    return AuditEntry(
        sequence=row[0],
        at=at,
        tenant=row[2],
        actor=row[3],
        action=row[4],
        subject=row[5],
        reason=row[6],
        token=row[7],
        detail=None if detail is None else decode_json(detail),
    )


def _seal(row: Any) -> Seal:
    return Seal(tenant=row["tenant"], position=row["position"], sequence=row["sequence"], hash=row["hash"])


def _sealed_entry(row: Any) -> SealedEntry:
    return SealedEntry(seal=_seal(row), entry=None if row["entry"] is None else read_entry(row["entry"]))
