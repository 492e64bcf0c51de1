"""The posting that a request names by its id on a board, or the error that tells why there is no such one."""

from collections.abc import Sequence
from typing import TypeVar

from dibs.apps.postings import store
from dibs.apps.postings.claims.refusing import Sighted
from dibs.apps.postings.records import Tracked
from dibs.errors import PostingNotFound
from dibs.storage.transaction import Transaction

Named = TypeVar("Named", Tracked, Sighted)


async def get_named(transaction: Transaction, job_id: str, board: str | None, *, is_locked: bool = False) -> Tracked:
    """Read the one posting with an id of a board."""
    found = await store.find_named(transaction, job_id, board, is_locked=is_locked)
    return choose_named(found, job_id, board)


def choose_named(found: Sequence[Named], job_id: str, board: str | None) -> Named:
    """Give the one posting that goes by a name, or say that none or several do."""
    if len(found) == 1:
        return found[0]
    if not found:
        raise tell_missing(job_id, board)
    message = f"posting {job_id!r} is on several boards: {', '.join(one.board for one in found)}. Name one."
    raise PostingNotFound(message)


def tell_missing(job_id: str, board: str | None) -> PostingNotFound:
    """Make the error that tells that there is no such posting."""
    where = "on any board" if board is None else f"on board {board!r}"
    return PostingNotFound(f"there is no posting {job_id!r} {where}. Crawl the board first, or correct the id.")
