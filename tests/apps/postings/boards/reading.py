"""Reading payloads in tests."""

import json
from datetime import UTC, datetime
from typing import Any

from dibs.apps.postings.boards.board import About
from dibs.apps.postings.boards.shelf import get_board, read_page

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


def read(board: str, payload: Any, **known: Any) -> Any:
    """Read a payload as of a fixed day."""
    encoded = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return read_page(get_board(board), encoded, About(now=NOW, **known))


def read_one(board: str, payload: Any, **known: Any) -> Any:
    """Read a payload whose first posting is meant."""
    page = read(board, payload, **known)
    assert page.faults == ()
    return page.postings[0]
