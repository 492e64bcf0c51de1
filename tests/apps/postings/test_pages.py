"""The pages of postings."""

import re
import shutil
from decimal import Decimal

import pytest

import dibs
from dibs.access.actions import create_user
from dibs.access.directory import Directory
from dibs.access.model import NewUser, by_system
from dibs.access.principal import Principal
from dibs.access.scopes import Role, Scope
from dibs.apps.postings import actions
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.approving import approve_run
from dibs.apps.postings.model import Pay, Period, Question, Workplace
from dibs.apps.postings.office import Office
from dibs.apps.postings.pages import SUBJECTS
from dibs.apps.postings.pages.asking import make_address
from dibs.apps.postings.records import BoardPolicy, By
from dibs.server.application import make_server
from dibs.storage.tables import Tables
from dibs.web.pages.subjects import find_page, order
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import find, keep, make_posting
from tests.server.conftest import OPTIONS
from tests.server.keys import ACME, NOTHING, OPERATOR, KeyRing
from tests.server.pages.conftest import Outline, read_as

ONE = "/postings/one?job_id=12345&board=ramp"
READING = ["/postings", ONE, "/postings/held", "/postings/approvals", "/postings/profiles", "/postings/variants"]
WRITING = ["/postings/move", "/postings/approve", "/postings/resolve", "/postings/profiles/put"]


@pytest.fixture
async def office(migrated_file, tmp_path):
    shutil.copy(migrated_file, tmp_path / "tables.db")
    async with Tables.at(f"sqlite:///{tmp_path}/tables.db") as opened:
        made = Office(opened)
        await keep(made, make_posting(title="Cook <b>"), make_posting("777", title="Baker"))
        yield made


@pytest.fixture
def ring():
    return KeyRing()


@pytest.fixture
async def server(office, ring):
    async with dibs.Dibs("memory://") as app:
        made = make_server(app, ring, Directory(office.tables), options=OPTIONS)
        yield made
        await made.state.chronicle.close()


@pytest.fixture
async def reader(server):
    async with read_as(server, OPERATOR) as client:
        yield client


@pytest.mark.parametrize("path", READING)
async def test_a_page_opens_and_loads_nothing_from_elsewhere(reader, office, path):
    await claim(office, variant_id="v2", artifacts={"answers": {"<i>": "x"}})
    await report(office, status="unknown", error="it went blank")
    shown = await reader.get(path)
    assert shown.status_code == 200, shown.text
    assert "<b>" not in shown.text
    assert all(address.startswith(("/", "#", "?")) for address in Outline(shown.text).addresses())


@pytest.mark.parametrize("path", [*READING, *WRITING])
async def test_whoever_lacks_the_scope_is_refused_and_a_stranger_is_asked_to_sign_in(server, path):
    method = "POST" if path in WRITING else "GET"
    async with read_as(server, NOTHING) as poor, read_as(server, None) as stranger:
        assert (await poor.request(method, path)).status_code == 403
        assert (await stranger.request(method, path)).headers["location"].startswith("/sign-in")


async def test_another_tenants_posting_is_not_there(server):
    async with read_as(server, ACME) as acme:
        assert (await acme.get(ONE)).status_code == 404
        assert "Baker" not in (await acme.get("/postings")).text


async def test_a_posting_shows_its_runs_with_what_they_left(reader, office):
    await claim(office, variant_id="resume-v2", artifacts={"resume_url": "s3://v2.pdf"})
    await report(office, status="failed", error="Form submission timeout")
    text = (await reader.get(ONE)).text
    for told in ("resume-v2", "s3://v2.pdf", "Form submission timeout", "failed"):
        assert told in text


async def test_postings_are_narrowed_down_by_state_and_board(reader, office):
    await claim(office)
    text = (await reader.get("/postings", params={"status": "queued", "board": "", "tenant": ""})).text
    assert ("12345" in text, "777" in text) == (True, False)
    assert "777" in (await reader.get("/postings?status=&board=ramp&tenant=")).text
    assert "No posting fits" in (await reader.get("/postings", params={"board": "none"})).text


@pytest.mark.parametrize("words", ["777", "BAK", "küchenchef", "KÜCHENCHEF", "heron", "Héron, Inc.", "chef at 50%_"])
async def test_postings_are_found_by_words_of_their_title_or_company(reader, office, words):
    await keep(office, make_posting("k", title="Küchenchef at 50%_", company="Héron, Inc."), board="ramp2")
    wanted = "777" if words in ("777", "BAK") else "k"
    shown = Outline((await reader.get("/postings", params={"q": f" {words} "})).text)
    assert [one for one in shown.addresses() if "/postings/one" in one] == [
        make_address("/postings/one", {"job_id": wanted, "board": "ramp" if wanted == "777" else "ramp2"})
    ]
    assert "No posting fits" in (await reader.get("/postings", params={"q": "_%"})).text


@pytest.mark.parametrize("words", ["küchenchef", "KÜCHENCHEF", "Küchenchef", "pâtisserie", "PÂTISSERIE"])
async def test_a_title_is_found_however_it_is_written_though_nobody_says_whose_it_is(reader, office, words):
    await keep(office, make_posting("k1", title="Küchenchef Pâtisserie", company=None), board="ramp2")
    await keep(office, make_posting("k2", title="KÜCHENCHEF PÂTISSERIE", company=None), board="ramp2")
    shown = Outline((await reader.get("/postings", params={"q": words})).text)
    assert len([one for one in shown.addresses() if "/postings/one" in one]) == 2


async def test_what_no_title_holds_is_not_searched_for(reader, office):
    await keep(office, make_posting("k", title="Night Baker"), board="ramp2")
    text = (await reader.get("/postings", params={"q": "ni\x00ght\u00a0\u200bbaker"})).text
    assert "Night Baker" in text
    assert "777" not in text


async def test_all_postings_of_a_tenant_are_one_step_from_a_search_that_found_none(reader):
    shown = Outline((await reader.get("/postings", params={"q": "nobody", "tenant": "acme"})).text)
    assert "/postings?tenant=acme" in shown.addresses()


async def test_each_state_is_a_tab_that_tells_how_many_there_are(reader, office):
    await claim(office)
    tabs = re.findall(r'(\w+) <span class="count">(\d+)</span>', (await reader.get("/postings")).text)
    counts = {"discovered": "1", "queued": "1", "applied": "0", "expired": "0", "rejected": "0"}
    assert dict(tabs) == {"all": "2", **counts}
    assert 'class="count"' not in (await reader.get("/postings?board=ramp")).text
    assert "/postings?board=ramp&status=queued" in Outline((await reader.get("/postings?board=ramp")).text).addresses()


async def test_no_more_postings_are_counted_than_somebody_would_wait_for(office, monkeypatch):
    monkeypatch.setattr(actions, "MOST_COUNTED", 1)
    assert await actions.count_states(office, "default") is None


async def test_a_posting_shows_where_it_is_what_it_pays_and_what_its_form_asks(reader, office):
    pay = Pay(min=Decimal(20), max=Decimal("25.5"), currency="USD", period=Period.HOUR)
    asked = (Question(label="Do you require a visa?", required=True), Question(label="Why us?"))
    facts = {"pay": pay, "workplace": Workplace.REMOTE, "questions": asked, "apply_url": "https://ramp.test/9?a=1&b"}
    await keep(office, make_posting("9", **facts), board="odd board")
    text = (await reader.get("/postings", params={"board": "odd board"})).text
    for told in ("20 to 25.50 USD an hour", "Lima", "remote"):
        assert told in text
    shown = (await reader.get("/postings/one", params={"job_id": "9"})).text
    for told in ("20 to 25.50 USD an hour", "read from its text", "Lima, remote", "1 for a person to answer first"):
        assert told in shown
    assert 'href="https://ramp.test/9?a=1&amp;b" rel="noreferrer noopener"' in shown
    assert "/postings?board=odd+board" in Outline(shown).addresses()


async def test_what_a_run_answers_is_shown_by_question(reader, office):
    answers = {"Do you need a visa?": "no, <i>", "Where?": ["Lima", "Oslo"]}
    await claim(office, artifacts={"answers": answers, "resume_url": "s3://v2.pdf"})
    shown = (await reader.get(ONE)).text
    assert "<dt>Do you need a visa?</dt><dd>no, &lt;i&gt;</dd>" in shown
    assert shown.count("Do you need a visa?") == 1
    assert "s3://v2.pdf" in shown


async def test_who_did_something_with_a_posting_is_called_by_name(reader, office):
    made = NewUser(tenant=None, name="grace", role=Role.OPERATOR, password="correct horse battery")
    user = await create_user(Directory(office.tables), made, by_system("test"))
    await claim(office)
    await approve_run(office, "default", "run-1", By(actor=f"user:{user.id}", reason="reads well"))
    shown = (await reader.get(ONE)).text
    assert (shown.count(">grace</span>"), f">user:{user.id}<" in shown) == (2, False)


async def test_a_held_posting_says_what_its_run_said_last(reader, office):
    await claim(office)
    await report(office, status="submitting")
    await report(office, status="unknown", error="it went blank <i>")
    assert "it went blank &lt;i&gt;" in (await reader.get("/postings/held")).text
    await keep(office, make_posting("9"), board="clinic", policy=BoardPolicy())
    await claim(office, "run-9", "9", "clinic")
    await report(office, run_id="run-9", status="submitted")
    shown = (await reader.get("/postings/held")).text
    for told in ("not approved", "that it submits"):
        assert told in shown


async def test_a_person_rejects_a_posting_and_ends_a_hold_by_forms(reader, office):
    named = {"job_id": "777", "board": "ramp", "reason": "a scam"}
    moved = await reader.post("/postings/move", data={**named, "verb": "reject"})
    assert (moved.status_code, (await find(office, "777")).state) == (303, "rejected")
    assert (await reader.post("/postings/move", data={**named, "verb": "burn"})).status_code == 422
    await claim(office)
    await report(office, status="unknown")
    assert "run-1" in (await reader.get("/postings/held")).text
    said = {"run_id": "run-1", "finding": "submitted", "reason": "a mail came"}
    assert (await reader.post("/postings/resolve", data=said)).status_code == 303
    assert (await find(office)).state == "applied"
    assert "Nothing is held" in (await reader.get("/postings/held")).text


async def test_a_person_approves_a_run_by_a_form(reader, office):
    await claim(office)
    assert '<input type="hidden" name="version" value="1">' in (await reader.get(ONE)).text
    said = {"run_id": "run-1", "reason": "reads well"}
    await report(office, artifacts={"answers": {"visa": "no"}})
    assert (await reader.post("/postings/approve", data={**said, "version": "1"})).status_code == 409
    approved = await reader.post("/postings/approve", data={**said, "version": "2"})
    assert approved.headers["location"] == ONE
    assert "Approved by" in (await reader.get(ONE)).text


async def test_runs_that_wait_for_approval_have_a_page(reader, office):
    assert "Nothing to approve" in (await reader.get("/postings/approvals")).text
    await keep(office, make_posting("9", title="Nurse <i>"), board="clinic", policy=BoardPolicy())
    await claim(office, "run-7", "9", "clinic", artifacts={"answers": {"Visa <i>?": "no"}})
    shown = await reader.get("/postings/approvals")
    for told in ("Nurse &lt;i&gt;", "run-7", "for you to judge: Visa &lt;i&gt;?"):
        assert told in shown.text
    assert "/postings/one?job_id=9&board=clinic" in Outline(shown.text).addresses()
    await reader.post("/postings/approve", data={"run_id": "run-7", "reason": "reads well"})
    assert "Nothing to approve" in (await reader.get("/postings/approvals")).text


async def test_who_may_only_look_is_offered_nothing_to_do(server, ring, office):
    ring.add("looker", Scope.POSTINGS_READ)
    async with read_as(server, "looker") as looker:
        text = (await looker.get(ONE)).text
    assert "Reject" not in text


async def test_a_posting_is_found_by_the_id_that_the_log_has(reader, office):
    tracked = await find(office)
    led = await reader.get("/postings/known", params={"id": tracked.id, "tenant": "default"})
    assert (led.status_code, led.headers["location"]) == (303, f"{ONE}&tenant=default")
    assert (await reader.get("/postings/known", params={"id": "nothing"})).status_code == 404
    subject = f"posting:{tracked.id}"
    principal = Principal(actor="ann", tenant=None, kind="user", scopes=frozenset({Scope.POSTINGS_READ}))
    pages = order(SUBJECTS)
    assert find_page(pages, subject, "default", principal) == f"/postings/known?id={tracked.id}&tenant=default"
    assert find_page(pages, "posting:board:ramp", "default", principal) == "/postings?board=ramp&tenant=default"
    assert find_page(pages, "posting:answer:visa", "default", principal) == ""


async def test_a_run_that_waits_says_so_and_what_a_person_has_to_judge(reader, office):
    await keep(office, make_posting("9"), board="clinic", policy=BoardPolicy(approval=Approval.WHEN_GUESSED))
    one = "/postings/one?job_id=9&board=clinic"
    await claim(office, "run-9", "9", "clinic", artifacts={"answers": {"Favourite colour?": "red"}})
    assert "waits for approval" not in (await reader.get(one)).text
    await report(office, "run-9", artifacts={"answers": {"Do you need a visa?": "no"}})
    shown = (await reader.get(one)).text
    assert "Nobody may guess, and no person has answered: Do you need a visa?." in shown
    assert shown.count("for you to judge") == 1
    await reader.post("/postings/approve", data={"run_id": "run-9", "reason": "reads well"})
    assert "waits for approval" not in (await reader.get(one)).text
