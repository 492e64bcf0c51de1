"""Writing anew what another key wrote: in jobs, schedules, and whatever else an installation holds."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from msgspec.structs import replace

from dibs.engine.audit.actions import ALL_TENANTS, EncryptionAction
from dibs.engine.audit.sealing import NewEntry
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.kit.encryption.renewed import Tally

# Who writes meanwhile may still have the old key in front: what it wrote is found by another look.
MOST_LOOKS = 5
SUBJECT = "encryption"


@runtime_checkable
class Renewable(Protocol):
    """Holds something that is encrypted, beside jobs."""

    name: str

    async def renew(self, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Write anew what the first key has not written, once."""


async def renew_everything(
    backend: Backend, holdings: Sequence[object], act: OperatorAct, *, tenant: str | None = None, is_dry: bool = False
) -> dict[str, Tally]:
    """Look through all that is kept until there is nothing left to write anew, and tell by what was found."""
    tallies = {"jobs": await _renew_jobs(backend, tenant, is_dry=is_dry)}
    if backend.renewal is not None:
        tallies["schedules"] = await backend.renewal.renew_schedules(act, tenant=tenant, is_dry=is_dry)
    for holding in holdings:
        if isinstance(holding, Renewable):
            tallies[holding.name] = await holding.renew(tenant=tenant, is_dry=is_dry)
    if not is_dry:
        await _note(backend, act, tenant, tallies)
    return tallies


async def _renew_jobs(backend: Backend, tenant: str | None, *, is_dry: bool) -> Tally:
    renewed, first, last = 0, None, Tally()
    for _ in range(1 if is_dry else MOST_LOOKS):
        last = Tally()
        if backend.renewal is not None:
            async for page in backend.renewal.renew_jobs(tenant=tenant, is_dry=is_dry):
                last.add(page)
        first, renewed = first or last, renewed + last.renewed
        if not last.renewed:
            break
    # What was written anew stands as it should in the last look: counted there, it would be counted twice.
    return replace(last, renewed=renewed, current=last.current if first is None else first.current)


async def _note(backend: Backend, act: OperatorAct, tenant: str | None, tallies: dict[str, Tally]) -> None:
    detail = {name: {"renewed": tally.renewed, "unreadable": tally.unreadable} for name, tally in tallies.items()}
    entry = NewEntry(
        action=EncryptionAction.RENEWED,
        subject=SUBJECT,
        actor=act.actor,
        tenant=ALL_TENANTS if tenant is None else tenant,
        reason=act.reason,
        detail=detail,
    )
    await backend.audit.append_own([entry])
