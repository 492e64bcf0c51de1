"""Small bodies of strings, as JSON or as a form of a page; and where a form leads next."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from dibs.errors import RequestRefused

MOST_FIELDS = 20
LONGEST_FIELD = 2_000
# A letter takes twelve bytes of a form at the most. Strangers send these: percent signs take eighty times themselves.
MOST_BYTES = MOST_FIELDS * LONGEST_FIELD * 12
# One slash, and no second one of either kind: browsers take // and /\ for the name of another host.
_LOCAL = re.compile(r"/(?![/\\])[\x21-\x7e]{0,500}")
_FORM = "application/x-www-form-urlencoded"


def is_form(request: Request) -> bool:
    """Whether a page's form was sent: then a page is the answer."""
    return _find_type(request) == _FORM


async def read_fields(request: Request, *names: str) -> dict[str, str]:
    """Read the fields that must be there; others are left alone."""
    body = await request.body()
    if len(body) > MOST_BYTES:
        message = f"the body is over the limit of {MOST_BYTES} bytes. Send {', '.join(names)}, and nothing else."
        raise RequestRefused(message, code="body_too_large")
    given = _read_form(body) if is_form(request) else _read_json(body, _find_type(request))
    for name in names:
        if not isinstance(given.get(name), str) or not 0 < len(given[name]) <= LONGEST_FIELD:
            message = f"{name} is missing or too long. Send {', '.join(names)}, as JSON or as a form."
            raise RequestRefused(message, code="bad_field", field=name)
    return {name: value for name, value in given.items() if isinstance(value, str)}


def lead_to(path: str | None, **query: str) -> Response:
    """Lead a browser to another page of ours, and nowhere else."""
    is_local = path is not None and _LOCAL.fullmatch(path)
    place = path if path is not None and is_local else "/"
    return Response(status_code=303, headers={"Location": f"{place}?{urlencode(query)}" if query else place})


def _find_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _read_form(body: bytes) -> dict[str, Any]:
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as cause:
        raise _unreadable() from cause


def _read_json(body: bytes, kind: str) -> dict[str, Any]:
    if kind != "application/json":
        raise _unreadable()
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, ValueError) as cause:
        raise _unreadable() from cause


def _unreadable() -> RequestRefused:
    message = f"the body is neither a JSON object nor a form. Send application/json or {_FORM}, in UTF-8."
    return RequestRefused(message, code="body_not_json")
