"""People at the front door: first setup, signing in and out, cookies, and what other sites' pages cannot do."""

import itertools
from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.access.actions import create_user, disable_user
from dibs.access.model import AccessRules, NewUser
from dibs.access.scopes import Role
from dibs.access.signing_in import begin_setup
from dibs.errors import BadInput
from dibs.server.application import make_server
from dibs.web.rates import Rate
from dibs.web.sessions import Home
from tests.access.conftest import BOSS
from tests.server.conftest import OPTIONS, connect

ADA = {"name": "ada", "password": "correct horse battery"}
WHY = {"reason": "because"}


@pytest.fixture
def server(engine, directory, gatekeeper):
    return make_server(engine, gatekeeper, directory, options=OPTIONS)


@pytest.fixture
async def browser(server):
    async with connect(server, None) as client:
        client.base_url = "http://localhost:8470"
        client.headers["Origin"] = "http://localhost:8470"
        yield client


@pytest.fixture
async def ada(directory):
    return await create_user(directory, NewUser(tenant="acme", role=Role.OPERATOR, **ADA), BOSS)


async def test_the_setup_link_makes_the_first_admin_once(browser, directory):
    secret = await begin_setup(directory)
    assert (await browser.get(f"/setup/{secret}")).json()["setup"] == "open"
    made = await browser.post(f"/setup/{secret}", json=ADA)
    assert (made.status_code, made.json()["user"]["role"]) == (200, "admin")
    assert (await browser.get("/api/v1/jobs")).status_code == 200
    again = await browser.post(f"/setup/{secret}", json={**ADA, "name": "eve"})
    assert (again.status_code, again.json()["code"]) == (401, "sign_in_refused")
    assert (await browser.get(f"/setup/{secret}")).status_code == 404


async def test_a_guessed_setup_link_opens_nothing(browser, directory):
    await begin_setup(directory)
    assert (await browser.get("/setup/guess")).json()["code"] == "setup_closed"
    assert (await browser.post("/setup/guess", json=ADA)).status_code == 401


async def test_a_user_signs_in_works_and_signs_out(browser, ada):
    assert (await browser.get("/api/v1/jobs")).status_code == 401
    answered = await browser.post("/sign-in", json=ADA)
    assert answered.json()["user"] == {"id": ada.id, "name": "ada", "role": "operator", "tenant": "acme"}
    assert (await browser.post("/api/v1/jobs", json={"job_type": "PING"})).json()["job"]["tenant"] == "acme"
    assert (await browser.post("/sign-out")).status_code == 204
    assert (await browser.get("/api/v1/jobs")).status_code == 401


async def test_who_signs_in_comes_in_whatever_a_neighbour_guesses(engine, directory, gatekeeper, ada):
    options = replace(OPTIONS, failed_keys=Rate(per_second=0.01, burst=1))
    server = make_server(engine, gatekeeper, directory, options=options)
    async with connect(server, None) as browser, connect(server, "old") as neighbour:
        browser.base_url, browser.headers["Origin"] = "http://localhost:8470", "http://localhost:8470"
        assert [(await neighbour.get("/jobs")).status_code for _ in range(2)] == [401, 429]
        await browser.post("/sign-in", json=ADA)
        assert (await browser.get("/api/v1/jobs")).status_code == 200


@pytest.mark.parametrize("by_itself", [{"HX-Request": "true", "HX-Target": "live"}, {"Accept": "text/event-stream"}])
async def test_what_an_open_page_asks_for_by_itself_is_no_use_of_its_session(browser, gatekeeper, ada, by_itself):
    await browser.post("/sign-in", json=ADA)
    gatekeeper._directory.rules = replace(gatekeeper._directory.rules, use_noted_every=timedelta(0))
    uses: list[str] = []

    def note(work):
        uses.append(work.__name__)
        work.close()

    gatekeeper._note = note
    assert (await browser.get("/api/v1/queues", headers=by_itself)).status_code == 200
    assert uses == []
    assert (await browser.get("/api/v1/queues")).status_code == 200
    assert uses == ["_note_session"]


async def test_a_session_that_was_ended_elsewhere_opens_nothing(browser, ada, server, directory):
    await browser.post("/sign-in", json=ADA)
    session = browser.cookies["dibs"]
    await browser.post("/sign-out")
    browser.cookies.set("dibs", session, domain="localhost.local")
    assert (await browser.get("/api/v1/jobs", headers={"Cookie": f"dibs={session}"})).status_code == 401


async def test_a_role_is_what_a_session_may_do(browser, ada):
    await browser.post("/sign-in", json=ADA)
    refused = await browser.put("/api/v1/budgets/acme", json=WHY)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


async def test_no_script_reads_the_cookie_and_no_other_site_sends_it_along(browser, ada):
    kept = (await browser.post("/sign-in", json=ADA)).headers["set-cookie"].lower()
    assert kept.startswith("dibs=")
    assert {"httponly", "path=/", "samesite=lax"} <= {part.strip() for part in kept.split(";")}
    assert "domain" not in kept


async def test_over_https_the_cookie_belongs_to_the_host_alone(engine, directory, gatekeeper, ada):
    options = replace(OPTIONS, home=Home(public_url="https://dibs.example.com"))
    server = make_server(engine, gatekeeper, directory, options=options)
    async with connect(server, None) as browser:
        browser.base_url = "https://dibs.example.com"
        answered = await browser.post("/sign-in", json=ADA, headers={"Origin": "https://dibs.example.com"})
        kept = answered.headers["set-cookie"]
        assert kept.startswith("__Host-dibs=")
        assert "; Secure" in kept
        assert answered.headers["strict-transport-security"].startswith("max-age=")
        assert (await browser.get("/api/v1/jobs")).status_code == 200
        plain = kept.partition(";")[0].removeprefix("__Host-")
        assert (await connect(server, None).get("/jobs", headers={"Cookie": plain})).status_code == 401


@pytest.mark.parametrize(
    "sent",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "https://localhost:8470"},
        {"Origin": "http://localhost:8470.evil.example"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {},
    ],
)
async def test_what_another_sites_page_sends_is_refused(browser, ada, sent):
    await browser.post("/sign-in", json=ADA)
    del browser.headers["origin"]
    paths, kinds = ("/api/v1/jobs", "/sign-in", "/sign-out", "/setup/x"), ("application/json", "text/plain")
    for path, kind in itertools.product(paths, kinds):
        body = {"content": b'{"job_type": "PING"}', "headers": {"Content-Type": kind, **sent}}
        refused = await browser.post(path, **body)
        assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")
    assert (await browser.get("/api/v1/jobs")).json()["jobs"] == []


async def test_a_form_of_our_own_without_an_origin_is_known_by_what_the_browser_says(browser, ada):
    del browser.headers["origin"]
    answered = await browser.post("/sign-in", json=ADA, headers={"Sec-Fetch-Site": "same-origin"})
    assert answered.status_code == 200


async def test_people_do_not_sign_in_over_plain_http_from_afar(browser, ada):
    far = {"Host": "dibs.internal", "Origin": "http://dibs.internal"}
    assert (await browser.post("/sign-in", json=ADA, headers=far)).json()["code"] == "not_at_home"


@pytest.mark.parametrize("host", ["[", "[::1", "localhost:99999999", "localhost:x"])
async def test_nobody_signs_in_at_a_place_that_cannot_be_read(browser, ada, host):
    odd = {"Host": host, "Origin": f"http://{host}"}
    answered = await browser.post("/sign-in", json=ADA, headers=odd)
    assert (answered.status_code, answered.json()["code"]) == (403, "not_at_home")


async def test_a_key_needs_no_origin_and_is_not_helped_by_a_cookie(browser, ada, server):
    await browser.post("/sign-in", json=ADA)
    del browser.headers["origin"]
    refused = await browser.get("/api/v1/jobs", headers={"Authorization": "Bearer wrong"})
    assert refused.status_code == 401


@pytest.mark.parametrize(
    ("following", "place"),
    [
        ("/jobs?state=failed", "/jobs?state=failed"),
        ("//evil.example", "/"),
        ("/\\evil", "/"),
        ("https://e", "/"),
        ("", "/"),
    ],
)
async def test_a_form_leads_to_a_page_of_ours(browser, ada, following, place):
    answered = await browser.post("/sign-in", data={**ADA, "next": following})
    assert (answered.status_code, answered.headers["location"]) == (303, place)


async def test_a_form_that_is_refused_leads_back_and_tells_nothing_of_what_was_typed(browser, ada):
    refused = await browser.post("/sign-in", data={"name": "ada", "password": "wrong, quite wrong"})
    assert (refused.status_code, refused.headers["location"]) == (303, "/sign-in?problem=sign_in_refused")
    assert "set-cookie" not in refused.headers


async def test_wrong_passwords_are_slowed_down(browser, ada, directory):
    directory.rules = AccessRules(guesses_an_account=3)
    wrong = {**ADA, "password": "wrong, quite wrong"}
    statuses = [(await browser.post("/sign-in", json=wrong)).status_code for _ in range(3)]
    refused = await browser.post("/sign-in", json=ADA)
    assert (statuses, refused.status_code) == ([401] * 3, 429)
    assert 0 < int(refused.headers["retry-after"]) <= 900


async def test_an_unknown_name_is_answered_like_a_wrong_password(browser, ada):
    answers = [await browser.post("/sign-in", json={**ADA, **odd}) for odd in ({"name": "eve"}, {"password": "x" * 20})]
    assert answers[0].content == answers[1].content


async def test_whoever_is_shut_out_is_out_at_once(browser, ada, directory, server):
    await browser.post("/sign-in", json=ADA)
    await disable_user(directory, "acme", "ada", BOSS)
    server.state.doorkeeping._gatekeeper._remembered.clear()
    assert (await browser.get("/api/v1/jobs")).status_code == 401


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"name": 5, "password": "x"}', b'{"name": "ada"}', b"\xff"])
async def test_a_body_that_is_no_sign_in_is_a_problem(browser, body):
    refused = await browser.post("/sign-in", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code in (400, 422)
    assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "url",
    [
        "dibs.example.com",
        "https://a/b",
        "ftp://a",
        "https://u@a",
        "http://dibs.example.com",
        "https://",
        "https://[",
        "https://a:x",
    ],
)
def test_a_public_url_that_cannot_be_one_is_refused(url):
    with pytest.raises(BadInput):
        Home(public_url=url)
