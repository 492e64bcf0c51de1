"""Which door a request is meant for."""

from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Query, Request
from fastapi.routing import APIRoute
from httpx import ASGITransport, AsyncClient
from starlette.responses import Response
from starlette.routing import Match

from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.web.doors import Doorkeeping, _needs_request_alone, door, make_router

router = make_router("things", "/api/v1")


@router.get("/things", **door(Scope.JOBS_READ))
async def list_things() -> None:
    """List."""


@router.get("/things/{name}/parts", **door(Scope.JOBS_READ))
async def list_parts(name: str) -> None:
    """List."""


@pytest.mark.parametrize(
    ("path", "root", "meant"),
    [
        ("/api/v1/things", "", [Match.FULL, Match.NONE]),
        ("/api/v1/things/a/parts", "", [Match.NONE, Match.FULL]),
        ("/api/v1/thing", "", [Match.NONE, Match.NONE]),
        ("/", "", [Match.NONE, Match.NONE]),
        ("/under/api/v1/things", "/under", [Match.FULL, Match.NONE]),
        ("/under/api/v1/things/a/parts", "/under", [Match.NONE, Match.FULL]),
    ],
)
def test_a_door_knows_its_paths_also_below_another(path, root, meant):
    scope = {"type": "http", "method": "GET", "path": path, "root_path": root, "app": FastAPI()}
    assert [route.matches(dict(scope))[0] for route in router.routes] == meant


async def by_request(
    request: Request, tenant: str | None = None, most: Annotated[int | None, Query(le=9)] = None
) -> Response:
    return Response(f"{tenant} {most}")


async def with_default(request: Request, limit: int = 5) -> Response:
    return Response(str(limit))


async def with_body(request: Request, body: dict) -> Response:
    return Response(str(body))


async def with_dependency(request: Request, found: Annotated[str, Depends(lambda: "found")]) -> Response:
    return Response(found)


NOBODY: Any = [None] * 5


async def with_required(request: Request, name: str) -> Response:
    return Response(name)


async def with_shape(request: Request) -> dict:
    return {}


async def without_request(tenant: str | None = None) -> Response:
    return Response(tenant)


@pytest.mark.parametrize(
    "other", [with_default, with_body, with_dependency, with_required, with_shape, without_request]
)
def test_only_what_needs_the_request_alone_is_called_past_the_search_for_parameters(other):
    made = make_router("others", "/api/v1")
    for path, endpoint in (("/spared", by_request), ("/searched", other)):
        made.post(path, **door(Scope.JOBS_READ))(endpoint)
    assert [_needs_request_alone(route) for route in made.routes if isinstance(route, APIRoute)] == [True, False]


def test_what_a_route_asks_for_beside_its_handler_is_not_passed_by():
    made = make_router("others", "/api/v1")
    made.get("/checked", **door(Scope.JOBS_READ), dependencies=[Depends(lambda: None)])(by_request)
    assert [_needs_request_alone(route) for route in made.routes if isinstance(route, APIRoute)] == [False]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [("", 200, "None None"), ("?tenant=a&most=3", 200, "a 3"), ("?most=10", 422, None), ("?most=", 422, None)],
)
async def test_with_and_without_a_query_the_same_is_found(query, status, said):
    server = FastAPI()
    server.state.doorkeeping = Doorkeeping(*NOBODY)
    server.state.doorkeeping.admit = admit
    made = make_router("others", "/api/v1")
    made.get("/spared", **door(Scope.JOBS_READ))(by_request)
    server.router.routes.extend(made.routes)
    async with AsyncClient(transport=ASGITransport(server), base_url="http://x") as client:
        answer = await client.get(f"/api/v1/spared{query}")
    assert answer.status_code == status
    assert said is None or answer.text == said


async def admit(request, scope):
    return None


async def test_a_stream_only_looks_at_its_session_and_so_is_no_use_of_it():
    ada, looks = Principal(actor="user:ada", tenant=None, scopes=frozenset(Scope), kind="user"), []

    class Looking:
        async def authenticate_session(self, cookie, *, is_use=True):
            looks.append((cookie, is_use))
            return ada

    request: Any = SimpleNamespace(state=SimpleNamespace(principal=ada, credential="cookie"))
    keeping: Any = [Looking(), *NOBODY[1:]]
    assert await Doorkeeping(*keeping).still_knows(request)
    assert looks == [("cookie", False)]
