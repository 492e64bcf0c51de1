"""Sealing the audit log behind the writers. Every worker may do it; of two that do, one is too late and looks again."""

from datetime import timedelta

from dibs.engine import events
from dibs.engine.audit.actions import SEALER, AuditAction
from dibs.engine.audit.heads import NotedHeads
from dibs.engine.audit.keys import SealKeys, name_key, name_key_of
from dibs.engine.audit.sealing import NewEntry, Seal, chain
from dibs.engine.loops.chores import Chore
from dibs.engine.loops.leading import Leadership
from dibs.engine.store.backend import Backend
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import BadInput
from dibs.kit.log import get_logger
from dibs.settings import Settings

log = get_logger("dibs.audit")

BATCH = 1_000
# So many are read past those that may not be sealed, to find the others'.
MOST_PASSED = 100_000
LEASE_NAME = "dibs:sealer"


class Sealing(Chore):
    """Seals from time to time, until nothing is left of the tail that it found.

    The lease is only there so that many workers do not compute the same hashes: the store refuses a second seal anyway.
    """

    doing = Doing.SEALING

    def __init__(
        self, backend: Backend, reach: Reach, *, owner: str, interval: timedelta, settings: Settings | None = None
    ) -> None:
        super().__init__(reach, Leadership(backend, LEASE_NAME, owner, 3 * interval), interval)
        settings = settings or Settings()
        self._backend = backend
        self._keys = SealKeys.of(settings)
        self._noted = NotedHeads(settings.audit_heads, self._keys)
        self._refused: set[str] = set()

    async def _do(self) -> int:
        """Seal what is there now. What comes meanwhile is left for the next time: a sealer never chases the writers."""
        sealed, limit = 0, BATCH
        began = await self._backend.reader.now()
        heads = await self._backend.audit.list_heads()
        await self._change_keys(heads)
        while entries := await self._backend.audit.list_unsealed(limit):
            batches = chain(entries, heads, self._keys.current)
            accepted = [seals for seals in batches if await self._seal(seals, heads)]
            self._note([seals[-1] for seals in accepted])
            sealed += sum(len(seals) for seals in accepted)
            refused = [seals for seals in batches if seals[0].tenant in self._refused]
            has_seen_all = len(entries) < limit or entries[-1].at > began or limit >= MOST_PASSED
            if has_seen_all or len(accepted) + len(refused) < len(batches):
                break
            # Theirs stay where they are, before everybody else's.
            limit = min(BATCH + 2 * sum(len(seals) for seals in refused), MOST_PASSED)
            heads = await self._backend.audit.list_heads()
        return sealed

    def _note(self, heads: list[Seal]) -> None:
        try:
            self._noted.note(heads)
        except (OSError, BadInput) as error:
            # They are sealed all the same, and jobs must not stand still for a file: the next time writes it whole.
            log.warning("engine.heads.unwritten", error=str(error))

    async def _seal(self, seals: list[Seal], heads: list[Seal]) -> bool:
        tenant = seals[0].tenant
        fault = self._find_foreign_key(tenant, heads) or await self._noted.find_break(self._backend, tenant)
        if fault is None:
            self._refused.discard(tenant)
            return await self._backend.audit.seal(seals)
        if tenant not in self._refused:
            self._refused.add(tenant)
            self._reach.tell.emit(events.SEALING_REFUSED, tenant=tenant, fault=fault)
        return False

    def _find_foreign_key(self, tenant: str, heads: list[Seal]) -> str | None:
        """Tell whether somebody else's key sealed last: ours behind it would look as if the chain was made anew."""
        theirs = next((name_key_of(head.hash) for head in heads if head.tenant == tenant), "")
        if self._keys.find(theirs) is None or (theirs and not self._keys.current):
            return f"it was sealed with another key ({theirs}) than the one set here."
        return None

    async def _change_keys(self, heads: list[Seal]) -> None:
        """Let a chain go on under the key of now at once: an entry says so, and is the first that it seals."""
        mine = name_key(self._keys.current)
        for head in heads:
            theirs = name_key_of(head.hash)
            if mine not in ("", theirs) and self._keys.find(theirs) is not None:
                facts = {"before": theirs or None, "after": mine}
                subject = f"audit:{head.tenant}"
                action = AuditAction.KEY_CHANGED
                entry = NewEntry(action=action, subject=subject, actor=SEALER, tenant=head.tenant, detail=facts)
                await self._backend.audit.append_own([entry])
