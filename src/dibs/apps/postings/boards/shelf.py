"""Which boards there are, and how a payload of any of them is read."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from dibs.apps.postings.boards.ashby import Ashby
from dibs.apps.postings.boards.board import About, Board, Page, RowFault
from dibs.apps.postings.boards.greenhouse import Greenhouse
from dibs.apps.postings.boards.lever import Lever
from dibs.apps.postings.boards.personio import Personio
from dibs.apps.postings.boards.recruitee import Recruitee
from dibs.apps.postings.boards.smartrecruiters import SmartRecruiters
from dibs.apps.postings.boards.workable import Workable
from dibs.apps.postings.boards.workday import Workday
from dibs.apps.postings.model import Posting
from dibs.apps.postings.reading.places import gather_places
from dibs.errors import BadInput

_ALL: tuple[Board, ...] = (
    Greenhouse(),
    Lever(),
    Ashby(),
    Workable(),
    SmartRecruiters(),
    Recruitee(),
    Personio(),
    Workday(),
)
BOARDS: dict[str, Board] = {board.name: board for board in _ALL}
LONGEST_ID = 200
# What is no object, in the words of JSON.
_KINDS = {str: "a text", bool: "a truth value", type(None): "null", list: "a list"}


def get_board(name: str) -> Board:
    """Give the adapter of a board."""
    board = BOARDS.get(name.lower())
    if board is None:
        message = f"there is no adapter for {name[:80]!r}. There are: {', '.join(BOARDS)}."
        raise BadInput(message)
    return board


def read_page(board: Board, payload: bytes, about: About) -> Page:
    """Read what a board answered. A row that cannot be read gives a fault, and the others go on."""
    try:
        found = board.find_rows(board.decode(payload))
    except ValueError as error:
        return Page(
            faults=(RowFault(row=None, message=f"the payload cannot be read: {error}"[:500]),), is_listing=False
        )
    if found is None:
        message = f"the payload is no answer of {board.name}: it has neither its list nor one of its postings"
        return Page(faults=(RowFault(row=None, message=message),), is_listing=False)
    about = replace(about, company=about.company or found.company)
    read = [_read_row(board, number, row, about) for number, row in enumerate(found.rows)]
    return Page(
        postings=tuple(join_repeated(one for one in read if isinstance(one, Posting))),
        faults=tuple(one for one in read if isinstance(one, RowFault)),
        row_count=len(found.rows),
        total=found.total,
        slices=found.slices,
    )


def _read_row(board: Board, number: int, row: Any, about: About) -> Posting | RowFault | None:
    if not isinstance(row, dict):
        return RowFault(row=number, message=f"the row is {_KINDS.get(type(row), 'a number')}, not an object")
    external_id = board.identify(row)
    if external_id is None or len(external_id) > LONGEST_ID:
        return RowFault(row=number, message="the row has no id")
    if board.find_title(row) is None:
        return RowFault(row=number, message="the row has no title", external_id=external_id)
    try:
        return board.read_row(row, about)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # No reader raises on what we know of; what a board thinks of next must not cost the other rows.
        message = f"the row could not be read ({type(error).__name__}: {error})"[:500]
        return RowFault(row=number, message=message, external_id=external_id)


def join_repeated(postings: Iterator[Posting]) -> list[Posting]:
    """Make one posting of rows with the same id: some boards repeat a posting for each of its places."""
    kept: dict[str, Posting] = {}
    for posting in postings:
        other = kept.get(posting.external_id)
        if other is None:
            kept[posting.external_id] = posting
        else:
            kept[posting.external_id] = replace(other, places=gather_places([*other.places, *posting.places]))
    return list(kept.values())


def add_detail(posting: Posting, detail: Posting) -> Posting:
    """Complete what the listing said by what the detail says; the id stays the listing's."""
    told = {
        name: value
        for name in Posting.__struct_fields__
        if name not in ("external_id", "detail_path") and (value := getattr(detail, name)) not in (None, "", ())
    }
    return replace(posting, **told)


def keep_told(posting: Posting, old: Posting) -> Posting:
    """Complete what a listing says by what was known before; a field for pay is surer than words about it."""
    structured = [one.pay for one in (posting, old) if one.pay is not None and one.pay.is_structured]
    return replace(
        add_detail(old, posting),
        pay=next(iter(structured), posting.pay or old.pay),
        detail_path=posting.detail_path,
    )
