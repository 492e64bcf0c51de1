"""Other postings that were applied to and may be the same: by role, which a policy may block, and by their text."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace
from sqlalchemy import RowMapping

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.identity import SIMILAR, Ring, locate, share_place, similarity
from dibs.apps.postings.records import Kin, Tracked
from dibs.storage.transaction import Transaction

MOST_KIN = 20
# So many runs are looked through for a similar text, the latest first: some milliseconds.
MOST_COMPARED = 2_000
_Drawn = Sequence[tuple[bytes, RowMapping]]


async def find_role_kin(transaction: Transaction, tracked: Tracked) -> list[Kin]:
    """Find postings of the same role that were applied to, or are being applied to."""
    return _as_role_kin(tracked, await store.list_role(transaction, tracked.role, tracked.id))


def _as_role_kin(tracked: Tracked, others: Iterable[Tracked]) -> list[Kin]:
    where = locate(tracked.posting)
    return [
        Kin(
            ring=Ring.ROLE,
            board=one.board,
            job_id=one.external_id,
            run_id=one.applied_run or one.holder,
            is_same_place=share_place(where, locate(one.posting)),
        )
        for one in others
    ]


async def find_text_kin(transaction: Transaction, tracked: Tracked) -> list[Kin]:
    """Find postings with nearly the same text that agents had lately and have not failed at; the most similar first."""
    if not tracked.sketch:
        return []
    return _as_text_kin(tracked, _draw(await run_store.list_sketches(transaction, MOST_COMPARED, but_not=tracked.id)))


def _draw(rows: Iterable[RowMapping]) -> _Drawn:
    return [(bytes.fromhex(row["sketch"]), row) for row in rows]


def _as_text_kin(tracked: Tracked, drawn: _Drawn) -> list[Kin]:
    own = bytes.fromhex(tracked.sketch)
    found: dict[tuple[str, str], Kin] = {}
    for sketch, row in drawn:
        alike = similarity(own, sketch)
        if alike >= SIMILAR and row["posting_id"] != tracked.id:
            kin = Kin(ring=Ring.TEXT, board=row["board"], job_id=row["external_id"], run_id=row["run_id"])
            found.setdefault((kin.board, kin.job_id), kin.alike(alike))
    return sorted(found.values(), key=lambda kin: -(kin.similarity or 0))


async def find_all_kin(transaction: Transaction, postings: Sequence[Tracked]) -> dict[str, tuple[Kin, ...]]:
    """Find the kin of several postings, by their ids."""
    by_role = await _find_all_role_kin(transaction, postings)
    rows = await run_store.list_sketches(transaction, MOST_COMPARED) if any(one.sketch for one in postings) else []
    drawn, found = _draw(rows), {}
    for one in postings:
        found[one.id] = join_kin(by_role[one.id], _as_text_kin(one, drawn) if one.sketch else ())
        if one.sketch and drawn:
            # Comparing takes a millisecond or two; others have their turn in between.
            await asyncio.sleep(0)
    return found


async def _find_all_role_kin(transaction: Transaction, postings: Sequence[Tracked]) -> dict[str, list[Kin]]:
    roles = {one.role for one in postings if one.role}
    most = MOST_KIN * (len(roles) + 1)
    others = await store.list_roles(transaction, roles, most)
    if len(others) == most:
        # One role may have left no room for another.
        return {one.id: await find_role_kin(transaction, one) for one in postings}
    by_role = defaultdict(list)
    for other in others:
        by_role[other.role].append(other)
    akin = {one.id: [other for other in by_role[one.role] if other.id != one.id] for one in postings}
    return {one.id: _as_role_kin(one, akin[one.id][:MOST_KIN]) for one in postings}


def find_near(tracked: Tracked, others: Iterable[tuple[Tracked, str]]) -> tuple[Kin, ...]:
    """Find the kin of a posting among others that are claimed at the same moment, each with its run."""
    near = []
    for other, run_id in others:
        if tracked.role and other.role == tracked.role:
            near += _as_role_kin(tracked, [replace(other, holder=run_id)])
        elif tracked.sketch and other.sketch:
            alike = similarity(bytes.fromhex(tracked.sketch), bytes.fromhex(other.sketch))
            kin = Kin(ring=Ring.TEXT, board=other.board, job_id=other.external_id, run_id=run_id)
            near += [kin.alike(alike)] if alike >= SIMILAR else []
    return tuple(near)


def join_kin(by_role: Iterable[Kin], by_text: Iterable[Kin]) -> tuple[Kin, ...]:
    """Name each posting once, by the surest ring."""
    named: dict[tuple[str, str], Kin] = {}
    for kin in (*by_role, *by_text):
        named.setdefault((kin.board, kin.job_id), kin)
    return tuple(named.values())[:MOST_KIN]
