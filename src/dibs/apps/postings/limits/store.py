"""Every statement on caps, and on the runs that they count."""

from datetime import timedelta

from sqlalchemy import RowMapping, delete, select, update

from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.limits.caps import DAY, Cap, CapScope, Recent
from dibs.apps.postings.records import Tracked
from dibs.apps.postings.tables import CAPS, POSTINGS, RUNS
from dibs.storage.transaction import Transaction


async def list_caps(transaction: Transaction, *, is_locked: bool = False) -> list[Cap]:
    """Read all caps. Who counts locks them first, in one order: two claims cannot both be the last that fits."""
    question = select(CAPS).order_by(CAPS.c.scope, CAPS.c.name)
    return [_as_cap(row) for row in await transaction.fetch(question.with_for_update() if is_locked else question)]


async def set_cap(transaction: Transaction, cap: Cap) -> None:
    """Keep a cap in the place of the one that was there; without any limit it is taken away."""
    is_it = (CAPS.c.scope == cap.scope.value) & (CAPS.c.name == cap.name)
    if cap.most_a_day is None and cap.cool_down is None:
        await transaction.change(delete(CAPS).where(is_it))
        return
    seconds = None if cap.cool_down is None else int(cap.cool_down.total_seconds())
    limits = {"most_a_day": cap.most_a_day, "cool_down_seconds": seconds}
    if not await transaction.add_if_new(CAPS, scope=cap.scope.value, name=cap.name, **limits):
        await transaction.change(update(CAPS).where(is_it).values(**limits))


async def list_recent(transaction: Transaction, cap: Cap, tracked: Tracked) -> list[Recent]:
    """Read the runs that count for a cap, the latest first; those at the posting itself do not."""
    span = max(DAY, cap.cool_down or DAY)
    question = (
        select(RUNS.c.run_id, RUNS.c.created_at)
        .select_from(RUNS.join(POSTINGS, POSTINGS.c.id == RUNS.c.posting_id))
        .where(
            RUNS.c.created_at > transaction.now - span,
            RUNS.c.state != RunState.FAILED.value,
            RUNS.c.posting_id != tracked.id,
        )
    )
    if cap.scope is CapScope.BOARD:
        question = question.where(POSTINGS.c.board == tracked.board)
    elif cap.scope is CapScope.COMPANY:
        question = question.where(POSTINGS.c.role.startswith(f"{tracked.company}|", autoescape=True))
    question = question.order_by(RUNS.c.created_at.desc(), RUNS.c.run_id.desc()).limit(cap.most_a_day or 1)
    rows = await transaction.fetch(question)
    return [Recent(run_id=row["run_id"], created_at=row["created_at"]) for row in rows]


def _as_cap(row: RowMapping) -> Cap:
    seconds = row["cool_down_seconds"]
    return Cap(
        scope=CapScope(row["scope"]),
        name=row["name"],
        most_a_day=row["most_a_day"],
        cool_down=None if seconds is None else timedelta(seconds=seconds),
    )
