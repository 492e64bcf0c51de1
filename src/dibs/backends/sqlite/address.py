"""Reading the URL of a SQLite store."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, unquote

import msgspec

from dibs.errors import BadInput
from dibs.kit.links import show_url, split_url

_EXAMPLE = "Use sqlite:///relative.db or sqlite:////absolute/path.db."
_SYNCHRONOUS = ("full", "normal")


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Which file, and how to treat it."""

    path: str
    synchronous: str = "full"
    busy_timeout: timedelta = timedelta(seconds=30)


def parse_url(url: str) -> Address:
    """Read a URL such as `sqlite:///jobs.db?synchronous=normal&busy_timeout=10`."""
    parts = split_url(url)
    path = unquote(parts.path)[1:]
    if parts.netloc or not path or path == ":memory:" or "\0" in path:
        message = f"{show_url(url)!r} names no file. {_EXAMPLE} For jobs in memory, use memory://."
        raise BadInput(message)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    address = Address(
        path=str(Path(path).resolve()),
        synchronous=_read_synchronous(options.pop("synchronous", "full")),
        busy_timeout=_read_seconds(options.pop("busy_timeout", "30")),
    )
    if options:
        message = f"unknown option {min(options)!r} in {show_url(url)!r}. There are synchronous and busy_timeout."
        raise BadInput(message)
    return address


def _read_synchronous(text: str) -> str:
    if text not in _SYNCHRONOUS:
        message = f"synchronous={text!r} does not exist. Use full (every commit survives a power cut) or normal."
        raise BadInput(message)
    return text


def _read_seconds(text: str) -> timedelta:
    try:
        span = timedelta(seconds=float(text))
    except (ValueError, OverflowError):
        span = timedelta(-1)
    if span <= timedelta(0):
        message = f"busy_timeout={text!r} is not a positive number of seconds."
        raise BadInput(message)
    return span
