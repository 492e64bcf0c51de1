"""Going through a listing page by page, and knowing whether all of it was seen. Pure."""

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings.boards.board import Board, Page, RowFault, Step
from dibs.apps.postings.boards.shelf import join_repeated
from dibs.apps.postings.model import Posting

MOST_PAGES = 500


class Enumeration(Struct, frozen=True, kw_only=True):
    """A listing as far as it was read: what is still to be asked, what was found, and why it may lack something."""

    todo: tuple[Step, ...] = (Step(),)
    pages: int = 0
    postings: tuple[Posting, ...] = ()
    listed_ids: frozenset[str] = frozenset()
    faults: tuple[RowFault, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether what is not in it is not on the board. An empty listing proves nothing: so answers a wrong name."""
        return not self.todo and not self.doubts and bool(self.listed_ids)

    @property
    def next_step(self) -> Step | None:
        """The page to ask for next."""
        return self.todo[0] if self.todo else None


def take_page(listing: Enumeration, board: Board, page: Page) -> Enumeration:
    """Add the page that was asked for next, and plan what follows."""
    step = listing.todo[0]
    ids = _find_ids(page)
    following, doubts = _plan(board, step, page, brings_news=bool(ids - listing.listed_ids))
    todo = (*following, *listing.todo[1:])
    if todo and listing.pages + 1 >= MOST_PAGES:
        todo, doubts = (), [*doubts, f"more than {MOST_PAGES} pages"]
    return Enumeration(
        todo=todo,
        pages=listing.pages + 1,
        postings=tuple(join_repeated(iter((*listing.postings, *page.postings)))),
        listed_ids=listing.listed_ids | ids,
        faults=(*listing.faults, *page.faults),
        doubts=(*listing.doubts, *doubts),
    )


def break_off(listing: Enumeration, reason: str) -> Enumeration:
    """Note that a page did not come: the rest is not asked for, and nothing can be concluded from what is missing."""
    return replace(listing, todo=(), doubts=(*listing.doubts, reason))


def _find_ids(page: Page) -> frozenset[str]:
    seen = {posting.external_id for posting in page.postings}
    return frozenset(seen | {fault.external_id for fault in page.faults if fault.external_id})


def _plan(board: Board, step: Step, page: Page, *, brings_news: bool) -> tuple[list[Step], list[str]]:
    if not page.is_listing:
        return [], [f"an answer that is no listing ({page.faults[0].message})"]
    doubts = [f"row {fault.row} without an id" for fault in page.faults if fault.external_id is None]
    if board.page_size is None:
        return [], doubts + _doubt_total(page.total, page.row_count)
    expected = step.expected if step.offset else page.total
    if (
        board.cap is not None
        and expected is not None
        and expected >= board.cap
        and step.slice is None
        and not step.offset
    ):
        doubts.append(f"the board stops at {board.cap} rows")
        if page.slices:
            return [Step(slice=one) for one in page.slices], doubts
    return _turn(board.page_size, replace(step, expected=expected), page, doubts, brings_news=brings_news)


def _turn(size: int, step: Step, page: Page, doubts: list[str], *, brings_news: bool) -> tuple[list[Step], list[str]]:
    reached = step.offset + page.row_count
    is_more = page.row_count >= size if step.expected is None else reached < step.expected
    if not is_more:
        return [], doubts
    if page.row_count == 0:
        return [], doubts + _doubt_total(step.expected, reached)
    # Slices overlap, and two of them may begin alike.
    if not brings_news and step.offset and step.slice is None:
        return [], [*doubts, f"the page at {step.offset} repeats others"]
    return [replace(step, offset=reached)], doubts


def _doubt_total(total: int | None, count: int) -> list[str]:
    return [f"{count} rows of {total}"] if total is not None and count < total else []
