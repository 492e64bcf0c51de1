"""Giving out and forgetting what is held about a person, over everything that holds something."""

from collections.abc import Sequence

import msgspec

from dibs.engine.audit.sealing import NewEntry
from dibs.engine.personal.holding import Held, Holding
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.errors import BadInput
from dibs.kit.ids import new_id

EXPORTED, ERASED = "PERSON_EXPORTED", "PERSON_ERASED"
MOST_ROUNDS = 5


class Erasure(msgspec.Struct, frozen=True, kw_only=True):
    """What became of it. `id` stands in the audit log, without a word about who it was."""

    id: str
    counts: dict[str, int]
    kept: tuple[str, ...]
    left: int


async def trace_person(holdings: Sequence[Holding], inquiry: Inquiry) -> Inquiry:
    """Find all references to a person: one leads to the next, a mail's address to a job, the job to a document."""
    for _ in range(MOST_ROUNDS):
        further = {reference for holding in holdings for reference in await holding.trace(inquiry)}
        if further <= set(inquiry.references):
            break
        inquiry = inquiry.widen(further)
    return inquiry


async def find_person(holdings: Sequence[Holding], inquiry: Inquiry) -> dict[str, list[Held]]:
    """Read all that is held, by who holds it."""
    traced = await trace_person(holdings, inquiry)
    return {holding.name: await holding.find(traced) for holding in holdings}


async def export_person(
    holdings: Sequence[Holding], inquiry: Inquiry, act: OperatorAct, backend: Backend
) -> dict[str, list[Held]]:
    """Read all that is held, to be given out; the audit log says so."""
    _check_reason(inquiry, act)
    found = await find_person(holdings, inquiry)
    await note_act(backend, EXPORTED, inquiry.tenant, act, new_id(), count_held(found))
    return found


def count_held(found: dict[str, list[Held]]) -> dict[str, int]:
    """Count what was found, by who holds it."""
    return {name: len(held) for name, held in found.items()}


async def erase_person(holdings: Sequence[Holding], inquiry: Inquiry, act: OperatorAct, backend: Backend) -> Erasure:
    """Forget all that is held. Who dies on the way does it again: what leads to other things is forgotten last.

    `holdings` are in that order. Another round looks for what came meanwhile.
    """
    _check_reason(inquiry, act)
    traced = await trace_person(holdings, inquiry)
    counts = {holding.name: 0 for holding in holdings}
    kept: dict[str, None] = {}
    for _ in range(MOST_ROUNDS):
        before = sum(counts.values())
        for holding in holdings:
            erased = await holding.erase(traced, act)
            counts[holding.name] += erased.count
            kept |= dict.fromkeys(erased.kept)
        if sum(counts.values()) == before:
            break
    left = sum([len(await holding.find(traced)) for holding in holdings])
    erasure = Erasure(id=new_id(), counts=counts, kept=tuple(kept), left=left)
    await note_act(backend, ERASED, inquiry.tenant, act, erasure.id, counts)
    return erasure


def _check_reason(inquiry: Inquiry, act: OperatorAct) -> None:
    if inquiry.names(act.reason):
        raise BadInput("the reason names the person, and would stay in the audit log. Say why without naming them.")


async def note_act(
    backend: Backend, action: str, tenant: str, act: OperatorAct, act_id: str, counts: dict[str, int]
) -> None:
    """Say in the audit log that it was done, by whom and why; not to whom."""
    entry = NewEntry(
        action=action,
        subject=f"person:{act_id}",
        actor=act.actor,
        tenant=tenant,
        reason=act.reason,
        detail={"counts": counts},
    )
    await backend.audit.append([entry])
