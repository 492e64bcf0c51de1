"""Profiles over HTTP and on their page."""

import shutil

import httpx
import pytest

import dibs
from dibs.access.directory import Directory
from dibs.access.scopes import Scope
from dibs.apps.postings.office import Office
from dibs.server.application import make_server
from dibs.storage.tables import Tables
from tests.apps.postings.conftest import keep, make_posting
from tests.server.conftest import OPTIONS
from tests.server.keys import ACME, OPERATOR, KeyRing
from tests.server.pages.conftest import Outline, read_as

PROFILES = "/api/v1/postings/profiles"
ADA = {
    "full_name": "Ada <b>",
    "contact": "ada@example.org",
    "answers": {"Do you require a visa?": "no"},
    "reason": "she asked us to",
}


@pytest.fixture
def ring():
    return KeyRing()


@pytest.fixture
async def server(migrated_file, tmp_path, ring):
    shutil.copy(migrated_file, tmp_path / "tables.db")
    async with Tables.at(f"sqlite:///{tmp_path}/tables.db") as tables, dibs.Dibs("memory://") as app:
        await keep(Office(tables), make_posting(), make_posting("profiles", title="Baker"))
        made = make_server(app, ring, Directory(tables), options=OPTIONS)
        yield made
        await made.state.chronicle.close()


def connect(server, key=OPERATOR):
    transport = httpx.ASGITransport(server, raise_app_exceptions=False)
    return httpx.AsyncClient(
        transport=transport, base_url="http://dibs.test", headers={"Authorization": f"Bearer {key}"}
    )


@pytest.fixture
async def client(server):
    async with connect(server) as opened:
        yield opened


async def test_a_profile_with_its_resumes_goes_over_the_wire(client):
    assert (await client.get(PROFILES)).json() == {"profiles": []}
    assert (await client.put(f"{PROFILES}/p1", json=ADA)).status_code == 200
    said = {"resume": "s3://v2.pdf", "note": "short", "reason": "shorter"}
    profile = (await client.put(f"{PROFILES}/p1/variants/v2", json=said)).json()
    assert {name: profile[name] for name in ("name", "full_name", "contact", "answers")} == {
        "name": "p1",
        **{name: ADA[name] for name in ("full_name", "contact", "answers")},
    }
    [variant] = profile["variants"]
    assert (variant["variant_id"], variant["resume"], variant["n"], variant["rate"]) == ("v2", "s3://v2.pdf", 0, None)
    assert (await client.get(f"{PROFILES}/p1")).json() == profile
    variants = (await client.get("/api/v1/variants", params={"profile": "p1"})).json()["variants"]
    assert [(one["variant_id"], one["profile"]) for one in variants] == [("v2", "p1")]
    gone = await client.post(f"{PROFILES}/p1/variants/v2/forget", json={"reason": "old"})
    assert gone.json()["variants"] == []
    assert (await client.post(f"{PROFILES}/p1/forget", json={"reason": "done"})).json() == {"forgotten": "p1"}
    assert (await client.get(f"{PROFILES}/p1")).json()["code"] == "profile_not_found"


async def test_a_posting_may_be_called_profiles(client):
    found = (await client.get("/api/v1/postings", params={"runs_for": "profiles"})).json()
    assert found["job"]["title"] == "Baker"


@pytest.mark.parametrize("spoilt", [{"full_name": ""}, {"answers": {"Visa": 5}}, {"answers": {"": "x"}}, {"age": 5}])
async def test_a_body_that_is_no_profile_is_refused(client, spoilt):
    assert (await client.put(f"{PROFILES}/p1", json={**ADA, **spoilt})).status_code == 422


async def test_who_may_only_look_changes_nothing_and_other_tenants_see_nothing(server, ring, client):
    await client.put(f"{PROFILES}/p1", json=ADA)
    ring.add("looker", Scope.POSTINGS_READ)
    async with connect(server, "looker") as looker, connect(server, ACME) as acme:
        assert (await looker.put(f"{PROFILES}/p1", json=ADA)).status_code == 403
        assert len((await looker.get(PROFILES)).json()["profiles"]) == 1
        assert (await acme.get(f"{PROFILES}/p1")).status_code == 404


async def test_the_page_shows_profiles_and_takes_them_by_forms(server):
    async with read_as(server, OPERATOR) as reader:
        assert "No profiles" in (await reader.get("/postings/profiles")).text
        why = {"name": "p1", "reason": "she asked us to"}
        forms = {
            "put": {"full_name": "Ada <b>", "contact": "ada@example.org"},
            "variant": {"variant_id": "v2", "resume": "s3://v2.pdf"},
            "answer": {"question": "Visa?", "value": "no"},
        }
        for verb, form in forms.items():
            assert (await reader.post(f"/postings/profiles/{verb}", data={**why, **form})).status_code == 303
        shown = (await reader.get("/postings/profiles")).text
        assert all(said in shown for said in ("Ada &lt;b&gt;", "ada@example.org", "s3://v2.pdf", "Visa?"))
        assert "<b>" not in shown
        assert all(address.startswith(("/", "#", "?")) for address in Outline(shown).addresses())
        assert "p1" in (await reader.get("/postings/variants")).text
        assert (await reader.post("/postings/profiles/forget", data=why)).status_code == 303
        assert "No profiles" in (await reader.get("/postings/profiles")).text
