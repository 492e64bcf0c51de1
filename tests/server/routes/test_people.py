"""What is held about a person is given out and erased over HTTP, as the command line does it."""

import io
import json
from zipfile import ZipFile

import pytest
from sqlalchemy import select

from dibs.server.application import make_server
from dibs.storage.sight import sight_of
from dibs.web.kept.answers import TableAnswers
from dibs.web.kept.tables import ANSWERS
from tests.server.conftest import OPTIONS, connect, enqueue
from tests.server.keys import OPERATOR

MARK = "zq-ada@example.com"
ASKED = {"references": [MARK], "tenant": "acme", "reason": "asked by letter"}


@pytest.fixture
async def jobs(acme, globex, drain, monkeypatch, tmp_path):
    """Jobs of two tenants that name somebody, and one that names somebody else."""
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path))
    made = [await enqueue(client, input={"text": text}) for client, text in ((acme, MARK), (globex, MARK), (acme, "x"))]
    await drain()
    await enqueue(acme, input={"text": f"to {MARK.upper()}"})
    return [job["id"] for job in made]


async def test_all_that_is_held_is_given_out_and_then_erased(operator, acme, globex, jobs):
    counted = (await operator.post("/person/erase", json={**ASKED, "dry_run": True})).json()
    assert (counted["counts"]["jobs"], counted["left"], counted["id"]) == (2, 2, None)
    given = await operator.post("/person/export", json=ASKED)
    assert given.headers["content-type"] == "application/zip"
    found = json.loads(ZipFile(io.BytesIO(given.content)).read("jobs.json"))
    assert jobs[0] in {one["id"] for one in found}
    assert found[-1]["data"]["output"] == {"pong": MARK}
    erased = (await operator.post("/person/erase", json=ASKED)).json()
    assert (erased["counts"]["jobs"], erased["left"], erased["kept"]) == (2, 0, [])
    assert [job["id"] for job in (await acme.get("/jobs")).json()["jobs"]] == [jobs[2]]
    assert (await globex.get(f"/jobs/{jobs[1]}")).json()["input"] == {"text": MARK}
    log = (await acme.get("/audit")).json()["entries"]
    assert {"PERSON_EXPORTED", "PERSON_ERASED"} <= {entry["action"] for entry in log}
    assert f"person:{erased['id']}" in {entry["subject"] for entry in log}
    assert MARK not in json.dumps(log)


@pytest.mark.usefixtures("jobs")
async def test_no_tenant_reaches_another_ones_documents_by_naming_them(acme):
    for path in ("/person/export", "/person/erase"):
        refused = await acme.post(path, json=ASKED)
        assert (refused.status_code, refused.json()["code"]) == (403, "installation_only")


@pytest.mark.usefixtures("jobs")
async def test_an_archive_is_kept_nowhere_under_an_idempotency_key(engine, ring, directory):
    answers = TableAnswers(directory.tables)
    server = make_server(engine, ring, directory, options=OPTIONS, answers=answers)
    once = {"Idempotency-Key": "once"}
    async with connect(server, OPERATOR) as operator:
        given = await operator.post("/person/export", json=ASKED, headers=once)
        other = await operator.post("/person/export", json={**ASKED, "reason": "another"}, headers=once)
        await operator.post("/person/erase", json=ASKED)
        again = await operator.post("/person/export", json=ASKED, headers=once)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    found = [json.loads(ZipFile(io.BytesIO(one.content)).read("jobs.json")) for one in (given, again)]
    assert [len(jobs) for jobs in found] == [2, 0]
    async with directory.tables.reading(sight_of(None)) as transaction:
        kept = await transaction.fetch(select(ANSWERS))
    assert [len(row["answer"]) < 100 for row in kept] == [True]


@pytest.mark.usefixtures("jobs")
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}])
async def test_whose_key_ends_meanwhile_is_given_no_archive(operator, ring, monkeypatch, headers):
    def write(*_):
        del ring.keys[OPERATOR]

    monkeypatch.setattr("dibs.web.doorkeeping.LONG_SECONDS", -1.0)
    monkeypatch.setattr("dibs.server.actions.people.write_archive", write)
    refused = await operator.post("/person/export", json=ASKED, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")


@pytest.mark.parametrize(
    "wrong", [{"references": []}, {"references": ["abc"]}, {"references": ["a\nbcd"]}, {"reason": " "}]
)
async def test_who_is_not_named_is_not_looked_for(operator, wrong):
    refused = await operator.post("/person/erase", json={**ASKED, **wrong})
    assert refused.status_code == 422, refused.text
