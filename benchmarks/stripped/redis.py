"""Redis without admission: scripts made without the parts that ask whether anything is governed."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

from dibs.backends.redis.wire import scripts

PLAIN_MOVES = ("moves/store", "moves/claim", "moves/complete")
NOTHING_GOVERNED = "local is_governing, is_marked, hooks = false, false, {}"


@cache
def _find_stripped(name: str) -> scripts.Script:
    return _strip(name) if name in PLAIN_MOVES else scripts.find_script(name)


def _strip(name: str) -> scripts.Script:
    texts: dict[str, str] = {}
    for wanted in scripts._read_head(name):
        if not wanted.startswith("?"):
            texts |= {part: scripts._read(part) for part in scripts._list_parts(wanted)}
    if "governed/asking" in texts:
        texts["governed/asking"] = NOTHING_GOVERNED
    return scripts.make_script("\n".join([*texts.values(), scripts._read(name)]))


async def prepare(_url: str) -> None:
    """Nothing is changed in the store itself."""


@contextmanager
def strip() -> Iterator[None]:
    """Take admission out of the scripts of plain moves."""
    with patch("dibs.backends.redis.wire.connections.find_script", _find_stripped):
        yield
