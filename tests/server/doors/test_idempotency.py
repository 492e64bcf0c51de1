"""Every POST: the same key and body get the same answer, another body gets 409."""

import re

import pytest

from dibs.errors import StoreError
from tests.server.doors.test_doors import BODIES, DOORS, WHY

POSTS = sorted({path for method, path, _ in DOORS if method == "POST"})
CLAIM = {"action": "run", "run_id": "run-1", "job_id": "12345", "board": "ramp"}


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    monkeypatch.setenv("DIBS_WEBHOOKS_KEYS", "k" * 32)
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path))
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)


@pytest.mark.parametrize("path", POSTS)
async def test_a_post_that_is_sent_again_gets_the_same_answer_and_another_body_a_conflict(acme, path):
    url = re.sub(r"{\w+}", "x", path)
    url = f"http://dibs.test{url}" if url.startswith("/api/") else url
    key = {"Idempotency-Key": "once"}

    async def send(**more: str):
        if path == "/resumes":
            text = f"Jane Roe {more}".encode()
            return await acme.post(url, content=text, headers={**key, "Content-Type": "text/plain"})
        body = CLAIM if path in ("/postings", "/api/crawler/jobs") else BODIES.get(f"POST {path}", WHY)
        return await acme.post(url, json={**body, **more}, headers=key)

    first, again, other = await send(), await send(), await send(reason="another one")
    if first.status_code == 403:
        assert first.json()["code"] == "installation_only", "a tenant's key does nothing here, so nothing is kept"
        return
    assert first.status_code in (200, 201, 202, 404, 409), first.text
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


async def test_what_was_done_is_told_though_the_answer_cannot_be_kept(server, acme, monkeypatch):
    async def fail(*_):
        message = "the store of tables is away"
        raise StoreError(message)

    monkeypatch.setattr(server.state.doorkeeping.answers, "finish", fail)
    done = await acme.post("/jobs", json={"job_type": "PING"}, headers={"Idempotency-Key": "once"})
    assert (done.status_code, done.json()["job"]["state"]) == (201, "pending")
