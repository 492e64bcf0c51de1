"""Who may do what: every route, another tenant's things, missing scopes, missing keys."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import APIRouter

import dibs
from dibs.access.scopes import Scope
from dibs.apps.postings.office import Office
from dibs.assembly import make_directory
from dibs.server.application import make_server
from dibs.server.options import ServerOptions
from dibs.web.doors import SCOPE_MARK, Door, make_router
from dibs.web.entrance.signpost import Signpost
from dibs.web.rates import Rate
from tests.apps.postings.conftest import keep, make_posting
from tests.server.conftest import connect, enqueue
from tests.server.keys import ACME, NOTHING, OPERATOR, KeyRing

WHY = {"reason": "because"}
SCHEDULE = {"job_type": "PING", "timing": {"type": "interval", "every_seconds": 60}, **WHY}
BODIES: dict[str, Any] = {
    "POST /jobs": {"job_type": "PING"},
    "PUT /postings/profiles/{name}": {"full_name": "Ada Byron", **WHY},
    "PUT /answers": {"question": "visa?", "value": "no", **WHY},
    "POST /answers/approve": {"question": "visa?", "value": "no", **WHY},
    "POST /answers/forget": {"question": "visa?", "value": "no", **WHY},
    "PUT /caps": {"scope": "all", "most_a_day": 5, **WHY},
    "POST /runs/{run_id}/resolve": {"finding": "submitted", **WHY},
    "POST /jobs/bulk": {"jobs": [{"job_type": "PING"}]},
    "PUT /schedules/{name}": SCHEDULE,
    "POST /schedules/{name}/backfill": {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z", **WHY},
    "PUT /gate": {"scope": "global", "mode": "closed", **WHY},
    "PUT /limits/queues/{name}": {"fair": True, **WHY},
    "PUT /limits/keys/{name}": {"max_running": 2, **WHY},
    "POST /jobs/purge": {"older_than_seconds": 1, **WHY},
    "POST /audit/forget": {"tenant": "acme", "older_than_seconds": 1, **WHY},
    "POST /person/export": {"references": ["ada@example.com"], **WHY},
    "POST /person/erase": {"references": ["ada@example.com"], **WHY},
    "POST /tenants": {"name": "newcomer", **WHY},
    "POST /keys": {"scopes": ["jobs:read"], **WHY},
    "POST /webhooks": {"url": "https://example.com/hook", "events": ["alert"], **WHY},
    "PATCH /resumes/{resume_id}": {"fields": {"basics.name": "Jane Roe"}, **WHY},
    "POST /users": {"name": "newcomer", "role": "viewer", "password": "correct horse battery", **WHY},
    "POST /users/{name}/password": {"password": "correct horse battery", **WHY},
}
OPEN = {"/health/live", "/health/ready"}
# For people whom nobody knows yet, and for browsers; what is there tells nothing of anybody, and lets nobody in.
FRONT = {"/sign-in", "/sign-out", "/setup/{token}", *OPEN, "/api/v1/openapi.json", "/static/{digest}/{place}/{name}"}


def describe() -> dict[str, Any]:
    return make_server(dibs.Dibs("memory://"), KeyRing(), make_directory(None)).openapi()


def walk(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


DESCRIPTION = describe()
DOORS = [
    (method, path.removeprefix("/api/v1"), Scope(operation[SCOPE_MARK]))
    for method, path, operation in walk(DESCRIPTION)
    if SCOPE_MARK in operation
]
NAMED = [(method, path) for method, path, _ in DOORS if "{" in path]
# These are nobody's: they concern the whole installation, and no tenant's key sees any of them.
SHARED = ("GET /sources/", "PUT /sources/", "POST /sources/", "GET /workers/", "PUT /limits/", "PUT /budgets/")
OWNED = [(method, path) for method, path in NAMED if not f"{method} {path}".startswith(SHARED)]


async def send(client: httpx.AsyncClient, method: str, path: str, name: str = "x") -> httpx.Response:
    url = re.sub(r"{\w+}", name, path)
    # What agents speak stands beside the API's own prefix.
    url = f"http://dibs.test{url}" if url.startswith("/api/") else url
    sent: dict[str, Any] = {"json": BODIES.get(f"{method} {path}", WHY)} if method in ("POST", "PUT", "PATCH") else {}
    query = WHY if method == "DELETE" else {"timeout": 0} if path.endswith("/result") else {}
    return await client.request(method, url, params=query, **sent)


def test_every_route_names_its_scope_or_is_meant_to_be_open():
    assert {path for _, path, operation in walk(DESCRIPTION) if SCOPE_MARK not in operation} == OPEN
    assert len(DOORS) > 40


def test_every_route_of_the_server_is_a_door_or_is_meant_to_be_open():
    server = make_server(dibs.Dibs("memory://"), KeyRing(), make_directory(None))
    # A signpost leads to the routes behind it, and nowhere else.
    open_paths = {getattr(route, "path", "?") for route in server.routes if not isinstance(route, (Door, Signpost))}
    assert open_paths == FRONT


def test_a_route_without_a_scope_cannot_be_made():
    with pytest.raises(TypeError, match="names no scope"):
        make_router("planted", "").get("/planted")(lambda: None)


def test_a_route_that_goes_around_the_doors_is_found():
    router = APIRouter()
    router.get("/planted")(lambda: None)
    server = make_server(dibs.Dibs("memory://"), KeyRing(), make_directory(None))
    server.include_router(router, prefix="/api/v1")
    scopeless = {path for _, path, operation in walk(server.openapi()) if SCOPE_MARK not in operation}
    assert scopeless - OPEN == {"/api/v1/planted"}


def test_no_get_is_opened_by_a_scope_that_changes_things():
    changing = [path for method, path, scope in DOORS if method == "GET" and not scope.endswith(":read")]
    assert changing == []


@pytest.mark.parametrize(("method", "path", "scope"), DOORS)
async def test_a_key_without_the_scope_is_refused(server, ring, method, path, scope):
    ring.add("all-but-one", *(set(Scope) - {scope}))
    for key in (NOTHING, "all-but-one"):
        async with connect(server, key) as client:
            refused = await send(client, method, path)
        assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


@pytest.mark.parametrize(("method", "path", "scope"), DOORS)
async def test_nobody_comes_in_without_a_key_that_is_known(server, method, path, scope):
    for key in (None, "wrong"):
        async with connect(server, key) as client:
            refused = await send(client, method, path)
        assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
        assert refused.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith("/jobs/")])
async def test_another_tenants_job_answers_exactly_like_a_missing_one(acme, globex, method, path):
    job = await enqueue(globex)
    await assert_same_as_missing(acme, method, path, job["id"])
    assert (await globex.get(f"/jobs/{job['id']}")).json()["state"] == "pending"


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith("/schedules/")])
async def test_another_tenants_schedule_answers_exactly_like_a_missing_one(acme, globex, method, path):
    await globex.put("/schedules/theirs", json=SCHEDULE)
    before = (await globex.get("/schedules/theirs")).json()
    if method == "PUT":
        assert (await send(acme, method, path, "theirs")).status_code == 201
    else:
        await assert_same_as_missing(acme, method, path, "theirs")
    assert (await globex.get("/schedules/theirs")).json() == before


async def test_another_tenants_queue_answers_exactly_like_a_missing_one(acme, globex):
    await enqueue(globex, queue="theirs")
    await assert_same_as_missing(acme, "GET", "/queues/{name}", "theirs")


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith("/keys/")])
async def test_another_tenants_key_answers_exactly_like_a_missing_one(acme, globex, method, path):
    made = (await globex.post("/keys", json=BODIES["POST /keys"])).json()
    await assert_same_as_missing(acme, method, path, made["id"])
    assert (await globex.get(f"/keys/{made['id']}")).json()["revoked_at"] is None


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith("/users/")])
async def test_another_tenants_user_answers_exactly_like_a_missing_one(acme, globex, method, path):
    assert (await globex.post("/users", json=BODIES["POST /users"])).status_code == 201
    await assert_same_as_missing(acme, method, path, "newcomer")
    assert (await globex.get("/users/newcomer")).json()["disabled_at"] is None


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith("/webhooks/")])
async def test_another_tenants_webhook_answers_exactly_like_a_missing_one(acme, globex, monkeypatch, method, path):
    monkeypatch.setenv("DIBS_WEBHOOKS_KEYS", "k" * 32)
    made = (await globex.post("/webhooks", json=BODIES["POST /webhooks"])).json()
    await assert_same_as_missing(acme, method, path, made["id"])
    assert (await globex.get(f"/webhooks/{made['id']}")).json()["disabled_at"] is None


@pytest.fixture
async def resume(globex, tmp_path, monkeypatch) -> str:
    """One of globex that nobody has read yet: who may see it is all that is asked here."""
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path))
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)
    made = await globex.post("/resumes", content=b"Jane Roe", headers={"Content-Type": "text/plain"})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def test_another_tenant_and_its_budget_answer_exactly_like_missing_ones(acme, operator):
    assert (await operator.put("/budgets/globex", json={"max_running": 2, **WHY})).status_code == 200
    for path in ("/tenants/{name}", "/budgets/{name}"):
        await assert_same_as_missing(acme, "GET", path, "globex")
        assert (await operator.get(path.format(name="globex"))).status_code == 200


OF_POSTINGS = ("/postings/", "/runs/", "/boards/")
OF_PROFILES = "/postings/profiles/"


def is_of_postings(path: str) -> bool:
    return path.startswith(OF_POSTINGS) and not path.startswith(OF_PROFILES)


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if is_of_postings(pair[1])])
async def test_another_tenants_posting_run_and_board_answer_exactly_like_missing_ones(
    acme, globex, directory, method, path
):
    await keep(Office(directory.tables), make_posting(), tenant="globex")
    claimed = {"action": "run", "run_id": "run-1", "job_id": "12345", "board": "ramp"}
    assert (await globex.post("/postings", json=claimed)).status_code == 201
    before = (await globex.get("/postings/12345")).json(), (await globex.get("/boards")).json()
    name = {"postings": "12345", "runs": "run-1", "boards": "ramp"}[path.split("/")[1]]
    await assert_same_as_missing(acme, method, path, name)
    assert ((await globex.get("/postings/12345")).json(), (await globex.get("/boards")).json()) == before


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith(OF_PROFILES)])
async def test_another_tenants_profile_answers_exactly_like_a_missing_one(acme, globex, method, path):
    put = "/postings/profiles/{name}"
    assert (await send(globex, "PUT", put, "theirs")).status_code == 200
    assert (await send(globex, "PUT", f"{put}/variants/{{variant_id}}", "theirs")).status_code == 200
    before = (await globex.get("/postings/profiles/theirs")).json()
    if (method, path) == ("PUT", put):
        made = (await send(acme, method, path, "theirs")).json()
        assert made["variants"] == []
    else:
        await assert_same_as_missing(acme, method, path, "theirs")
    assert (await globex.get("/postings/profiles/theirs")).json() == before


@pytest.mark.parametrize(("method", "path"), [pair for pair in OWNED if pair[1].startswith("/resumes/")])
async def test_another_tenants_resume_answers_exactly_like_a_missing_one(acme, globex, resume, method, path):
    before = (await globex.get(f"/resumes/{resume}")).json()
    await assert_same_as_missing(acme, method, path, resume)
    assert (await globex.get(f"/resumes/{resume}")).json() == before


def test_every_route_with_an_id_is_covered_here():
    covered = (
        "/resumes/",
        "/jobs/",
        "/schedules/",
        "/queues/",
        "/keys/",
        "/users/",
        "/webhooks/",
        "/tenants/{name}",
        "/budgets/{name}",
    )
    assert [path for _, path in OWNED if not path.startswith((*covered, *OF_POSTINGS))] == []


@pytest.mark.parametrize(("method", "path"), [pair for pair in NAMED if f"{pair[0]} {pair[1]}".startswith(SHARED)])
async def test_what_concerns_every_tenant_is_closed_to_a_tenants_key(acme, operator, method, path):
    await operator.put("/sources/theirs", json=WHY)
    answers = [await send(acme, method, path, name) for name in ("theirs", "none")]
    assert [(one.status_code, one.json()["code"]) for one in answers] == [(403, "installation_only")] * 2
    assert answers[0].content == answers[1].content


async def assert_same_as_missing(client: httpx.AsyncClient, method: str, path: str, name: str) -> None:
    missing_name = "0" * len(name)
    theirs, missing = await send(client, method, path, name), await send(client, method, path, missing_name)
    assert theirs.status_code == missing.status_code == 404
    assert theirs.text.replace(name, missing_name) == missing.text
    unlike = {"x-request-id"}
    assert {k: v for k, v in theirs.headers.items() if k not in unlike} == {
        k: v for k, v in missing.headers.items() if k not in unlike
    }


@pytest.mark.parametrize(
    "path",
    [
        "/postings",
        "/postings/profiles",
        "/boards",
        "/variants",
        "/answers",
        "/caps",
        "/jobs",
        "/queues",
        "/schedules",
        "/audit",
        "/audit/verify",
        "/events",
        "/jobs.csv",
        "/keys",
        "/users",
        "/webhooks",
        "/resumes",
    ],
)
async def test_a_tenants_key_names_no_other_tenant(acme, path):
    refused = await acme.get(path, params={"tenant": "globex"})
    assert (refused.status_code, refused.json()["code"]) == (403, "other_tenant")


async def test_a_tenants_key_stores_for_no_other_tenant(acme):
    refused = await acme.post("/jobs", json={"job_type": "PING", "tenant": "globex"})
    assert (refused.status_code, refused.json()["field"]) == (403, "tenant")


async def test_a_tenant_lists_only_what_is_its_own(acme, globex):
    await enqueue(globex)
    await globex.put("/schedules/theirs", json=SCHEDULE)
    for path in ("/jobs", "/schedules", "/audit", "/queues"):
        [items] = [value for value in (await acme.get(path)).json().values() if isinstance(value, list)]
        assert items == []


async def test_a_key_of_no_tenant_may_name_any(operator, globex):
    job = await enqueue(operator, tenant="globex")
    assert (await globex.get(f"/jobs/{job['id']}")).status_code == 200
    assert (await enqueue(operator))["tenant"] == "default"
    assert len((await operator.get("/jobs", params={"tenant": "globex"})).json()["jobs"]) == 1


async def test_a_key_in_the_url_opens_nothing(server):
    async with connect(server, None) as client:
        assert (await client.get("/jobs", params={"key": OPERATOR})).status_code == 401


async def test_who_asks_too_often_is_told_when_to_come_again(engine, ring, directory):
    options = ServerOptions(calls=Rate(per_second=0.1, burst=2))
    async with connect(make_server(engine, ring, directory, options=options), ACME) as client:
        statuses = [(await client.get("/jobs")).status_code for _ in range(2)]
        refused = await client.get("/jobs")
    assert (statuses, refused.status_code) == ([200, 200], 429)
    assert 1 <= int(refused.headers["retry-after"]) <= 10


async def test_who_guesses_keys_is_slowed_down(engine, ring, directory):
    options = ServerOptions(failed_keys=Rate(per_second=0.1, burst=3))
    server = make_server(engine, ring, directory, options=options)
    async with connect(server, "wrong") as client:
        statuses = [(await client.get("/jobs")).status_code for _ in range(4)]
    assert statuses == [401, 401, 401, 429]


async def test_a_neighbour_with_an_old_key_shuts_out_nobody_who_was_known_before(engine, ring, directory):
    options = ServerOptions(failed_keys=Rate(per_second=0.1, burst=3))
    server = make_server(engine, ring, directory, options=options)
    async with connect(server, ACME) as client, connect(server, "old") as neighbour:
        assert (await client.get("/jobs")).status_code == 200
        assert [(await neighbour.get("/jobs")).status_code for _ in range(4)][-1] == 429
        assert {one.status_code for one in await asyncio.gather(*(client.get("/jobs") for _ in range(3)))} == {200}
        del ring.keys[ACME]
        assert (await client.get("/jobs")).status_code == 429, "a key that is dead is a guess like others"


async def test_who_shows_nothing_is_told_so_whatever_a_neighbour_guesses(engine, ring, directory):
    server = make_server(engine, ring, directory, options=ServerOptions(failed_keys=Rate(per_second=0.1, burst=1)))
    async with connect(server, None) as stranger, connect(server, "old") as neighbour:
        assert [(await neighbour.get("/jobs")).status_code for _ in range(2)] == [401, 429]
        assert (await stranger.get("/jobs")).status_code == 401


async def test_every_answer_carries_its_request_id_and_the_security_headers(acme):
    for path in ("/jobs", "/nothing", "/jobs/none"):
        answered = await acme.get(path, headers={"X-Request-Id": "mine-1"})
        assert answered.headers["x-request-id"] == "mine-1"
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answered.headers["content-security-policy"]
    strange = await acme.get("/jobs", headers={"X-Request-Id": "<script>"})
    assert "<" not in strange.headers["x-request-id"]
