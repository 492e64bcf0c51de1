"""What an adapter is: how to ask a board, and how to read what it answers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct, field

from dibs.apps.postings.model import Posting

JSON_HEADERS = {"accept": "application/json"}


class BoardRequest(Struct, frozen=True, kw_only=True):
    """A request to a board."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON_HEADERS))
    body: bytes = b""


class Step(Struct, frozen=True, kw_only=True):
    """One page of a listing: from which row on, of which slice, and how many rows the first page promised."""

    offset: int = 0
    slice: tuple[str, str] | None = None
    expected: int | None = None


class Rows(Struct, frozen=True, kw_only=True):
    """The rows of a payload. `total`: how many the board says there are; `slices`: ways to divide a long listing."""

    rows: list[Any]
    total: int | None = None
    slices: tuple[tuple[str, str], ...] = ()
    company: str | None = None


class About(Struct, frozen=True, kw_only=True):
    """What is known besides the payload: whose board it is, and when it was asked."""

    now: datetime
    token: str | None = None
    company: str | None = None

    def name_company(self, *candidates: str | None) -> str | None:
        """Give the first name that the board itself says, else the one we call it by."""
        return next((name for name in (*candidates, self.company, self._name_token()) if name), None)

    def _name_token(self) -> str | None:
        """Give the part of a token that names the company: `acme` of `eu/acme` and of `acme.wd5/External`."""
        host, mark, site = (self.token or "").partition("/")
        return self.token if not mark else host.partition(".")[0] if "." in host else site


class RowFault(Struct, frozen=True, kw_only=True):
    """A row that could not be read, and why; `external_id` is None when not even that could be.

    Rows are counted from 0, as in the payload; None: it is the payload as a whole.
    """

    row: int | None
    message: str
    external_id: str | None = None


class Page(Struct, frozen=True, kw_only=True):
    """What one payload says. `is_listing`: it has the form of this board's listings at all."""

    postings: tuple[Posting, ...] = ()
    faults: tuple[RowFault, ...] = ()
    row_count: int = 0
    total: int | None = None
    slices: tuple[tuple[str, str], ...] = ()
    is_listing: bool = True


class Board(Protocol):
    """An adapter. It opens nothing; nothing in it raises on odd payloads."""

    @property
    def name(self) -> str:
        """What the board is called."""

    @property
    def page_size(self) -> int | None:
        """How many rows a page has; None: everything comes at once."""

    @property
    def cap(self) -> int | None:
        """At how many rows the board stops, whatever there is."""

    @property
    def has_details(self) -> bool:
        """Whether the listing lacks the text, pay or questions, so that each posting must be asked for."""

    def ask_page(self, token: str, step: Step) -> BoardRequest:
        """Ask for a page of the listing."""

    def ask_detail(self, token: str, posting: Posting) -> BoardRequest | None:
        """Ask for all that the board tells about one posting; None: the listing tells it."""

    def decode(self, payload: bytes) -> Any:
        """Read the bytes; raises ValueError."""

    def find_rows(self, document: Any) -> Rows | None:
        """Find the rows of a listing, or the one row of a detail; None: it is neither."""

    def identify(self, row: dict[str, Any]) -> str | None:
        """Find the id of a row."""

    def read_row(self, row: dict[str, Any], about: About) -> Posting | None:
        """Read a row that has an id and a title; None: the board does not list it."""

    def find_title(self, row: dict[str, Any]) -> str | None:
        """Find the title of a row."""
