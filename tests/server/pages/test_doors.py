"""Every page has a scope, strangers are asked to sign in, and nobody sees what is another tenant's."""

import re

import pytest
from fastapi import FastAPI

from dibs.access.scopes import Scope
from dibs.server.pages.mounting import OWN
from dibs.web.answers.headers import PAGE_POLICY
from dibs.web.pages.doors import PageDoor, make_page_router
from tests.server.conftest import enqueue
from tests.server.keys import NOTHING
from tests.server.pages.conftest import Outline, read_as

ROUTES = [route for module in OWN for route in module.router.routes]
READING = sorted(re.sub("{.*}", "x", route.path) for route in ROUTES if "GET" in route.methods)
WRITING = sorted(re.sub("{.*}", "x", route.path) for route in ROUTES if "POST" in route.methods)
LISTS = [path for path in READING if path not in ("/live", "/jobs/x", "/schedules/one")]


def test_every_page_is_a_door_with_a_scope():
    assert all(isinstance(route, PageDoor) and route.scope in Scope for route in ROUTES)


def test_a_page_without_a_scope_cannot_be_made():
    router = make_page_router()
    with pytest.raises(TypeError, match="names no scope"):
        FastAPI().include_router(_planted(router))


def _planted(router):
    @router.get("/bare")
    async def bare() -> None: ...

    return router


@pytest.mark.parametrize("path", READING)
async def test_a_stranger_is_sent_to_sign_in_and_back(stranger, path):
    answer = await stranger.get(path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")
    assert ("next=" in answer.headers["location"]) is (path != "/")


@pytest.mark.parametrize("path", WRITING)
async def test_a_stranger_changes_nothing(stranger, path):
    answer = await stranger.post(path, data={"reason": "because"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


async def test_an_open_page_is_led_to_sign_in_when_its_session_has_ended(stranger):
    answer = await stranger.get("/jobs", headers={"HX-Request": "true", "HX-Target": "live"})
    assert answer.headers["hx-redirect"] == "/sign-in?next=%2Fjobs"


@pytest.mark.parametrize("path", [*READING, *WRITING])
async def test_whoever_lacks_the_scope_reads_why(server, path):
    async with read_as(server, NOTHING) as client:
        answer = await client.request("POST" if path in WRITING else "GET", path)
    assert answer.status_code == 403
    assert "this needs the scope" in answer.text.lower()


@pytest.mark.parametrize("path", LISTS)
async def test_every_page_opens_and_carries_the_strict_policy(reader, path):
    answer = await reader.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert "unsafe" not in PAGE_POLICY
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", LISTS)
async def test_no_page_has_a_script_or_a_style_inside_or_an_address_elsewhere(reader, acme, path):
    await enqueue(acme)
    outline = Outline((await reader.get(path)).text)
    assert all(address.startswith(("/", "#", "?")) and not address.startswith("//") for address in outline.addresses())
    for tag, given in outline.elements:
        assert tag != "style"
        assert "style" not in given
        assert tag != "script" or given.get("src")
        assert not [name for name in given if name.startswith(("on", "hx-on"))]


@pytest.mark.parametrize("path", [path for path in LISTS if path not in ("/workers", "/sources")])
async def test_a_tenant_sees_nothing_of_another(acme_reader, globex, path, engine, drain):
    await enqueue(globex, queue="secret-queue", unique_key="secret-key")
    await drain()
    text = (await acme_reader.get(path)).text
    assert "globex" not in text
    assert "secret-" not in text


@pytest.mark.parametrize("path", ["/workers", "/sources"])
async def test_what_belongs_to_nobody_is_closed_to_tenants(acme_reader, path):
    assert (await acme_reader.get(path)).status_code == 403


async def test_another_tenants_job_is_missing_in_the_same_words(acme_reader, globex):
    job = await enqueue(globex)
    other, missing = await acme_reader.get(f"/jobs/{job['id']}"), await acme_reader.get("/jobs/no-such-job")
    assert (other.status_code, missing.status_code) == (404, 404)
    assert other.text.replace(job["id"], "X") == missing.text.replace("no-such-job", "X")
    refused = await acme_reader.post("/jobs/cancel", data={"job_id": job["id"], "reason": "mine now"})
    assert refused.status_code == 404


async def test_the_navigation_offers_only_what_opens(server, ring):
    key = ring.add("looker", Scope.JOBS_READ, Scope.QUEUES_READ)
    async with read_as(server, key) as client:
        outline = Outline((await client.get("/jobs")).text)
    offered = {address for address in outline.addresses() if address in {"/", "/jobs", "/gate", "/keys", "/audit"}}
    assert offered == {"/", "/jobs"}


async def test_a_mistaken_address_is_answered_with_a_page_to_readers_and_a_problem_to_programs(reader):
    page, problem = await reader.get("/nowhere"), await reader.get("/nowhere", headers={"Accept": "*/*"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert (problem.status_code, problem.headers["content-type"]) == (404, "application/problem+json")
