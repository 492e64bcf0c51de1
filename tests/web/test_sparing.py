"""Handlers that are called past the framework's search for parameters: they see what they would have seen."""

from typing import Annotated, Any

import pytest
from fastapi import Body, Depends, FastAPI, Form, Header, Path, Query, Request
from fastapi.routing import APIRoute
from httpx import ASGITransport, AsyncClient
from pydantic import BaseModel, Field
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.web.doorkeeping import Doorkeeping
from dibs.web.doors import door, make_router
from dibs.web.sparing import _is_plain

NOBODY: Any = [None] * 5


class Thing(BaseModel):
    name: str = Field(min_length=1)
    size: int = 1


async def by_request(
    request: Request, tenant: str | None = None, most: Annotated[int | None, Query(le=9)] = None
) -> Response:
    return Response(f"{tenant} {most}")


async def by_name(request: Request, name: Annotated[str, Path(max_length=5)]) -> Response:
    return Response(name)


async def by_body(request: Request, body: Thing, tenant: str | None = None) -> Response:
    return Response(f"{body.name} {body.size} {tenant}")


async def by_name_and_body(request: Request, name: Annotated[int, Path()], body: Thing) -> Response:
    return Response(f"{name!r} {body!r}")


async def with_default(request: Request, limit: int = 5) -> Response:
    return Response(str(limit))


async def with_embedded(request: Request, body: Annotated[Thing, Body(embed=True)]) -> Response:
    return Response(body.name)


async def with_two_bodies(request: Request, body: Thing, other: Thing) -> Response:
    return Response(body.name + other.name)


async def with_form(request: Request, name: Annotated[str, Form()]) -> Response:
    return Response(name)


async def with_header(request: Request, if_match: Annotated[str | None, Header()] = None) -> Response:
    return Response(if_match)


async def with_dependency(request: Request, found: Annotated[str, Depends(lambda: "found")]) -> Response:
    return Response(found)


async def with_required(request: Request, limit: int) -> Response:
    return Response(str(limit))


async def with_shape(request: Request) -> dict:
    return {}


async def without_request(tenant: str | None = None) -> Response:
    return Response(tenant)


OTHERS = (
    with_default,
    with_embedded,
    with_two_bodies,
    with_form,
    with_header,
    with_dependency,
    with_required,
    with_shape,
    without_request,
)


def find_plain(path, endpoint, **more):
    made = make_router("others", "/api/v1")
    made.post(path, **door(Scope.JOBS_READ), **more)(endpoint)
    return [_is_plain(route) for route in made.routes if isinstance(route, APIRoute)]


@pytest.mark.parametrize("endpoint", [by_request, by_name, by_body, by_name_and_body])
def test_a_request_with_a_path_and_one_body_is_plain(endpoint):
    assert find_plain("/things/{name}" if "name" in endpoint.__name__ else "/things", endpoint) == [True]


@pytest.mark.parametrize("other", OTHERS)
def test_whoever_asks_for_more_is_found_it_by_the_framework(other):
    assert find_plain("/things", other) == [False]


def test_what_a_route_asks_for_beside_its_handler_is_not_passed_by():
    assert find_plain("/things", by_request, dependencies=[Depends(lambda: None)]) == [False]


def make_client(*, is_spared, monkeypatch):
    if not is_spared:
        monkeypatch.setattr("dibs.web.doors.spare_search", lambda _route, handle: handle)
    server = FastAPI()
    server.state.doorkeeping = Doorkeeping(*NOBODY)
    server.state.doorkeeping.admit = admit
    made = make_router("others", "/api/v1")
    made.get("/things", **door(Scope.JOBS_READ))(by_request)
    made.get("/things/{name}", **door(Scope.JOBS_READ))(by_name)
    made.post("/things", **door(Scope.JOBS_READ))(by_body)
    made.put("/things/{name}", **door(Scope.JOBS_READ))(by_name_and_body)
    server.router.routes.extend(made.routes)
    return AsyncClient(transport=ASGITransport(server), base_url="http://x")


async def admit(request, scope):
    return None


JSON = {"content-type": "application/json"}
PLAIN = {"content-type": "text/plain"}
CHARSET = {"content-type": "application/json; charset=utf-8"}
ASKED = [
    ("GET", "/things", {}, b"", 200),
    ("GET", "/things?tenant=a&most=3", {}, b"", 200),
    ("GET", "/things?most=10", {}, b"", 422),
    ("GET", "/things?most=", {}, b"", 422),
    ("GET", "/things/short", {}, b"", 200),
    ("GET", "/things/toolong", {}, b"", 422),
    ("POST", "/things", JSON, b'{"name": "a", "size": "3"}', 200),
    ("POST", "/things", CHARSET, b'{"name": "a"}', 200),
    ("POST", "/things?tenant=t", JSON, b'{"name": "a"}', 200),
    ("POST", "/things", JSON, b'{"name": "", "size": "x"}', 422),
    ("POST", "/things", JSON, b"[1]", 422),
    ("POST", "/things", JSON, b"null", 422),
    ("POST", "/things", JSON, b'{"name": ', 422),
    ("POST", "/things", JSON, b'{"name": "\xff"}', 400),
    ("POST", "/things", JSON, b"", 422),
    ("POST", "/things", PLAIN, b'{"name": "a"}', 422),
    ("POST", "/things", {}, b'{"name": "a"}', 422),
    ("PUT", "/things/7", JSON, b'{"name": "a"}', 200),
    ("PUT", "/things/x", JSON, b'{"name": ""}', 422),
]


@pytest.mark.parametrize(("method", "path", "headers", "body", "status"), ASKED)
async def test_the_same_is_found_and_refused_as_by_the_framework(method, path, headers, body, status, monkeypatch):
    told = []
    for is_spared in (True, False):
        async with make_client(is_spared=is_spared, monkeypatch=monkeypatch) as client:
            answer = await client.request(method, f"/api/v1{path}", headers=headers, content=body)
        told.append((answer.status_code, answer.text))
    assert told[0] == told[1]
    assert told[0][0] == status
