"""The audit log in memory, and its seals."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from dibs.backends.memory.world import World
from dibs.engine.audit.sealing import NewEntry, Seal, SealedEntry
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import AuditEntry

_sequence = attrgetter("sequence")


class MemoryAuditLog:
    """Entries are the world's, by their numbers; seals are kept here. Before `_tail` in the log, all are sealed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seals: defaultdict[str, list[Seal]] = defaultdict(list)
        self._sealed: set[int] = set()
        self._tail = 0

    async def append(
        self,
        entries: Sequence[NewEntry],
        *,
        connection: Any = None,  # noqa: ARG002 - refused before it comes here
    ) -> None:
        """Add entries."""
        with self._world:
            for new in entries:
                act = OperatorAct(actor=new.actor, reason=new.reason)
                self._world.record_act(new.action, new.subject, act, tenant=new.tenant, detail=new.detail)

    async def list_unsealed(self, limit: int) -> list[AuditEntry]:
        """Read the tail."""
        with self._world:
            return list(islice(self._unsealed(), limit))

    async def count_unsealed(self, tenant: str | None) -> int:
        """Count the tail."""
        with self._world:
            return sum(tenant in (None, entry.tenant) for entry in self._unsealed())

    def _unsealed(self) -> Iterator[AuditEntry]:
        audit, sealed = self._world.audit, self._sealed
        while self._tail < len(audit) and audit[self._tail].sequence in sealed:
            self._tail += 1
        return (audit[place] for place in range(self._tail, len(audit)) if audit[place].sequence not in sealed)

    async def list_heads(self) -> list[Seal]:
        """Read the last seal of each tenant."""
        with self._world:
            return [seals[-1] for _, seals in sorted(self._seals.items()) if seals]

    async def seal(self, seals: Sequence[Seal]) -> bool:
        """Add seals right behind the last one."""
        with self._world:
            mine = self._seals[seals[0].tenant]
            expected = mine[-1].position + 1 if mine else 1
            is_next = seals[0].position == expected
            if not is_next or any(seal.sequence in self._sealed for seal in seals):
                return False
            mine.extend(seals)
            self._sealed.update(seal.sequence for seal in seals)
            return True

    async def list_sealed(self, tenant: str, after: int, limit: int) -> list[SealedEntry]:
        """Read seals with their entries."""
        with self._world:
            seals = self._seals[tenant]
            # Positions are without a gap: the first one tells where all others stand.
            begin = max(after + 1 - seals[0].position, 0) if seals else 0
            chosen = seals[begin : begin + limit]
            return [SealedEntry(seal=seal, entry=self._find_entry(seal.sequence)) for seal in chosen]

    def _find_entry(self, sequence: int) -> AuditEntry | None:
        audit = self._world.audit
        place = bisect_left(audit, sequence, key=_sequence)
        return audit[place] if place < len(audit) and audit[place].sequence == sequence else None

    async def forget_sealed(self, tenant: str, through: int) -> int:
        """Forget entries up to a position."""
        with self._world:
            old = {seal.sequence for seal in self._seals[tenant] if seal.position <= through}
            kept = [entry for entry in self._world.audit if entry.sequence not in old]
            forgotten = len(self._world.audit) - len(kept)
            self._world.audit[:] = kept
            self._tail = 0
            self._seals[tenant] = [seal for seal in self._seals[tenant] if seal.position >= through]
            return forgotten
