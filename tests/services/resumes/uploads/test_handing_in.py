"""Resumes over HTTP: handed in, read at once, listed, read again, forgotten."""

import asyncio

import pytest

from dibs.kit.encryption.encrypted import NoCipher
from dibs.services.resumes.uploads.desk import open_documents
from dibs.services.resumes.uploads.model import FINISH
from tests.services.resumes.making import make_picture
from tests.services.resumes.uploads.conftest import JANE, hand_in

WHY = {"reason": "a test"}


async def test_a_form_gives_an_id_and_the_profile_at_once(acme):
    answered = await acme.post("/resumes", files={"file": ("jane.txt", JANE, "text/plain")})
    assert answered.status_code == 201, answered.text
    made = answered.json()
    assert made["resume"]["basics"]["email"] == "jane.roe@example.org"
    assert made["resume"]["meta"]["sections"]
    assert (made["state"], made["name"], made["person"], made["size"]) == ("done", "jane.txt", "Jane Roe", len(JANE))
    assert answered.headers["location"] == f"/api/v1/resumes/{made['id']}"
    again = await acme.get(f"/resumes/{made['id']}")
    assert again.json() == made
    assert again.headers["etag"] == '"v2"'


async def test_a_body_by_itself_is_a_file_too(acme):
    answered = await acme.post(
        "/resumes", params={"name": "jane.txt"}, content=JANE, headers={"Content-Type": "text/plain"}
    )
    assert answered.status_code == 201, answered.text
    made = answered.json()
    assert (made["name"], made["declared"]) == ("jane.txt", "text/plain")
    assert made["resume"]["basics"]["name"] == "Jane Roe"


async def test_the_very_same_file_is_the_same_resume(acme, globex):
    made = await hand_in(acme)
    answered = await acme.post("/resumes", files={"file": ("other.txt", JANE)})
    assert (answered.status_code, answered.json()["id"]) == (200, made["id"])
    theirs = await globex.post("/resumes", files={"file": ("jane.txt", JANE)})
    assert theirs.status_code == 201
    assert theirs.json()["id"] != made["id"]


async def test_the_same_file_at_the_same_time_is_one_resume(acme):
    made = await asyncio.gather(*(hand_in(acme) for _ in range(5)))
    assert len({one["id"] for one in made}) == 1
    assert len((await acme.get("/resumes")).json()["resumes"]) == 1


async def test_a_picture_gives_a_first_result_and_a_job_brings_the_whole_and_tells_nothing_itself(acme, drain):
    made = await hand_in(acme, make_picture("Jane Roe", "jane.roe@example.org"), "jane.png")
    assert (made["state"], made["status"]) == ("partial", "needs_review")
    assert "ocr_pending" in [flag["code"] for flag in made["resume"]["meta"]["flags"]]
    await drain()
    whole = (await acme.get(f"/resumes/{made['id']}")).json()
    assert whole["state"] == "done"
    assert whole["resume"]["basics"]["email"] == "jane.roe@example.org"
    [job] = (await acme.get("/jobs", params={"job_type": FINISH})).json()["jobs"]
    job = (await acme.get(f"/jobs/{job['id']}")).json()
    assert job["output"] == {"resume": made["id"], "done": True, "status": whole["status"]}


async def test_what_does_not_come_in_time_is_left_to_the_job(acme, drain, monkeypatch):
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)
    made = await hand_in(acme)
    assert (made["state"], made["status"], made["resume"]) == ("reading", "pending", None)
    await drain()
    assert (await acme.get(f"/resumes/{made['id']}")).json()["resume"]["basics"]["name"] == "Jane Roe"


async def test_a_document_that_cannot_be_read_is_an_answer_that_asks_for_another(acme):
    made = await hand_in(acme, b"%PDF-1.7 and nothing else", "jane.pdf")
    assert (made["state"], made["status"], made["resume"]["basics"]) == ("done", "error", {})
    [flag] = made["resume"]["meta"]["flags"]
    assert flag["code"] == "corrupted"
    assert "upload it again" in flag["message"]


async def test_resumes_are_listed_by_status_and_page(acme):
    made = [await hand_in(acme, JANE + str(number).encode()) for number in range(3)]
    await hand_in(acme, b"%PDF-1.7 and nothing else", "jane.pdf")
    bad = (await acme.get("/resumes", params={"status": "error"})).json()["resumes"]
    assert [one["name"] for one in bad] == ["jane.pdf"]
    first = (await acme.get("/resumes", params={"limit": 3})).json()
    rest = (await acme.get("/resumes", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    assert [one["id"] for one in (*first["resumes"], *rest["resumes"])][1:] == [one["id"] for one in reversed(made)]
    assert rest["next_cursor"] is None


async def test_the_file_comes_back_as_it_was_to_be_saved_and_not_shown(acme):
    made = await hand_in(acme, JANE, "Jané Roe.txt")
    answered = await acme.get(f"/resumes/{made['id']}/document")
    assert answered.content == JANE
    assert answered.headers["content-type"] == "application/octet-stream"
    assert answered.headers["content-disposition"] == "attachment; filename*=UTF-8''Jan%C3%A9%20Roe.txt"


async def test_evidence_is_drawn_and_can_do_nothing(acme):
    made = await hand_in(acme, JANE.replace(b"Acme Ltd", b"<script>alert(1)</script>"))
    answered = await acme.get(f"/resumes/{made['id']}/evidence")
    assert answered.headers["content-type"].startswith("text/html")
    assert "basics.email: jane.roe@example.org" in answered.text
    assert "<script" not in answered.text
    assert answered.headers["content-security-policy"].endswith("sandbox")


async def test_reading_again_is_a_job_and_counts(acme, drain):
    made = await hand_in(acme)
    answered = await acme.post(f"/resumes/{made['id']}/read", json=WHY)
    assert (answered.status_code, answered.json()["state"], answered.json()["round"]) == (202, "reading", 2)
    assert (await acme.get(f"/resumes/{made['id']}")).json()["resume"] is not None
    await drain()
    assert (await acme.get(f"/resumes/{made['id']}")).json()["state"] == "done"


async def test_a_resume_is_forgotten_with_its_file(acme, session_parser):
    made = await hand_in(acme)
    documents = open_documents(session_parser.settings.folder, "acme", NoCipher("KEYS"))
    assert documents.has(made["document"])
    assert (await acme.delete(f"/resumes/{made['id']}", params=WHY)).status_code == 204
    assert not documents.has(made["document"])
    assert (await acme.get(f"/resumes/{made['id']}")).status_code == 404
    assert (await acme.get("/resumes")).json()["resumes"] == []


async def test_a_resume_forgotten_while_its_job_waits_stays_forgotten(acme, drain):
    made = await hand_in(acme, make_picture("Jane Roe"), "jane.png")
    await acme.delete(f"/resumes/{made['id']}", params=WHY)
    await drain()
    assert (await acme.get("/resumes")).json()["resumes"] == []


async def test_a_file_that_is_gone_is_said_and_not_tried_for_ever(acme, drain, session_parser):
    made = await hand_in(acme, make_picture("Jane Roe"), "jane.png")
    await open_documents(session_parser.settings.folder, "acme", NoCipher("KEYS")).forget(made["document"])
    await drain()
    found = (await acme.get(f"/resumes/{made['id']}")).json()
    assert (found["state"], found["status"]) == ("done", "error")


async def test_one_key_handing_in_twice_under_one_name_is_answered_once(acme):
    headers = {"Idempotency-Key": "k-1"}
    first = await acme.post("/resumes", content=JANE, headers=headers)
    second = await acme.post("/resumes", content=JANE, headers=headers)
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.headers["idempotency-replayed"] == "true"
    assert first.json() == second.json()


@pytest.mark.parametrize("verb", ["get", "patch", "delete"])
async def test_another_tenants_resume_is_not_there(acme, globex, verb):
    made = await hand_in(globex)
    given = {"json": {"fields": {}, **WHY}} if verb == "patch" else {"params": WHY} if verb == "delete" else {}
    assert (await getattr(acme, verb)(f"/resumes/{made['id']}", **given)).status_code == 404
    assert (await globex.get(f"/resumes/{made['id']}")).status_code == 200
