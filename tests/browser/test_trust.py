"""Whom the pages trust: roles, other sites, and whatever stands in a field."""

import http.server
import threading
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.naughty import STRINGS, as_name, read_big_list
from tests.browser.running import ADMIN

pytestmark = pytest.mark.system
VIEWER = {"name": "victor", "password": "just looking around"}


@pytest.fixture(scope="module")
def victor(running, program):
    form = {**VIEWER, "role": "viewer", "reason": "he asked"}
    assert program.client.post("/users", data=form).status_code == 303


def test_strangers_are_asked_to_sign_in_and_led_back(make_page):
    page = make_page(None)
    page.goto("/jobs?state=failed")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Name").fill(ADMIN["name"])
    page.get_by_label("Password").fill("a wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    page.goto("/sign-in?next=%2Fjobs%3Fstate%3Dfailed")
    page.get_by_label("Name").fill(ADMIN["name"])
    page.get_by_label("Password").fill(ADMIN["password"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/jobs?state=failed")


def test_a_link_cannot_lead_to_another_site_after_signing_in(make_page, running):
    page = make_page(None)
    for bad in ("//evil.example", "/%5Cevil.example", "https:%2F%2Fevil.example"):
        page.goto(f"/sign-in?next={bad}")
        page.get_by_label("Name").fill(ADMIN["name"])
        page.get_by_label("Password").fill(ADMIN["password"])
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{running.place}/")
        assert page.url == f"{running.place}/"


def test_a_viewer_sees_and_cannot_do(make_page, program, victor, running, watch):
    job_id = program.enqueue("FRAGILE")
    program.wait_for(job_id)
    page = make_page(**VIEWER)
    page.goto(f"/jobs/{job_id}")
    expect(page.locator("main .badge").first).to_have_text("failed")
    expect(page.get_by_role("button", name="Retry…")).to_have_count(0)
    expect(page.get_by_role("link", name="Keys")).to_have_count(0)
    watch.allowed = ("403 (Forbidden)",)
    page.goto("/keys")
    expect(page.get_by_role("heading", name="Forbidden")).to_be_visible()
    answer = page.request.post(
        "/jobs/retry", form={"job_id": job_id, "reason": "I can"}, headers={"Origin": running.place}
    )
    assert answer.status == 403
    assert program.find(job_id)["state"] == "failed"


def test_signing_out_ends_it(make_page, victor):
    page = make_page(**VIEWER)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/jobs")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.fixture
def other_site(running):
    """A page on another port, whose form is sent by itself; for the browser it is the same site, cookies and all."""
    job: dict[str, str] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            form = f"""<form method="post" action="{running.place}/jobs/cancel">
                <input name="job_id" value="{job["id"]}"><input name="reason" value="forged"></form>
                <script>document.forms[0].submit()</script>"""
            self.wfile.write(form.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", job
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_form_of_another_site_is_refused(page, program, other_site, watch):
    place, job = other_site
    job["id"] = job_id = program.enqueue("PING", delay_seconds=3600)
    watch.allowed = ("asked http://127.0.0.1", "403 (Forbidden)", "favicon")
    with page.expect_navigation(url="**/jobs/cancel"):
        page.goto(place, wait_until="commit")
    expect(page.get_by_role("heading", name="Forbidden")).to_be_visible()
    assert program.find(job_id)["state"] == "pending"


def test_no_string_in_any_field_is_ever_run(page, program):
    seen = _plant(program)
    paths = ["/", "/jobs", "/schedules", "/sources", "/gate", "/audit", "/tenants", "/keys", "/users", "/workers"]
    paths += ["/audit?view=everything", "/postings", "/postings/held", "/postings/profiles", "/postings/variants"]
    paths += ["/postings/approvals"]
    paths += ["/resumes", *(f"/resumes/{one}" for one in _plant_in_apps(program))]
    for path in [*paths, *(f"/jobs/{job_id}" for job_id in seen)]:
        page.goto(path)
        page.wait_for_timeout(50)
        assert page.evaluate("window.owned") is None, path
        assert (
            page.locator("x-owned, main iframe, main script, main style, main [onerror], main [onload]").count() == 0
        ), path
    page.goto(f"/jobs?queue={quote(STRINGS[0])}")
    expect(page.get_by_role("cell", name=STRINGS[0]).first).to_be_visible()


def test_the_big_list_of_naughty_strings_is_shown_as_it_is(page, program):
    named = {as_name(text): text for text in read_big_list() if as_name(text)}
    shown = {program.send("POST", "/jobs", _name_all(name, text))["job"]["id"]: name for name, text in named.items()}
    assert len(shown) > 400
    for job_id in [*shown][::6]:
        page.goto(f"/jobs/{job_id}")
        assert page.locator("h1").text_content() == shown[job_id]
        assert page.locator("main :is(script, iframe, style, [onload], [onerror])").count() == 0, shown[job_id]
    assert set(named) - _read_types(page) == set()


def _read_types(page) -> set[str]:
    """Turn over all pages of jobs that wait."""
    page.goto("/jobs?state=pending")
    seen = set(page.locator("td a").all_text_contents())
    while (older := page.get_by_role("link", name="Older")).count():
        page.goto(older.get_attribute("href"))
        seen |= set(page.locator("td a").all_text_contents())
    return seen


def _name_all(name: str, text: str) -> dict[str, object]:
    """Describe a job that is called by one string everywhere, and does not run."""
    every = dict.fromkeys(("job_type", "queue", "unique_key", "concurrency_key", "source"), name)
    return {**every, "input": {text: text}, "delay_seconds": 3600}


def _plant(program) -> list[str]:
    """Put hostile strings wherever a string is taken; give the jobs to look at."""
    seen, echoed = [], []
    for text in STRINGS:
        name = as_name(text)
        options = {"queue": name, "unique_key": name, "concurrency_key": name}
        echoed.append(program.enqueue("ECHO", {"value": {text: [text]}}, **options))
        seen.append(program.enqueue("FRAGILE", {"message": text}, queue=name, tenant=name))
        program.enqueue(name, {}, source=name)
    for text in STRINGS[1::4]:
        _plant_names(program, text, as_name(text)[:150])
    for job_id in echoed:
        assert program.wait_for(job_id)["output"] is not None
    return [*echoed[::5], *seen[::5]]


def _plant_in_apps(program) -> list[str]:
    """Put hostile strings into what apps show; give the resumes to look at."""
    for number, text in enumerate(STRINGS[::4]):
        body = {"full_name": as_name(text)[:150], "reason": text}
        program.send("PUT", f"/postings/profiles/profile-{number}", body)
    document = "\n".join(["Jane Roe", "jane@example.org", "", "Experience", *STRINGS, "", "Skills", *STRINGS])
    made = program.client.post(
        "/api/v1/resumes",
        params={"name": "<img src=x onerror=window.owned=1>.txt"},
        content=document.encode(),
        headers={"Content-Type": "application/octet-stream"},
    )
    assert made.is_success, made.text
    return [made.json()["id"]]


def _plant_names(program, text: str, name: str) -> None:
    program.send("PUT", "/gate", {"scope": "queue", "name": name, "mode": "drain", "reason": text})
    program.send("PUT", "/budgets/naughty", {"reason": text, "max_running": 7})
    for path, fields in (
        ("/keys", {"name": name, "scopes": "jobs:read"}),
        ("/users", {"name": name, "role": "viewer", "password": "long enough, yes"}),
        ("/tenants", {"name": name}),
        ("/tenants/budget", {"name": name, "max_running": "7"}),
    ):
        assert program.client.post(path, data={**fields, "reason": text}).status_code in (200, 303), (path, name)

    # A name with a slash cannot be a part of a path.
    if "/" not in name:
        timing = {"type": "interval", "every_seconds": 3600}
        program.send("PUT", f"/sources/{quote(name)}", {"reason": text})
        program.send("PUT", f"/schedules/{quote(name)}", {"job_type": name, "timing": timing, "reason": text})
        assert program.client.post("/sources/pause", data={"name": name, "reason": text}).status_code == 303
