"""Making the API's description takes long: only who asks for it waits, and it is made once."""

import asyncio
import threading

import pytest

from dibs.server import description


@pytest.fixture
def makers(monkeypatch):
    """The threads that made it."""
    found: list[threading.Thread] = []
    generate = description._generate

    def noting(server):
        found.append(threading.current_thread())
        return generate(server)

    monkeypatch.setattr(description, "_generate", noting)
    return found


async def test_whoever_asks_for_what_is_not_there_lets_nobody_wait_for_the_description(acme, makers):
    assert (await acme.get("http://dibs.test/nothing")).status_code == 404
    refused = await acme.request("PATCH", "/jobs/x/cancel")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert makers == []


async def test_the_description_is_made_once_and_beside_the_loop(acme, makers):
    answers = await asyncio.gather(*(acme.get("/openapi.json") for _ in range(3)))
    assert len(makers) == 1
    assert makers[0] is not threading.current_thread()
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}
    assert "/api/v1/jobs" in answers[0].json()["paths"]
    assert len({answer.content for answer in answers}) == 1
