"""Apps add pages by the hook: a router, entries of the navigation, and templates beside them."""

import importlib.util
import sys

import pytest

import dibs
from dibs.server import application
from dibs.server.application import make_server
from tests.server.conftest import OPTIONS
from tests.server.keys import ACME, OPERATOR
from tests.server.pages.conftest import Outline, read_as

PAGES = """
from fastapi import Request
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.navigation import NavItem
from dibs.web.pages.shell import render
from dibs.web.pages.subjects import SubjectPage

router = make_page_router()
NAV = (NavItem(label="Postings", path="/postings", scope=Scope.JOBS_READ, group="Apps"),)
SUBJECTS = (
    SubjectPage(prefix="posting:", address="/postings?id={name}&tenant={tenant}", scope=Scope.JOBS_READ),
    SubjectPage(prefix="posting:cap:", address="", scope=Scope.JOBS_READ),
)


@router.get("/postings", **page(Scope.JOBS_READ))
async def list_postings(request: Request) -> Response:
    return render(request, "postings/list.html", names=["<b>first</b>"])
"""
LIST = """{% extends layout %}{% import "web/parts.html" as ui %}
{% block heading %}<h1>Postings</h1>{% endblock %}
{% block live %}{% for name in names %}{{ ui.badge(name, "ok") }}{% endfor %}{% endblock %}"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    folder = tmp_path / "postings"
    (folder / "templates").mkdir(parents=True)
    (folder / "pages.py").write_text(PAGES)
    (folder / "templates" / "list.html").write_text(LIST)
    spec = importlib.util.spec_from_file_location("planted.postings.pages", folder / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(application, "load_parts", lambda part: [module] if part == "pages" else [])


@pytest.fixture
def server(installed, engine, ring, directory):
    return make_server(engine, ring, directory, options=OPTIONS)


async def test_an_installed_page_stands_in_the_same_shell(server):
    async with read_as(server, OPERATOR) as client:
        page = await client.get("/postings")
        assert page.status_code == 200, page.text
        assert "&lt;b&gt;first" in page.text
        outline = Outline(page.text)
        current = [given["href"] for tag, given in outline.elements if tag == "a" and "aria-current" in given]
        assert current == ["/postings"]
        assert "/postings" in Outline((await client.get("/jobs")).text).addresses()


async def test_a_page_that_is_not_there_stands_under_nothing(server):
    async with read_as(server, OPERATOR) as client:
        page = await client.get("/nothing-here", headers={"Accept": "text/html"})
        assert page.status_code == 404
        assert "aria-current" not in page.text
        assert 'href="/" aria-current="page"' in (await client.get("/")).text


async def test_an_installed_page_is_a_door_like_others(server):
    async with read_as(server, None) as client:
        assert (await client.get("/postings")).headers["location"] == "/sign-in?next=%2Fpostings"


async def test_what_the_log_tells_of_leads_to_the_page_that_shows_it(server, engine):
    backend = await engine.backend()
    subjects = ("posting:a&b/c", "posting:cap:all", "person:17", "job:j-1", "source:ebay", "key:account:")
    facts = {"action": "LOOKED_AT", "actor": "ann", "tenant": "acme"}
    await backend.audit.append([dibs.NewEntry(subject=subject, **facts) for subject in subjects])
    async with read_as(server, OPERATOR) as client:
        found = Outline((await client.get("/audit")).text).addresses()
    assert {"/postings?id=a%26b%2Fc&tenant=acme", "/jobs/j-1"} <= set(found)
    # The address of a file has the hash of what is in it, which may be any number.
    pages = [address for address in found if not address.startswith("/static/")]
    assert not [address for address in pages if "cap" in address or "17" in address or "account" in address]
    async with read_as(server, ACME) as client:
        text = (await client.get("/audit")).text
    # A tenant may not look at sources: they serve all.
    assert "source:ebay" in text
    assert "/sources" not in Outline(text).addresses()
