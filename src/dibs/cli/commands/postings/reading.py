"""`dibs postings read`: what a saved payload of a board says."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dibs.cli.exits import Exit
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_instant
from dibs.errors import BadInput, MissingExtra
from dibs.kit.clock import utc_now

if TYPE_CHECKING:
    from dibs.apps.postings.boards.board import Page

LARGEST = 200_000_000
STDIN = "-"

PROVIDERS = "greenhouse, lever, ashby, workable, smartrecruiters, recruitee, personio or workday."
BoardName = Annotated[str, typer.Option("--board", metavar="NAME", help=PROVIDERS)]
File = Annotated[
    str, typer.Argument(metavar="FILE", help="What the board answered, a list or one posting; - for stdin.")
]
Token = Annotated[
    str | None, typer.Option("--token", metavar="TOKEN", help="What the board is called in its address, such as acme.")
]
Company = Annotated[
    str | None, typer.Option("--company", metavar="NAME", help="The company, where the board has no name.")
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="INSTANT", help="When the board was asked, for words such as 3 Days Ago.", show_default="now"
    ),
]


def read_postings(
    file: File, board: BoardName, token: Token = None, company: Company = None, as_of: AsOf = None
) -> int:
    """Print the postings of a saved payload as JSON lines.

    Rows that cannot be read are told on stderr, and the others are printed all the same; if there are no others, the
    exit code is 1.
    """
    page = _read(board, _load(file), token, company, as_of)
    for posting in page.postings:
        from dibs.apps.postings.model import show_posting

        output.show_json(show_posting(posting), is_line=True)
    for fault in page.faults:
        called = "" if fault.external_id is None else f" (id {fault.external_id})"
        where = "" if fault.row is None else f"row {fault.row}{called}: "
        output.tell(f"dibs: {where}{fault.message}.")
    return Exit.NOT_DONE if page.faults and not page.postings else Exit.DONE


def need_crawl() -> None:
    """Say which extra is missing, if it is."""
    try:
        import selectolax  # noqa: F401 - only whether it is there
    except ModuleNotFoundError as cause:
        message = f"{cause.name} is not installed. Run: pip install 'dibs[crawl]'"
        raise MissingExtra(message) from cause


def _read(board: str, payload: bytes, token: str | None, company: str | None, as_of: str | None) -> "Page":
    need_crawl()
    from dibs.apps.postings.boards.board import About
    from dibs.apps.postings.boards.shelf import get_board, read_page

    about = About(now=read_optional_instant(as_of, "--as-of") or utc_now(), token=token, company=company)
    return read_page(get_board(board), payload, about)


def _load(file: str) -> bytes:
    try:
        payload = sys.stdin.buffer.read(LARGEST + 1) if file == STDIN else _load_file(Path(file))
    except OSError as cause:
        message = f"{file}: {cause.strerror or cause}. Name a file that can be read."
        raise BadInput(message) from cause
    if len(payload) > LARGEST:
        message = f"{file} has more than {LARGEST:,} bytes. Save a page of the listing, not all of it."
        raise BadInput(message)
    return payload


def _load_file(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(LARGEST + 1)
