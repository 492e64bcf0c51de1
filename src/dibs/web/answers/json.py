"""Answers in JSON, and the versions that they carry."""

import re
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from starlette.responses import Response

from dibs.errors import RecordMoved, RequestRefused

_encode = msgspec.json.Encoder(decimal_format="number").encode
Record = TypeVar("Record")
_ETAG = re.compile(r'"v([1-9][0-9]{0,15})"')


class UnkeptResponse(Response):
    """An answer that is kept nowhere, as it holds too much: under the same idempotency key it is made anew.

    So only for what changes nothing. Nobody gets it whose key has ended while it was made.
    """


def answer(value: Any, status: int = 200, *, version: int | str | None = None, location: str | None = None) -> Response:
    """Answer with a value; with the version of a record, so that the caller can say later which one they meant."""
    headers = {}
    if version is not None:
        headers["ETag"] = show_etag(version)
    if location is not None:
        headers["Location"] = location
    return Response(_encode(value), status, headers, "application/json")


def show_etag(version: int | str) -> str:
    """Write a version as an entity tag."""
    return f'"{version}"' if isinstance(version, str) else f'"v{version}"'


def make_version(record: Any) -> str:
    """Make the version of what is not numbered: another one as soon as it says something else."""
    return blake2b(_encode(record), digest_size=8).hexdigest()


def check_match(if_match: str, record: Record | None, what: str) -> Record:
    """Refuse a change that is meant for another version than that of this record, or for one that is gone."""
    meant = {tag.strip() for tag in if_match.split(",")}
    if record is None or not meant & {"*", show_etag(make_version(record))}:
        raise RecordMoved(what)
    return record


def read_if_match(text: str | None) -> int | None:
    """Read which version a change is meant for; None: whichever there is."""
    if text is None or text.strip() == "*":
        return None
    found = _ETAG.fullmatch(text.strip())
    if found is None:
        message = (
            f'If-Match {text[:80]!r} is not the ETag of a record. Send the ETag that reading it gave, such as "v3".'
        )
        raise RequestRefused(message, code="bad_header", field="If-Match")
    return int(found[1])
