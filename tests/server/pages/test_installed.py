"""The pages of what is installed: strangers, missing scopes and another tenant's ids, on every route of them."""

import re

import pytest

from dibs.access.scopes import Scope
from dibs.apps.postings.office import Office
from dibs.assembly import load_parts
from dibs.web.pages.doors import PageDoor
from tests.apps.postings.conftest import find, keep, make_posting
from tests.server.keys import NOTHING
from tests.server.pages.conftest import read_as

ROUTES = [route for module in load_parts("pages") for route in module.router.routes]
DOORS = sorted((method, route.path) for route in ROUTES for method in route.methods)
WHY = {"reason": "mine now"}
PERSON = {"full_name": "Jane Roe", "contact": "jane@roe.example", "answers": {}, **WHY}
# What a form names. `{}` is the id of something that is another tenant's, or of nothing at all.
FORMS = {
    "/postings/move": {"job_id": "{}", "board": "ramp", "verb": "expire"},
    "/postings/approve": {"run_id": "{}"},
    "/postings/resolve": {"run_id": "{}", "finding": "submitted"},
    "/postings/profiles/answer": {"name": "{}", "question": "Why?", "value": "So."},
    "/postings/profiles/variant": {"name": "{}", "variant_id": "v1"},
    "/postings/profiles/forget": {"name": "{}"},
    "/resumes/{resume_id}/correct": {"path": "full_name", "value": "Mine"},
    "/resumes/{resume_id}/review": {"reviewed": "true"},
    "/resumes/{resume_id}/read": {},
    "/resumes/{resume_id}/remove": {},
}
# These name nothing that is there already: they make something of the reader's own tenant, or list what that has.
MAKING = {("POST", "/postings/profiles/put"), ("POST", "/resumes/upload")}
LISTS = {
    ("GET", path)
    for path in (
        "/postings",
        "/postings/held",
        "/postings/approvals",
        "/postings/variants",
        "/postings/profiles",
        "/resumes",
    )
}
# What an address names behind its question mark.
ASKED = {"/postings/one": "job_id", "/postings/known": "id"}
NAMING = [door for door in DOORS if door not in MAKING | LISTS]


@pytest.fixture(autouse=True)
def documents(tmp_path, monkeypatch):
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path))
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)


@pytest.fixture
async def theirs(directory, globex) -> dict[str, str]:
    """What globex has, by where its id stands."""
    office = Office(directory.tables)
    await keep(office, make_posting("secret-posting"), tenant="globex")
    known = await find(office, "secret-posting", tenant="globex")
    claim = {"action": "run", "run_id": "secret-run", "job_id": "secret-posting", "board": "ramp"}
    assert (await globex.post("/postings", json=claim)).status_code in (200, 201)
    assert (await globex.put("/postings/profiles/secret-profile", json=PERSON)).status_code == 200
    handed = await globex.post("/resumes", content=b"Jane secret-Roe", headers={"Content-Type": "text/plain"})
    ids = {"job_id": "secret-posting", "run_id": "secret-run", "name": "secret-profile", "id": known.id}
    return {**ids, "resume_id": handed.json()["id"]}


def test_every_page_that_is_installed_is_a_door_with_a_scope():
    assert ROUTES
    assert all(isinstance(route, PageDoor) and route.scope in Scope for route in ROUTES)


@pytest.mark.parametrize(("method", "path"), DOORS)
async def test_strangers_are_sent_away_and_whoever_lacks_the_scope_reads_why(server, stranger, method, path):
    url = re.sub("{.*?}", "x", path)
    sent = await stranger.request(method, url)
    assert (sent.status_code, sent.headers["location"].partition("?")[0]) == (303, "/sign-in")
    async with read_as(server, NOTHING) as client:
        refused = await client.request(method, url)
    assert refused.status_code == 403
    assert "this needs the scope" in refused.text.lower()


@pytest.mark.parametrize(("method", "path"), NAMING)
async def test_what_is_another_tenants_is_missing_in_the_same_words(acme_reader, theirs, method, path):
    async def ask(named: dict[str, str]):
        url = re.sub(r"{(\w+)}", lambda found: named[found[1]], path)
        if method == "GET":
            return await acme_reader.get(url, params={ASKED[path]: named[ASKED[path]]} if path in ASKED else None)
        form = {field: value.replace("{}", named.get(field, "")) for field, value in FORMS[path].items()}
        return await acme_reader.post(url, data={**form, **WHY})

    missing = dict.fromkeys(theirs, "no-such-thing")
    other, none = await ask(theirs), await ask(missing)
    assert (other.status_code, none.status_code) == (404, 404), other.text
    said = other.text
    for value in theirs.values():
        said = said.replace(value, "no-such-thing")
    assert said == none.text


@pytest.mark.parametrize(("method", "path"), sorted(LISTS))
async def test_lists_tell_nothing_of_another_tenant(acme_reader, theirs, method, path):
    shown = await acme_reader.request(method, path)
    assert shown.status_code == 200
    assert not [value for value in (*theirs.values(), "secret", "globex", "jane@roe.example") if value in shown.text]
    asked = await acme_reader.request(method, path, params={"tenant": "globex"})
    assert not [value for value in (*theirs.values(), "secret", "jane@roe.example") if value in asked.text]
