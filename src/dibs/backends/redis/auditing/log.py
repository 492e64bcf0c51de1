"""Adding to the audit log, and its seals: a sorted set a tenant, by position."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from dibs.backends.redis.auditing.reading import read_entries
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.audit.sealing import NewEntry, Seal, SealedEntry
from dibs.engine.store.reading import AuditEntry
from dibs.engine.store.unreadable import find_number

# One entry of the stream may tell of so many jobs.
_MOST_TOGETHER = 100
_LOOK = 100
_MOST_SEALS = 1_000


class RedisAuditLog:
    """What is sealed is told by numbers: writers do nothing for it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def append(
        self,
        entries: Sequence[NewEntry],
        *,
        connection: Any = None,  # noqa: ARG002 (refused before it comes here: there are no transactions)
    ) -> None:
        """Add entries."""
        args: list[Word] = []
        for new in entries:
            detail = "" if new.detail is None else msgspec.json.encode(new.detail)
            args += (new.action, new.subject, new.tenant, new.actor, new.reason, detail)
        if args:
            await self._lines.run("seals/append", args)

    async def list_unsealed(self, limit: int) -> list[AuditEntry]:
        """Read the tail, the oldest first."""
        entries: list[AuditEntry] = []
        async for entry in self._oldest_first(limit):
            entries.append(entry)
            if len(entries) == limit:
                break
        return entries

    async def _oldest_first(self, wanted: int) -> AsyncIterator[AuditEntry]:
        """Give the tail. What is looked at first suffices where successes are told together, as under load."""
        cursor, look = b"", min(_LOOK, 1 + -(-wanted // _MOST_TOGETHER))
        while True:
            mark, sealed, page = await self._lines.run("seals/list_unsealed", [cursor, look], is_write=False)
            known = {int(number) for number in sealed}
            for number, flat in page:
                for entry in read_entries(number, flat):
                    if entry.sequence > int(mark) and entry.sequence not in known:
                        yield entry
            if len(page) < look:
                return
            cursor, look = page[-1][0], min(_LOOK, 2 * look)

    async def count_unsealed(self, tenant: str | None) -> int:
        """Count the tail."""
        total = 0
        cursor: bytes | None = b""
        while cursor is not None:
            args: list[Word] = ["" if tenant is None else tenant, cursor, _LOOK]
            count, cursor = await self._lines.run("seals/count_unsealed", args, is_write=False)
            total += count
        return total

    async def list_heads(self) -> list[Seal]:
        """Read the last seal of each tenant."""
        flat = await self._lines.ask("HGETALL", f"{self._lines.address.tag}:seal_heads")
        heads = []
        for tenant, facts in zip(flat[::2], flat[1::2], strict=True):
            position, _, rest = facts.partition(b" ")
            heads.append(_build_seal(tenant.decode(), find_number(position) or 0, rest))
        return sorted(heads, key=lambda head: head.tenant)

    async def seal(self, seals: Sequence[Seal]) -> bool:
        """Add seals right behind the last one."""
        args: list[Word] = [seals[0].tenant, seals[0].position]
        for seal in seals:
            args += (seal.sequence, seal.hash)
        return bool(await self._lines.run("seals/seal", args) == 1)

    async def list_sealed(self, tenant: str, after: int, limit: int) -> list[SealedEntry]:
        """Read seals with their entries."""
        found: list[SealedEntry] = []
        while len(found) < limit:
            most = min(_MOST_SEALS, limit - len(found))
            answer = await self._lines.run("seals/list_sealed", [tenant, after, most], is_write=False)
            piece = _build_sealed(tenant, *answer)
            found += piece
            if len(piece) < most:
                break
            after = piece[-1].seal.position
        return found

    async def forget_sealed(self, tenant: str, through: int) -> int:
        """Forget entries up to a position, in pieces that each leave the chain whole."""
        total, has_more = 0, 1
        while has_more:
            count, has_more = await self._lines.run("seals/forget_sealed", [tenant, through, _MOST_SEALS])
            total += count
        return total


def _build_seal(tenant: str, position: int, facts: bytes) -> Seal:
    sequence, _, digest = facts.decode(errors="backslashreplace").partition(" ")
    return Seal(tenant=tenant, position=position, sequence=find_number(sequence) or 0, hash=digest)


def _build_sealed(
    tenant: str, flat: Sequence[bytes], entries: Sequence[Any], gone: Sequence[bytes]
) -> list[SealedEntry]:
    by_number: dict[int, AuditEntry | None] = {}
    for entry in (entry for number, fields in entries for entry in read_entries(number, fields)):
        # Of two under one number, neither is known to be what was sealed.
        by_number[entry.sequence] = None if entry.sequence in by_number else entry
    for number in gone:
        by_number.pop(int(number), None)
    pairs = zip(flat[::2], flat[1::2], strict=True)
    seals = [_build_seal(tenant, int(float(position)), facts) for facts, position in pairs]
    return [SealedEntry(seal=seal, entry=by_number.get(seal.sequence)) for seal in seals]
