"""The Lua scripts: each put together from the parts it names, once."""

from functools import cache
from hashlib import sha1
from importlib.resources import files

import msgspec

FOLDERS = ("moves", "reading", "leases", "workers", "migrations")
_MARK = "--@ "


class Script(msgspec.Struct, frozen=True):
    """A script's text, and the digest by which the server knows it."""

    text: str
    digest: str


@cache
def find_script(name: str) -> Script:
    """Read the script `folder/name`. Its first line names the parts that come before it."""
    folder, _, base = name.partition("/")
    body = _read(folder, base)
    parts = body.partition("\n")[0].removeprefix(_MARK).split()
    return make_script("\n".join([*(_read("parts", part) for part in parts), body]))


def make_script(text: str) -> Script:
    """Give a text its digest."""
    # Redis names scripts by this digest; nothing is protected by it.
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


@cache
def _read(folder: str, base: str) -> str:
    return (files("dibs.backends.redis") / "lua" / folder / f"{base}.lua").read_text("utf-8")
