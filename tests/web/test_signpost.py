"""Fixed paths are found by name, and lead where they led before."""

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from starlette.responses import PlainTextResponse

from dibs.web.entrance.signpost import Signpost


def say(name):
    async def answer() -> PlainTextResponse:
        return PlainTextResponse(name)

    return answer


@pytest.fixture
def server():
    made = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    made.get("/things")(say("list"))
    made.post("/things")(say("add"))
    made.get("/things/{name}")(say("one"))
    made.get("/things/all")(say("hidden behind the one before"))
    made.get("/fixed")(say("first"))
    made.get("/fixed")(say("second"))
    made.router.routes.insert(0, Signpost(made.router.routes))
    return made


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("GET", "/things", "list"),
        ("POST", "/things", "add"),
        ("GET", "/things/a", "one"),
        ("GET", "/things/all", "one"),
        ("GET", "/fixed", "first"),
        ("PATCH", "/things", 405),
        ("POST", "/things/a", 405),
        ("GET", "/nothing", 404),
    ],
)
@pytest.mark.parametrize("root", ["", "/under"])
async def test_each_request_finds_the_door_that_it_found_without(server, method, path, said, root):
    transport = ASGITransport(server, root_path=root)
    async with AsyncClient(transport=transport, base_url="http://x") as client:
        answer = await client.request(method, root + path)
    assert (answer.text if answer.is_success else answer.status_code) == said


def test_routes_are_still_found_by_their_names():
    made = FastAPI()
    made.get("/things/{name}", name="one")(say("one"))
    made.router.routes.insert(0, Signpost(made.router.routes))
    assert made.url_path_for("one", name="a") == "/things/a"


def test_what_another_route_would_take_first_is_not_known_by_name(server):
    assert sorted(server.router.routes[0]._known) == [("GET", "/fixed"), ("GET", "/things"), ("POST", "/things")]
