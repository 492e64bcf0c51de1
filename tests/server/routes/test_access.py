"""Tenants, keys and users over HTTP, with the gatekeeper of the store."""

from typing import Any
from urllib.parse import quote

import pytest

from dibs.access.actions import create_key
from dibs.access.model import NewKey
from dibs.access.scopes import Scope
from dibs.server.application import make_server
from dibs.web.kept.answers import TableAnswers
from tests.access.conftest import BOSS
from tests.server.conftest import OPTIONS, connect

WHY = {"reason": "because"}
PASSWORD = "correct horse battery"


@pytest.fixture
def server(engine, directory, gatekeeper):
    answers = TableAnswers(directory.tables)
    return make_server(engine, gatekeeper, directory, options=OPTIONS, answers=answers)


async def make_client(server, directory, tenant, *scopes):
    wanted = NewKey(tenant=tenant, scopes=frozenset(scopes or Scope))
    return connect(server, (await create_key(directory, wanted, BOSS))[1])


@pytest.fixture
async def acme(server, directory):
    async with await make_client(server, directory, "acme") as client:
        yield client


@pytest.fixture
async def operator(server, directory):
    async with await make_client(server, directory, None) as client:
        yield client


async def test_a_tenant_a_key_and_a_user_are_made_and_read(operator, engine):
    assert (await operator.post("/tenants", json={"name": "new/one", **WHY})).status_code == 201
    assert (await operator.get("/tenants/new%2Fone")).json()["name"] == "new/one"
    again = await operator.post("/tenants", json={"name": "new/one", **WHY})
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")
    made = await operator.post("/keys", json={"tenant": "new/one", "scopes": ["jobs:read"], "name": "importer", **WHY})
    key = made.json()
    assert made.headers["location"] == f"/api/v1/keys/{key['id']}"
    [listed] = (await operator.get("/keys", params={"tenant": "new/one"})).json()["keys"]
    assert listed == {name: value for name, value in key.items() if name != "key"}
    assert key["key"].startswith(listed["hint"])
    user = {"tenant": "new/one", "name": "Ada", "role": "viewer", "password": PASSWORD, **WHY}
    assert (await operator.post("/users", json=user)).json()["name"] == "ada"
    [found] = (await operator.get("/users", params={"tenant": "new/one"})).json()["users"]
    assert "password" not in str(found)


async def test_a_key_that_was_made_opens_what_it_should_until_it_is_revoked(acme, server):
    made = (await acme.post("/keys", json={"scopes": ["jobs:read"], **WHY})).json()
    async with connect(server, made["key"]) as client:
        assert (await client.get("/jobs")).status_code == 200
        assert (await client.post("/jobs", json={"job_type": "PING"})).json()["code"] == "scope_missing"
        revoked = await acme.post(f"/keys/{made['id']}/revoke", json=WHY)
        assert revoked.json()["revoked_at"] is not None
        server.state.doorkeeping._gatekeeper._remembered.clear()
        assert (await client.get("/jobs")).status_code == 401


async def test_a_rotated_key_ends_after_its_overlap(acme, server):
    old = (await acme.post("/keys", json={"scopes": ["jobs:read"], "expires_in_seconds": 3600, **WHY})).json()
    new = (await acme.post(f"/keys/{old['id']}/rotate", json={"overlap_seconds": 0, **WHY})).json()
    assert (new["replaces"], new["scopes"]) == (old["id"], ["jobs:read"])
    for secret, status in ((old["key"], 401), (new["key"], 200)):
        async with connect(server, secret) as client:
            assert (await client.get("/jobs")).status_code == status
    spent = await acme.post(f"/keys/{old['id']}/rotate", json=WHY)
    assert spent.status_code == 422


async def test_nobody_gives_away_what_they_lack(server, directory):
    async with await make_client(server, directory, "acme", Scope.KEYS_WRITE, Scope.JOBS_READ) as client:
        refused = await client.post("/keys", json={"scopes": ["jobs:write"], **WHY})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert (await client.post("/keys", json={"scopes": ["jobs:read"], **WHY})).status_code == 201


async def test_a_tenants_key_makes_keys_for_its_tenant_only(acme):
    made = await acme.post("/keys", json={"scopes": ["jobs:read"], **WHY})
    assert made.json()["tenant"] == "acme"
    refused = await acme.post("/keys", json={"scopes": ["jobs:read"], "tenant": "globex", **WHY})
    assert (refused.status_code, refused.json()["code"]) == (403, "other_tenant")
    assert (await acme.post("/tenants", json={"name": "mine", **WHY})).json()["code"] == "installation_only"


async def test_a_user_is_disabled_and_gets_another_password(acme):
    await acme.post("/users", json={"name": "ada", "role": "viewer", "password": PASSWORD, **WHY})
    changed = await acme.post("/users/ada/password", json={"password": f"{PASSWORD}!", **WHY})
    assert changed.status_code == 200
    assert (await acme.post("/users/ada/disable", json=WHY)).json()["disabled_at"] is not None
    short = await acme.post("/users/ada/password", json={"password": "short", **WHY})
    assert (short.status_code, short.json()["field"]) == (422, "password")
    assert "short" not in short.text


async def test_lists_come_in_pages(acme):
    made = [(await acme.post("/keys", json={"scopes": ["jobs:read"], **WHY})).json()["id"] for _ in range(3)]
    seen, cursor = [], None
    while True:
        page = (await acme.get("/keys", params={"limit": 2, **({"cursor": cursor} if cursor else {})})).json()
        seen += [key["id"] for key in page["keys"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert set(made) < set(seen)
    assert len(seen) == len(set(seen)) == 4


async def test_an_answer_with_a_secret_is_given_again_by_another_process(acme, engine, directory, gatekeeper):
    asked: dict[str, Any] = {"json": {"scopes": ["jobs:read"], **WHY}, "headers": {"Idempotency-Key": "once"}}
    first = await acme.post("/keys", **asked)
    other = make_server(engine, gatekeeper, directory, options=OPTIONS, answers=TableAnswers(directory.tables))
    async with connect(other, acme.headers["authorization"].removeprefix("Bearer ")) as client:
        again = await client.post("/keys", **asked)
        assert (again.json(), again.headers["idempotency-replayed"]) == (first.json(), "true")
        reused = await client.post("/keys", json={"scopes": ["jobs:write"], **WHY}, headers=asked["headers"])
        assert (reused.status_code, reused.json()["code"]) == (409, "idempotency_key_reused")
    assert len((await acme.get("/keys")).json()["keys"]) == 2


async def test_a_request_whose_server_died_before_it_answered_stores_its_jobs_once(acme, server, monkeypatch):
    """The answer was never kept, as if the process had been killed right after the store had the job."""
    monkeypatch.setattr(TableAnswers, "finish", lambda answers, ticket, _: answers.abandon(ticket))
    headers = {"Idempotency-Key": "once"}
    for path, body in (("/jobs", {"job_type": "PING"}), ("/jobs/bulk", {"jobs": [{"job_type": "PING"}] * 3})):
        before = len((await acme.get("/jobs")).json()["jobs"])
        first, second = [await acme.post(path, json=body, headers=headers) for _ in range(2)]
        assert (first.status_code, first.json()) == (second.status_code, second.json())
        assert "idempotency-replayed" not in second.headers
        assert len((await acme.get("/jobs")).json()["jobs"]) == before + len(body.get("jobs", [0]))


async def test_acts_are_in_the_audit_log_with_who_and_why(operator, engine, directory):
    directory._audit = (await engine.backend()).audit
    made = (await operator.post("/keys", json={"tenant": "acme", "scopes": ["jobs:read"], **WHY})).json()
    entries = (await operator.get("/audit", params={"subject": f"key:{made['id']}"})).json()["entries"]
    assert [(one["action"], one["reason"], one["tenant"]) for one in entries] == [("KEY_CREATED", "because", "acme")]
    assert entries[0]["actor"].startswith("key:")
    assert made["key"] not in str(entries)


@pytest.mark.parametrize("name", ["a/b", "/", "a%2Fb", "ä/ö", "a b", "..", "a/../b", "%"])
async def test_names_may_have_slashes_and_other_odd_characters(acme, name):
    path = quote(name, safe="").replace(".", "%2E")
    await acme.post("/jobs", json={"job_type": "PING", "queue": name})
    assert (await acme.get(f"/queues/{path}")).json()["name"] == name
    schedule = {"job_type": "PING", "timing": {"type": "interval", "every_seconds": 60}, **WHY}
    assert (await acme.put(f"/schedules/{path}", json=schedule)).status_code == 201
    assert (await acme.post(f"/schedules/{path}/pause", json=WHY)).json()["paused"]
    assert (await acme.get(f"/schedules/{path}/fires")).json() == {"fires": []}


async def test_finished_jobs_are_purged_for_ones_own_tenant_only(acme, operator, drain):
    for client, tenant in ((acme, "acme"), (operator, "globex")):
        await client.post("/jobs", json={"job_type": "PING", "tenant": tenant})
    await drain()
    body = {"older_than_seconds": 0, **WHY}
    assert (await acme.post("/jobs/purge", json={**body, "dry_run": True})).json() == {"count": 1, "dry_run": True}
    assert (await acme.post("/jobs/purge", json=body)).json() == {"count": 1, "dry_run": False}
    assert [job["tenant"] for job in (await operator.get("/jobs")).json()["jobs"]] == ["globex"]


async def test_old_entries_are_forgotten_by_the_installation_only(acme, operator):
    body = {"tenant": "acme", "older_than_seconds": 0, **WHY}
    assert (await acme.post("/audit/forget", json=body)).json()["code"] == "installation_only"
    assert (await operator.post("/audit/forget", json=body)).json() == {"forgotten": 0}


async def test_a_schedule_that_was_changed_is_not_removed_under_the_old_version(acme):
    schedule = {"job_type": "PING", "timing": {"type": "interval", "every_seconds": 60}, **WHY}
    seen = (await acme.put("/schedules/s", json=schedule)).headers["etag"]
    await acme.post("/schedules/s/pause", json=WHY)
    refused = await acme.delete("/schedules/s", params=WHY, headers={"If-Match": seen})
    assert (refused.status_code, refused.json()["code"]) == (412, "version_moved")
    now = (await acme.get("/schedules/s")).headers["etag"]
    assert (await acme.delete("/schedules/s", params=WHY, headers={"If-Match": now})).status_code == 204
