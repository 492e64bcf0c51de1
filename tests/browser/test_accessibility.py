"""Axe on every page, in both themes and both widths: nothing serious."""

from pathlib import Path

import pytest

from tests.browser.test_operating import PAGES

pytestmark = pytest.mark.system
AXE = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def things(program):
    """Something on every page."""
    failed = program.enqueue("FRAGILE", tenant="acme")
    program.wait_for(failed)
    waiting = program.enqueue("PING", source="boards.example", delay_seconds=3600)
    program.send(
        "PUT", "/sources/boards.example", {"reason": "for looks", "rate_limit_per_minute": 5, "daily_quota": 9}
    )
    program.send("PUT", "/gate", {"scope": "queue", "name": "q", "mode": "drain", "reason": "for looks"})
    program.send("PUT", "/budgets/acme", {"reason": "for looks", "max_running": 3, "daily_budget_cents": 100})
    timing = {"type": "cron", "expression": "0 3 * * *"}
    program.send("PUT", "/schedules/nightly", {"job_type": "PING", "timing": timing, "reason": "for looks"})
    program.client.post("/keys", data={"name": "robot", "scopes": "jobs:read", "reason": "for looks"})
    return [f"/jobs/{failed}", f"/jobs/{waiting}", "/schedules/one?tenant=default&name=nightly"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(make_page, things, scheme, width):
    page = make_page(color_scheme=scheme, viewport={"width": width, "height": 860})
    found = [fault for path in (*PAGES, *things) for fault in examine(page, path)]
    assert found == []


def test_axe_finds_nothing_serious_before_signing_in(make_page):
    page = make_page(None)
    assert examine(page, "/sign-in") == []


def test_axe_finds_nothing_serious_in_an_open_dialog(make_page, things):
    page = make_page()
    page.goto("/gate")
    page.get_by_role("button", name="Shut a gate…").click()
    assert _ask_axe(page, "dialog") == []


def test_axe_finds_what_is_wrong(make_page, things):
    """Else nobody would know whether it looks at all."""
    page = make_page()
    page.goto("/jobs")
    page.evaluate("""() => {
        document.querySelector("input[name=q]").closest("label").replaceWith(document.createElement("input"));
        document.querySelector("h1").style.color = "#eee";
    }""")
    assert {fault.split(": ")[1].partition(" ")[0] for fault in _ask_axe(page, "broken")} >= {"label", "color-contrast"}


def examine(page, path: str) -> list[str]:
    """Ask axe about a page."""
    page.goto(path)
    return _ask_axe(page, path)


def _ask_axe(page, where: str) -> list[str]:
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{where}: {fault['id']} ({fault['impact']}): {fault['nodes'][0]['html'][:160]}"
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
    ]
