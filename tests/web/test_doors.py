"""Which door a request is meant for."""

import pytest
from fastapi import FastAPI
from starlette.routing import Match

from dibs.access.scopes import Scope
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
