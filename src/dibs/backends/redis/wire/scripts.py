"""The Lua scripts: each put together from the parts it names, once."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha1
from importlib.resources import files

import msgspec

FOLDERS = ("moves", "reading", "leases", "workers", "admission", "sources", "seals", "schedules", "migrations")
_MARK = "--@ "
# A part with this before its name is needed only where something is governed. Every function that a script defines
# costs it some time, what it does not run costs nothing; and the moves of plain jobs have no time to give away.
_ONLY_GOVERNING = "?"


class Script(msgspec.Struct, frozen=True):
    """A script's text, and the digest by which the server knows it."""

    text: str
    digest: str


@cache
def find_script(name: str) -> Script:
    """Read the script `folder/name`. The first line of a script or a part names the parts that come before it."""
    texts: dict[str, str] = {}
    for wanted in _read_head(name):
        known = set(texts)
        parts = {part: _read(part) for part in _list_parts(wanted.removeprefix(_ONLY_GOVERNING)) if part not in known}
        if wanted.startswith(_ONLY_GOVERNING):
            parts = {wanted: "\n".join(["if is_governing then", *parts.values(), "end"])}
        texts |= parts
    return make_script("\n".join([*texts.values(), _read(name)]))


def make_script(text: str) -> Script:
    """Give a text its digest."""
    # Redis names scripts by this digest; nothing is protected by it.
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


def _list_parts(name: str) -> Iterator[str]:
    """Name a part and all that it needs, what is needed before what needs it."""
    path = name if "/" in name else f"parts/{name}"
    for needed in _read_head(path):
        yield from _list_parts(needed)
    yield path


def _read_head(path: str) -> list[str]:
    head = _read(path).partition("\n")[0]
    return head.removeprefix(_MARK).split() if head.startswith(_MARK) else []


@cache
def _read(path: str) -> str:
    return (files("dibs.backends.redis") / "lua" / f"{path}.lua").read_text("utf-8")
