"""Pages of resumes: the list, one resume with its evidence, and what people do there."""

import pytest

from dibs.services.resumes.uploads.pages import SUBJECTS
from tests.server.keys import ACME
from tests.server.pages.conftest import PLACE, Outline, read_as
from tests.services.resumes.uploads.conftest import JANE, hand_in

WHY = {"reason": "misread"}


@pytest.fixture
async def reader(server):
    async with read_as(server, ACME) as client:
        yield client
    await server.state.chronicle.close()


async def test_a_resume_is_handed_in_on_the_page_and_shown_with_its_evidence(reader):
    listed = await reader.get("/resumes")
    assert "No resumes" in listed.text
    assert 'enctype="multipart/form-data"' in listed.text
    sent = await reader.post("/resumes/upload", files={"file": ("jane.txt", JANE)}, headers={"Origin": PLACE})
    assert sent.status_code == 303, sent.text
    shown = await reader.get(sent.headers["location"])
    assert "<title>basics.email: jane.roe@example.org" in shown.text
    assert "Jane Roe" in (await reader.get("/resumes")).text
    assert (await reader.get(sent.headers["location"] + "/document")).content == JANE


async def test_a_resume_that_waits_for_its_job_has_a_page_that_says_so(reader, acme, drain, monkeypatch):
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)
    at = f"/resumes/{(await hand_in(acme))['id']}"
    waiting = await reader.get(at)
    assert (waiting.status_code, "It is being read" in waiting.text) == (200, True)
    await drain()
    assert "Jane Roe" in (await reader.get(at)).text


async def test_a_field_is_corrected_on_its_page(reader, acme):
    made = await hand_in(acme)
    at = f"/resumes/{made['id']}"
    sent = await reader.post(f"{at}/correct", data={"path": "basics.name", "value": "Janet Roe", **WHY})
    assert (sent.status_code, sent.headers["location"]) == (303, at)
    assert "corrected" in (await reader.get(at)).text
    await reader.post(f"{at}/correct", data={"path": "work[0].position", "value": "", **WHY})
    found = (await acme.get(f"/resumes/{made['id']}")).json()["resume"]
    assert found["basics"]["name"] == "Janet Roe"
    assert "position" not in found["work"][0]


async def test_a_resume_is_reviewed_read_again_and_forgotten_on_its_page(reader, acme):
    made = await hand_in(acme)
    at = f"/resumes/{made['id']}"
    for verb, more in (("review", {"reviewed": "true"}), ("read", {}), ("remove", {})):
        assert (await reader.post(f"{at}/{verb}", data={**WHY, **more})).status_code == 303
    assert (await reader.get(at)).status_code == 404


async def test_what_a_document_says_is_text_and_never_markup(reader, acme):
    made = await hand_in(acme, b'<Jane> Roe\n"><img src=x onerror=alert(1)>\njane@example.org\n', "<b>.txt")
    page = await reader.get(f"/resumes/{made['id']}")
    assert page.status_code == 200
    assert not [
        tag
        for tag, given in Outline(page.text).elements
        if tag in ("img", "jane", "b") and "src" in given and given["src"] == "x"
    ]
    assert "<b>.txt" not in page.text


async def test_what_the_audit_log_calls_a_resume_leads_to_it(reader, acme):
    made = await hand_in(acme)
    [page] = SUBJECTS
    assert "jane" in (await reader.get(page.lead_to(f"resume:{made['id']}", "acme"))).text
