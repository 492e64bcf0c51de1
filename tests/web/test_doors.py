"""Which door a request is meant for."""

from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.routing import Match

from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.web.doorkeeping import Doorkeeping
from dibs.web.doors import door, make_router

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


NOBODY: Any = [None] * 5


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
