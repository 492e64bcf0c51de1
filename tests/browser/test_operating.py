"""What people do with the pages: watch, retry, cancel, shut a gate, and all of it without a mouse or on a phone."""

import json

import pytest
from playwright.sync_api import Response, expect

from tests.browser.conftest import wait_until

pytestmark = pytest.mark.system
PAGES = (
    "/",
    "/jobs",
    "/schedules",
    "/workers",
    "/sources",
    "/gate",
    "/tenants",
    "/audit",
    "/audit/seals",
    "/keys",
    "/users",
    "/postings",
    "/postings/held",
    "/postings/approvals",
    "/postings/profiles",
    "/postings/variants",
    "/resumes",
)
TEN = 1_794_823_200
SHOW_TIMES = """(figures) => {
  const chart = document.querySelector("dibs-chart");
  chart.setAttribute("figures", figures);
  return new Promise((show) => requestAnimationFrame(() => show(chart.plot.axes[0]._splits)));
}"""
FIND_WIDER_THAN_FORM = """() => [...document.querySelectorAll("main form :is(input, select, button)")]
  .filter((one) => one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().right > one.form.getBoundingClientRect().right + 1)
  .map((one) => one.outerHTML)"""


def test_a_page_shows_what_happens_without_being_loaded_again(page, program):
    page.goto("/jobs")
    page.evaluate("window.sameOne = true")
    expect(page.locator("#live-mark")).to_have_text("live")
    job_id = program.enqueue("ECHO", {"value": "fresh"})
    row = page.locator("tr", has_text=job_id)
    expect(row).to_be_visible()
    expect(row.locator(".badge")).to_have_text("succeeded")
    assert page.evaluate("window.sameOne") is True


def test_the_overview_draws_charts_that_go_on(page, program):
    page.goto("/")
    expect(page.locator("dibs-chart canvas").first).to_be_visible()
    before = page.evaluate("document.querySelector('dibs-chart').plot.data[0].length")
    program.wait_for(program.enqueue("PING"))
    wait_until(page, f"document.querySelector('dibs-chart').plot.data[0].length > {before}")


def test_a_chart_on_a_phone_tells_times_within_it_however_short_it_is(make_page):
    page = make_page(viewport={"width": 360, "height": 740})
    page.goto("/")
    expect(page.locator("dibs-chart canvas").first).to_be_visible()
    for seconds in range(30, 900, 30):
        # It ends shortly before a time that can be divided by everything.
        figures = {"at": [TEN - 1 - seconds, TEN - 1], "series": [{"label": "endings", "values": [1, 2]}]}
        times = page.evaluate(SHOW_TIMES, json.dumps(figures))
        assert times
        assert TEN - 1 - seconds <= min(times) <= max(times) <= TEN - 1, f"{seconds} s are told as {times}"


def test_a_chart_tells_times_in_utc_wherever_somebody_looks_at_it(make_page):
    page = make_page(timezone_id="Asia/Kolkata")
    page.goto("/")
    expect(page.locator("dibs-chart canvas").first).to_be_visible()
    figures = {"at": [TEN - 600, TEN], "series": [{"label": "endings", "values": [1, 2]}]}
    page.evaluate(SHOW_TIMES, json.dumps(figures))
    told = [one for one in page.evaluate("document.querySelector('dibs-chart').plot.axes[0]._values") if one]
    assert told
    assert {one[:4] for one in told} <= {"09:5", "10:0"}


def test_a_chart_of_spans_tells_what_was_known_last_while_nothing_ends(make_page):
    page = make_page()
    page.goto("/")
    expect(page.locator("dibs-chart canvas").first).to_be_visible()
    figures = {"at": [TEN - 4, TEN - 2, TEN], "series": [{"label": "ran", "values": [0.2, 0.5, None]}], "unit": " s"}
    page.evaluate(SHOW_TIMES, json.dumps(figures))
    expect(page.locator("dibs-chart").first.locator(".u-legend")).to_contain_text("500 ms")


def test_a_failed_job_is_retried_with_a_reason(page, program):
    job_id = program.enqueue("FRAGILE", {"message": "no paper"})
    assert program.wait_for(job_id)["state"] == "failed"
    page.goto(f"/jobs/{job_id}")
    expect(page.get_by_text("no paper").first).to_be_visible()
    page.get_by_role("button", name="Retry…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Reason")).to_be_focused()
    dialog.get_by_label("Reason").fill("paper was brought")
    dialog.get_by_role("button", name="Retry", exact=True).click()
    expect(page.get_by_text("Put back.")).to_be_visible()
    expect(page.locator("main .badge").first).to_have_text("succeeded")
    expect(page.locator(".timeline", has_text="paper was brought")).to_be_visible()


def test_all_failed_jobs_of_a_queue_are_put_back_with_a_reason(page, program):
    made = [program.enqueue("FRAGILE", {"message": "no ink"}, queue="printing") for _ in range(3)]
    for job_id in made:
        program.wait_for(job_id)
    page.goto("/jobs?state=failed&queue=printing")
    page.get_by_role("button", name="Retry all 3…").click()
    dialog = page.get_by_role("dialog", name="Put back 3 failed jobs?")
    expect(dialog.get_by_label("Reason")).to_be_focused()
    dialog.get_by_label("Reason").fill("ink was brought")
    dialog.get_by_role("button", name="Retry them").click()
    expect(page.get_by_text("3 jobs are pending again.")).to_be_visible()
    assert [program.wait_for(job_id)["state"] for job_id in made] == ["succeeded"] * 3
    page.goto("/audit")
    expect(page.get_by_role("cell", name="ink was brought")).to_have_count(3)
    expect(page.locator("tbody", has_text="JOB_SUCCEEDED")).to_have_count(0)


def test_a_reason_must_be_given(page, program):
    job_id = program.enqueue("FRAGILE")
    program.wait_for(job_id)
    page.goto(f"/jobs/{job_id}")
    page.get_by_role("button", name="Retry…").click()
    page.get_by_role("dialog").get_by_role("button", name="Retry", exact=True).click()
    assert page.evaluate("document.querySelector('dialog, [popover] input:invalid') !== null")
    assert program.find(job_id)["state"] == "failed"


def test_a_running_job_is_cancelled(page, program):
    job_id = program.enqueue("SLOW")
    page.goto(f"/jobs/{job_id}")
    expect(page.locator("main .badge").first).to_have_text("running")
    page.get_by_role("button", name="Cancel…").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("not needed")
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.locator("main .badge").first).to_have_text("cancelled")


def test_what_is_typed_into_a_dialog_survives_news(page, program):
    job_id = program.enqueue("SLOW")
    page.goto(f"/jobs/{job_id}")
    page.get_by_role("button", name="Cancel…").click()
    field = page.get_by_role("dialog").get_by_label("Reason")
    field.fill("half a sen")
    with page.expect_response(lambda answer: answer.request.headers.get("hx-target") == "live"):
        program.wait_for(program.enqueue("PING"))
    page.wait_for_timeout(200)
    expect(field).to_be_visible()
    expect(field).to_have_value("half a sen")
    program.send("POST", f"/jobs/{job_id}/cancel", {"reason": "the test is over"})


def test_a_gate_is_shut_and_opened_again(page, program):
    page.goto("/gate")
    page.get_by_role("button", name="Shut a gate…").click()
    dialog = page.get_by_role("dialog", name="Shut a gate?")
    dialog.get_by_label("What it stands before").select_option("queue")
    dialog.get_by_label("Name of the").fill("letters")
    dialog.get_by_label("How far").select_option("closed")
    dialog.get_by_label("Reason").fill("the franking machine is broken")
    dialog.get_by_role("button", name="Shut it").click()
    expect(page.get_by_role("cell", name="the franking machine is broken")).to_be_visible()

    job_id = program.enqueue("PING", queue="letters")
    page.goto(f"/jobs/{job_id}")
    expect(page.get_by_role("heading", name="Why it is not running")).to_be_visible()
    expect(page.get_by_text("the franking machine is broken").first).to_be_visible()

    page.goto("/gate")
    page.get_by_role("button", name="Open…").click()
    opening = page.get_by_role("dialog", name="Open this gate?")
    opening.get_by_label("Reason").fill("repaired")
    opening.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("heading", name="Every gate is open")).to_be_visible()
    assert program.wait_for(job_id)["state"] == "succeeded"


def test_a_key_is_made_shown_once_and_revoked(page, program):
    page.goto("/keys")
    page.get_by_role("button", name="Make a key…").click()
    dialog = page.get_by_role("dialog", name="Make a key?")
    dialog.get_by_label("Name").fill("for the robot")
    dialog.get_by_label("Reason").fill("a robot was bought")
    dialog.get_by_role("button", name="Make it").click()
    secret = page.locator(".secret code").first.inner_text()
    answered = program.client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {secret}"})
    assert answered.status_code == 200
    page.goto("/keys")
    assert secret not in page.content()
    page.locator("tr", has_text="for the robot").get_by_role("button", name="Revoke…").click()
    revoking = page.get_by_role("dialog", name="End this key?")
    revoking.get_by_label("Reason").fill("the robot was sold")
    revoking.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.locator("tr", has_text="for the robot").locator(".badge")).to_have_text("revoked")


def test_everything_can_be_done_from_the_keyboard(page, program):
    job_id = program.enqueue("FRAGILE")
    program.wait_for(job_id)
    page.goto("/jobs?state=failed")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    _tab_to(page, f"a[href='/jobs/{job_id}']")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/jobs/{job_id}")
    _tab_to(page, "button[popovertarget='retry']")
    page.keyboard.press("Enter")
    page.keyboard.type("from the keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Put back.")).to_be_visible()
    assert program.wait_for(job_id)["state"] == "succeeded"


def _tab_to(page, selector: str) -> None:
    for _ in range(80):
        if page.evaluate("wanted => document.activeElement?.matches(wanted) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(selector)


def test_escape_leaves_a_dialog_and_changes_nothing(page, program):
    job_id = program.enqueue("FRAGILE")
    program.wait_for(job_id)
    page.goto(f"/jobs/{job_id}")
    page.get_by_role("button", name="Retry…").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert program.find(job_id)["state"] == "failed"


def test_what_can_be_done_stands_below_the_fields_of_a_dialog_also_in_a_table(page, program):
    # Tenants are known by their jobs.
    program.wait_for(program.enqueue("PING"))
    page.goto("/tenants")
    page.get_by_role("button", name="Limits…").first.click()
    dialog = page.get_by_role("dialog")
    field, button = dialog.get_by_label("Reason").bounding_box(), dialog.get_by_role("button").first.bounding_box()
    assert field is not None
    assert button is not None
    assert abs(button["x"] - field["x"]) < 1


def test_pages_fit_a_phone(make_page, program):
    job_id = program.enqueue("ECHO", {"value": "long" * 200}, queue="a-rather-long-name-of-a-queue-for-a-phone")
    program.wait_for(job_id)
    page = make_page(viewport={"width": 390, "height": 844})
    for path in (*PAGES, f"/jobs/{job_id}"):
        page.goto(path)
        excess = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert excess <= 0, f"{path} is {excess} px too wide"
        assert page.evaluate(FIND_WIDER_THAN_FORM) == [], path
    page.goto("/")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()


def test_the_pages_work_without_scripts(make_page, program):
    job_id = program.enqueue("FRAGILE", {"message": "quietly"})
    program.wait_for(job_id)
    page = make_page(java_script_enabled=False)
    page.goto("/")
    expect(page.get_by_role("heading", name="Throughput")).to_be_visible()
    page.goto("/jobs?state=failed")
    page.locator(f"a[href='/jobs/{job_id}']").click()
    page.get_by_role("button", name="Retry…").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("again, please")
    page.get_by_role("dialog").get_by_role("button", name="Retry", exact=True).click()
    expect(page.get_by_text("Put back.")).to_be_visible()


def test_the_theme_is_kept(page):
    page.goto("/")
    page.get_by_role("button", name="Theme: auto").click()
    page.get_by_role("button", name="Theme: light").click()
    page.goto("/jobs")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_every_page_weighs_less_than_300_kib(make_page, program):
    for _ in range(60):
        program.enqueue("PING", delay_seconds=3600)
    for path in PAGES:
        # In a context of its own, which has not seen scripts and styles before.
        page = make_page()
        answers: list[Response] = []
        page.on("response", lambda answer, kept=answers: kept.append(answer))
        page.goto(path, wait_until="load")
        expect(page.locator("html[data-scripts='yes']")).to_be_attached()
        weight = sum(len(answer.body()) for answer in answers if not answer.url.endswith("/live"))
        assert 100_000 < weight < 300 * 1024, (path, weight)
        page.context.close()


@pytest.mark.parametrize("width", [1440, 375])
def test_a_name_without_spaces_widens_no_page(make_page, program, width):
    name, long = "p" * 90, "Donaudampfschifffahrt" * 12
    body = {"full_name": long, "contact": long, "answers": {long: long}, "reason": "for looks"}
    program.send("PUT", f"/postings/profiles/{name}", body)
    page = make_page(viewport={"width": width, "height": 860})
    page.goto("/postings/profiles")
    page.get_by_text("1 answer").click()
    expect(page.get_by_role("heading", name=long)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(f"/?tenant={name * 2}")
    expect(page.get_by_text(f"What happens with the jobs of {name * 2}.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
