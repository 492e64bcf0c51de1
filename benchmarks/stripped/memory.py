"""Memory without admission: every lane is plain, every claim takes the most urgent, no end frees anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from dibs.backends.memory.books import Books
from dibs.backends.memory.lines import Lines
from dibs.backends.memory.world import World
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest


def _take(self: Lines, request: ClaimRequest, _may_run: Any) -> Iterator[Job]:
    wanted = [line for lane, line in self._lanes.items() if request.job_types is None or lane[1] in request.job_types]
    return self._take_plain(wanted, request)


async def prepare(_url: str) -> None:
    """Nothing is changed in the store itself."""


@contextmanager
def strip() -> Iterator[None]:
    """Take admission out."""
    with (
        patch.object(Lines, "take", _take),
        patch.object(Books, "is_governed", lambda _self, _job: False),
        patch.object(Books, "take", lambda _self, _job: None),
        patch.object(World, "_free", lambda _self, _job: None),
    ):
        yield
