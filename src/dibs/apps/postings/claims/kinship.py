"""Other postings that were applied to and may be the same: by role, which a policy may block, and by their text."""

from collections.abc import Iterable

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.identity import SIMILAR, Ring, share_place, similarity
from dibs.apps.postings.records import Kin, Tracked
from dibs.storage.transaction import Transaction

MOST_KIN = 20
# So many runs are looked through for a similar text, the latest first: some milliseconds.
MOST_COMPARED = 2_000


async def find_role_kin(transaction: Transaction, tracked: Tracked) -> list[Kin]:
    """Find postings of the same role that were applied to, or are being applied to."""
    face = store.face_of(tracked)
    others = await store.list_role(transaction, tracked.role, tracked.id)
    return [
        Kin(
            ring=Ring.ROLE,
            board=one.board,
            job_id=one.external_id,
            run_id=one.applied_run or one.holder,
            is_same_place=share_place(face, store.face_of(one)),
        )
        for one in others
    ]


async def find_text_kin(transaction: Transaction, tracked: Tracked) -> list[Kin]:
    """Find postings with nearly the same text that agents had lately and have not failed at; the most similar first."""
    if not tracked.sketch:
        return []
    own = bytes.fromhex(tracked.sketch)
    found: dict[tuple[str, str], Kin] = {}
    for row in await run_store.list_sketches(transaction, tracked.id, MOST_COMPARED):
        alike = similarity(own, bytes.fromhex(row["sketch"]))
        if alike >= SIMILAR:
            kin = Kin(ring=Ring.TEXT, board=row["board"], job_id=row["external_id"], run_id=row["run_id"])
            found.setdefault((kin.board, kin.job_id), kin.alike(alike))
    return sorted(found.values(), key=lambda kin: -(kin.similarity or 0))


def join_kin(by_role: Iterable[Kin], by_text: Iterable[Kin]) -> tuple[Kin, ...]:
    """Name each posting once, by the surest ring."""
    named: dict[tuple[str, str], Kin] = {}
    for kin in (*by_role, *by_text):
        named.setdefault((kin.board, kin.job_id), kin)
    return tuple(named.values())[:MOST_KIN]
