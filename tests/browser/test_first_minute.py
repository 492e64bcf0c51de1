"""From the first start to the first job, as a newcomer does it; and the demo, as it is shown to others."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watch, wait_until
from tests.browser.running import ADMIN, run_up
from tests.browser.test_accessibility import examine
from tests.browser.test_operating import PAGES

pytestmark = pytest.mark.system
APPS = (*(one for one in PAGES if one.startswith("/postings")), "/resumes")
# A table may be wider than a desk or a tablet when names are long; with ordinary ones nothing may be cut off.
CUT_TABLES = """[...document.querySelectorAll(".table")].filter(one => one.scrollWidth > one.clientWidth)
    .map(one => `${one.getAttribute("aria-label")} lacks ${one.scrollWidth - one.clientWidth} px`)"""


def test_the_first_start_leads_to_the_first_job_done(chromium, tmp_path, album):
    with run_up(tmp_path / "data") as service:
        context = chromium.new_context(base_url=service.place, viewport={"width": 1280, "height": 860})
        watch = Watch(service.place)
        watch.follow(context)
        page = context.new_page()
        page.goto(service.setup)
        page.get_by_label("Name").fill(ADMIN["name"])
        page.get_by_label("Password").fill(ADMIN["password"])
        page.get_by_role("button", name="Make it and go in").click()
        expect(page.get_by_role("heading", name=re.compile("No job (of yours )?yet"))).to_be_visible()
        page.get_by_role("button", name="Run a first job").click()
        expect(page.locator("main .badge").first).to_have_text("succeeded", timeout=20_000)
        expect(page.get_by_text('"pong": "hello"')).to_be_visible()
        page.goto(service.setup)
        expect(page.get_by_role("heading", name="This link is spent")).to_be_visible()
        watch.allowed = ("404 (Not Found)",)
        watch.check()
        context.close()


def test_the_demo_shows_every_part_at_work_within_a_minute(chromium, tmp_path, album):
    with run_up(tmp_path / "data", "--demo") as service:
        context = chromium.new_context(base_url=service.place, viewport={"width": 1280, "height": 860})
        watch = Watch(service.place)
        watch.follow(context)
        page = context.new_page()
        page.goto(service.setup)
        page.get_by_label("Name").fill(ADMIN["name"])
        page.get_by_label("Password").fill(ADMIN["password"])
        page.get_by_role("button", name="Make it and go in").click()
        for word in ("the report server is being moved", "archive.example", "prices.example"):
            expect(page.get_by_text(word).first).to_be_visible(timeout=60_000)
        for state in ("succeeded", "pending"):
            expect(page.locator(".badge", has_text=state).first).to_be_visible(timeout=60_000)
        page.goto("/jobs?state=retryable")
        expect(page.locator("tbody tr").first).to_be_visible(timeout=60_000)
        page.goto("/tenants")
        for tenant in ("acme", "globex", "initech"):
            expect(page.get_by_role("link", name=tenant, exact=True)).to_be_visible()
        page.goto("/schedules")
        expect(page.get_by_role("cell", name="nightly report")).to_be_visible()
        for width in (1280, 1024):
            page.set_viewport_size({"width": width, "height": 860})
            for path in PAGES:
                page.goto(path)
                assert page.evaluate(CUT_TABLES) == [], (path, width)
        page.set_viewport_size({"width": 1280, "height": 860})
        _look_at_apps(page)
        _take_pictures(page, album)
        watch.check()
        context.close()


def _look_at_apps(page) -> None:
    """Look at pages that apps add, with something on them: they are readable, and nothing stands beside the screen."""
    page.goto("/resumes")
    page.get_by_role("link", name="Ines Carvalho").click(timeout=60_000)
    expect(page.get_by_text("ines.carvalho@example.com").first).to_be_visible(timeout=60_000)
    held = "/postings/one?job_id=lumen-042&board=lumen-labs"
    for path in (page.url, held, *APPS):
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 860})
            assert examine(page, path) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(held)
    expect(page.get_by_role("button", name="Say what happened…")).to_be_visible()


def _take_pictures(page, album) -> None:
    page.goto("/")
    # The charts need some samples to have lines.
    wait_until(page, "document.querySelector('dibs-chart')?.plot?.data[0].length > 12")
    page.set_viewport_size({"width": 1280, "height": 1180})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(300)
        page.screenshot(path=album / f"overview-{scheme}.png")
    page.emulate_media(color_scheme="light")
    page.goto("/jobs?job_type=SEND_LETTER&state=succeeded")
    # One that was tried twice has more to tell; there may be none so soon.
    retried = page.locator("tr", has=page.locator("td[data-label='Failed attempts']", has_text="1"))
    (retried if retried.count() else page.locator("tbody tr")).first.locator("a").click()
    page.set_viewport_size({"width": 1280, "height": 860})
    expect(page.get_by_role("heading", name="Its story")).to_be_visible()
    page.screenshot(path=album / "job-light.png")
    page.goto("/postings/approvals")
    page.get_by_role("link", name="Data analyst, Search").click()
    expect(page.get_by_text("waits for approval")).to_be_visible()
    page.screenshot(path=album / "posting-light.png")
