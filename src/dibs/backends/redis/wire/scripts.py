"""The Lua scripts: each put together from the parts it names, once."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha1
from importlib.resources import files

import msgspec

FOLDERS = ("moves", "reading", "leases", "workers", "admission", "sources", "seals", "migrations")
_MARK = "--@ "


class Script(msgspec.Struct, frozen=True):
    """A script's text, and the digest by which the server knows it."""

    text: str
    digest: str


@cache
def find_script(name: str) -> Script:
    """Read the script `folder/name`. The first line of a script or a part names the parts that come before it."""
    texts = {name: _read(name) for name in _list_parts(name)}
    return make_script("\n".join(texts.values()))


def make_script(text: str) -> Script:
    """Give a text its digest."""
    # Redis names scripts by this digest; nothing is protected by it.
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


def _list_parts(name: str) -> Iterator[str]:
    """Name everything that a script consists of, what is needed before what needs it."""
    head = _read(name).partition("\n")[0]
    if head.startswith(_MARK):
        for part in head.removeprefix(_MARK).split():
            yield from _list_parts(part if "/" in part else f"parts/{part}")
    yield name


@cache
def _read(name: str) -> str:
    return (files("dibs.backends.redis") / "lua" / f"{name}.lua").read_text("utf-8")
