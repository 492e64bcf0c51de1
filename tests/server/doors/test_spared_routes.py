"""All routes of the server that are called past the framework's search: their handlers are given what it would give."""

import functools
import random
from typing import Any

from fastapi import FastAPI, Request
from httpx import ASGITransport, AsyncClient
from starlette.responses import Response

from dibs.kit.codec import encode_json
from dibs.web.doorkeeping import Doorkeeping
from dibs.web.doors import Door, door, make_router
from dibs.web.sparing import _is_plain

ROUNDS = 6
NOBODY: Any = [None] * 5
ODD: tuple[Any, ...] = (None, True, 0, -1, 2**63, 1.5, 1e300, "", "a", "x" * 300, "2026-01-01T00:00:00Z", [], ["a"], {})
KINDS = ("application/json", "application/json; charset=utf-8", "application/merge-patch+json", "text/plain", None)
NAMES = ("a", "7", "x" * 300, "%2F", "%00", "ä", "a.b", " ")
QUERIES = ("", "", "?", "?tenant=acme", "?limit=x")


def show_instead(endpoint):
    """Make a handler that asks for the same, and answers with what it was given."""

    @functools.wraps(endpoint)
    async def shown(**values: Any) -> Response:
        given = {name: value for name, value in sorted(values.items()) if not isinstance(value, Request)}
        return Response(repr(given))

    return shown


async def admit(request, scope):
    return None


def make_double(routes):
    server = FastAPI()
    server.state.doorkeeping = Doorkeeping(*NOBODY)
    server.state.doorkeeping.admit = admit
    made = make_router("doubles", "")
    for route in routes:
        shown = show_instead(route.endpoint)
        made.add_api_route(route.path, shown, methods=sorted(route.methods), **door(route.scope))
    server.router.routes.extend(made.routes)
    return AsyncClient(transport=ASGITransport(server), base_url="http://x"), made.routes


def make_body(chance: random.Random, route) -> bytes:
    fields = route.dependant.body_params
    if not fields:
        return b""
    kind = fields[0].field_info.annotation
    known: Any = getattr(kind, "model_fields", {})
    examples = getattr(kind, "model_config", {}).get("json_schema_extra", {}).get("examples", [{}])
    body = dict(chance.choice(examples))
    for name in chance.sample([*known, "unknown"], k=min(len(known) + 1, chance.choice((0, 0, 1, 2)))):
        body[name] = chance.choice(ODD)
    written = encode_json(body, limit=10**6, what="body")
    return chance.choice((written, written, written, written, written[:-1], b"", b"null", b"[1]", b"\xff"))


async def test_handlers_of_all_spared_routes_are_given_what_the_framework_gives(server, monkeypatch):
    routes = [route for route in server.routes if isinstance(route, Door) and _is_plain(route)]
    spared, made = make_double(routes)
    assert all(map(_is_plain, made))
    monkeypatch.setattr("dibs.web.doors.spare_search", lambda _route, handle: handle)
    usual, _ = make_double(routes)
    chance, statuses = random.Random(7), set()
    async with spared, usual:
        for route in routes * ROUNDS:
            path = route.path_format
            for field in route.dependant.path_params:
                path = path.replace(f"{{{field.alias}}}", chance.choice(NAMES))
            media_type = chance.choice((*KINDS[:1] * 4, *KINDS))
            asked: dict[str, Any] = {
                "method": min(route.methods or ()),
                "url": path + chance.choice(QUERIES),
                "content": make_body(chance, route),
                "headers": {} if media_type is None else {"content-type": media_type},
            }
            told = [await client.request(**asked) for client in (spared, usual)]
            assert (told[0].status_code, told[0].text) == (told[1].status_code, told[1].text), asked
            statuses.add(told[0].status_code)
    assert {200, 422} <= statuses
