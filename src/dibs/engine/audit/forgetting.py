"""Forgetting old entries of the audit log, with a word about it that stays."""

from datetime import datetime, timedelta

from dibs.engine.audit.sealing import NewEntry
from dibs.engine.audit.verifying import FORGOTTEN
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct


async def forget_entries(backend: Backend, tenant: str, older_than: timedelta, act: OperatorAct) -> int:
    """Forget a tenant's old sealed entries; tells how many. The chain goes on behind them."""
    through = await _find_cut(backend, tenant, await backend.reader.now() - older_than)
    if not through:
        return 0
    note = NewEntry(
        tenant=tenant,
        actor=act.actor,
        action=FORGOTTEN,
        subject=f"audit:{tenant}",
        reason=act.reason,
        detail={"through": through},
    )
    # First the word, then the deed: entries must not be gone without anybody saying so.
    await backend.audit.append_own([note])
    return await backend.audit.forget_sealed(tenant, through)


async def _find_cut(backend: Backend, tenant: str, horizon: datetime) -> int:
    through = position = 0
    while page := await backend.audit.list_sealed(tenant, position):
        position = page[-1].seal.position
        for one in page:
            # Where the log was cut before, a seal stands without its entry.
            if one.entry is None:
                continue
            if one.entry.at >= horizon:
                return through
            through = one.seal.position
    return through
