"""Jobs over HTTP."""

import asyncio
import csv
import io
from typing import Any

import pytest

from tests.server.conftest import enqueue

WHY = {"reason": "because"}


async def test_a_job_goes_all_the_way_over_http(acme, drain):
    stored = await acme.post("/jobs", json={"job_type": "PING", "input": {"text": "hi"}})
    job = stored.json()["job"]
    assert (stored.status_code, stored.headers["location"]) == (201, f"/api/v1/jobs/{job['id']}")
    assert (job["state"], job["tenant"]) == ("pending", "acme")
    await drain()
    done = (await acme.get(f"/jobs/{job['id']}")).json()
    assert (done["state"], done["output"]) == ("succeeded", {"pong": "hi"})
    assert (job["tries"], done["tries"], done["attempts"]) == (0, 1, 0)
    attempts = (await acme.get(f"/jobs/{job['id']}/attempts")).json()["attempts"]
    assert [one["outcome"] for one in attempts] == ["succeeded"]
    entries = (await acme.get(f"/jobs/{job['id']}/audit")).json()["entries"]
    assert [one["action"] for one in entries] == ["JOB_SUCCEEDED"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "job_type"),
        ({"job_type": ""}, "job_type"),
        ({"job_type": "a\nb"}, "job_type"),
        ({"job_type": "PING", "priority": "5"}, "priority"),
        ({"job_type": "PING", "priority": 5000}, "priority"),
        ({"job_type": "PING", "run_at": 1}, "run_at"),
        ({"job_type": "PING", "run_at": "2027-01-01T00:00:00"}, "run_at"),
        ({"job_type": "PING", "lease_token": 5}, "lease_token"),
        ({"job_type": "PING", "id": "mine"}, "id"),
        # These pass the shape of the body, and are refused below.
        ({"job_type": "PING", "run_at": "9999-12-31T00:00:00Z"}, "run_at"),
        ({"job_type": "PING", "input": {"text": 5}}, "input"),
    ],
)
async def test_a_body_that_makes_no_sense_is_refused_with_its_field(acme, body, field):
    refused = await acme.post("/jobs", json=body)
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert refused.json()["field"] == field
    assert (await acme.get("/jobs")).json()["jobs"] == []


async def test_a_body_that_is_no_json_is_refused_without_a_field(acme):
    refused = await acme.post("/jobs", content=b"{", headers={"content-type": "application/json"})
    assert (refused.status_code, "field" in refused.json()) == (422, False)


async def test_an_input_that_the_task_does_not_take_is_refused(acme):
    refused = await acme.post("/jobs", json={"job_type": "PING", "input": {"text": 5}})
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_input")


async def test_null_in_bulk_is_stored_as_it_is(acme):
    stored = await acme.post("/jobs/bulk", json={"jobs": [{"job_type": "OTHER", "input": None}, {"job_type": "OTHER"}]})
    assert [job["input"] for job in stored.json()["jobs"]] == [None, {}]


async def test_many_jobs_are_stored_all_or_none(acme):
    stored = await acme.post("/jobs/bulk", json={"jobs": [{"job_type": "PING"}, {"job_type": "OTHER", "input": [1]}]})
    assert (stored.status_code, stored.json()["stored"]) == (201, 2)
    refused = await acme.post("/jobs/bulk", json={"jobs": [{"job_type": "PING"}, {"job_type": "PING", "input": 5}]})
    assert refused.status_code == 422
    assert len((await acme.get("/jobs")).json()["jobs"]) == 2


async def test_a_taken_unique_key_keeps_or_returns_the_other_job(acme):
    first = await enqueue(acme, unique_key="one")
    kept = await acme.post("/jobs", json={"job_type": "PING", "unique_key": "one"})
    assert (kept.status_code, kept.json()) == (200, {"job": None})
    body = {"job_type": "PING", "unique_key": "one", "unique": {"on_conflict": "return"}}
    returned = await acme.post("/jobs", json=body)
    assert returned.json()["job"]["id"] == first["id"]


async def test_lists_are_filtered_and_paged_newest_first(acme):
    ids = [(await enqueue(acme, queue="mail"))["id"] for _ in range(5)]
    await enqueue(acme, queue="other")
    seen, cursor = [], None
    while True:
        query = {"queue": "mail", "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await acme.get("/jobs", params=query)).json()
        seen += [job["id"] for job in page["jobs"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]
    assert (await acme.get("/jobs", params={"state": ["failed", "cancelled"]})).json()["jobs"] == []


@pytest.mark.parametrize("query", ["cursor=nonsense", "limit=0", "limit=501", "state=lost", "sate=failed"])
async def test_a_question_that_makes_no_sense_is_refused(acme, query):
    assert (await acme.get(f"/jobs?{query}")).status_code == 422


@pytest.mark.parametrize("path", ["/queues?tennant=acme", "/jobs?sate=failed", "/schedules?page=2", "/gate?x"])
async def test_a_parameter_that_does_not_exist_is_refused(acme, path):
    refused = await acme.get(path if "=" in path else f"{path}=")
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_parameter")


async def test_a_job_is_cancelled_and_put_back_with_a_reason(acme):
    job = await enqueue(acme)
    assert (await acme.post(f"/jobs/{job['id']}/cancel", json={})).json()["field"] == "reason"
    assert (await acme.post(f"/jobs/{job['id']}/cancel", json=WHY)).json()["state"] == "cancelled"
    again = await acme.post(f"/jobs/{job['id']}/cancel", json=WHY)
    assert (again.status_code, again.json()["code"]) == (409, "job_conflict")
    assert (await acme.post(f"/jobs/{job['id']}/retry", json=WHY)).json()["state"] == "pending"
    entries = (await acme.get(f"/jobs/{job['id']}/audit")).json()["entries"]
    told = [(one["action"], one["actor"], one["reason"]) for one in entries]
    assert told == [("JOB_RETRIED", "acme-key", "because"), ("JOB_CANCELLED", "acme-key", "because")]


async def test_a_failure_is_told_without_its_traceback(acme, drain):
    job = await enqueue(acme, job_type="FAIL")
    await drain()
    failed = (await acme.get(f"/jobs/{job['id']}")).json()
    assert failed["error"] == {"type": "Permanent", "message": "no luck"}
    [attempt] = (await acme.get(f"/jobs/{job['id']}/attempts")).json()["attempts"]
    assert attempt["error"] == {"type": "Permanent", "message": "no luck"}


async def test_a_job_says_why_it_does_not_run(acme):
    job = await enqueue(acme, delay_seconds=3600)
    reasons = (await acme.get(f"/jobs/{job['id']}/why")).json()["reasons"]
    assert reasons[0]["code"] == "not_due"


async def test_a_long_poll_ends_with_the_job_or_with_its_time(acme, drain):
    job = await enqueue(acme)
    waited = await acme.get(f"/jobs/{job['id']}/result", params={"timeout": 0.05})
    assert (waited.status_code, waited.json()["state"]) == (202, "pending")
    polling = asyncio.create_task(acme.get(f"/jobs/{job['id']}/result", params={"timeout": 30}))
    await drain()
    done = await polling
    assert (done.status_code, done.json()["output"]) == (200, {"pong": "ping"})


async def test_an_export_of_jobs_holds_no_formula(acme):
    await enqueue(acme, queue="=HYPERLINK(1)")
    exported = await acme.get("/jobs.csv")
    [row] = csv.DictReader(io.StringIO(exported.text))
    assert row["queue"] == "'=HYPERLINK(1)"
    assert "attachment" in exported.headers["content-disposition"]


async def test_the_same_key_and_body_get_the_same_answer_and_do_nothing_twice(acme):
    sent = {"headers": {"Idempotency-Key": "k-1"}, "json": {"job_type": "PING"}}
    first, second = await acme.post("/jobs", **sent), await acme.post("/jobs", **sent)
    assert (second.status_code, second.content) == (201, first.content)
    assert second.headers["idempotency-replayed"] == "true"
    assert second.headers["location"] == first.headers["location"]
    other = await acme.post("/jobs", headers=sent["headers"], json={"job_type": "PING", "priority": 1})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    assert len((await acme.get("/jobs")).json()["jobs"]) == 1


async def test_a_refusal_is_given_again_under_its_key(acme):
    sent = {"headers": {"Idempotency-Key": "k-1"}, "json": {"reason": "x"}}
    first, second = await acme.post("/jobs/none/cancel", **sent), await acme.post("/jobs/none/cancel", **sent)
    assert (first.status_code, second.status_code) == (404, 404)
    assert second.headers["idempotency-replayed"] == "true"


async def test_two_tenants_may_use_the_same_idempotency_key(acme, globex):
    sent = {"headers": {"Idempotency-Key": "k-1"}, "json": {"job_type": "PING"}}
    tenants = [(await client.post("/jobs", **sent)).json()["job"]["tenant"] for client in (acme, globex)]
    assert tenants == ["acme", "globex"]


async def test_a_parameter_that_stands_for_one_thing_is_given_once(operator):
    refused = await operator.get("/jobs?source=ebay&source=amazon")
    assert (refused.status_code, refused.json()["code"]) == (422, "repeated_parameter")
    assert (await operator.get("/jobs?state=pending&state=failed")).status_code == 200


async def test_what_a_job_may_cost_is_reserved_over_http_as_well(acme, engine):
    one = await enqueue(acme, max_cost_cents=2.5)
    many = (await acme.post("/jobs/bulk", json={"jobs": [{"job_type": "PING", "max_cost_cents": 1}]})).json()["jobs"]
    backend = await engine.backend()
    kept = await backend.reader.find_jobs([one["id"], many[0]["id"]])
    assert [job.max_cost_microcents for job in kept] == [2_500_000, 1_000_000]
    refused = await acme.post("/jobs", json={"job_type": "PING", "max_cost_cents": -1})
    assert (refused.status_code, refused.json()["field"]) == (422, "max_cost_cents")


async def test_all_failed_jobs_that_fit_are_put_back_with_a_reason(acme, operator, drain):
    for queue in ("mail", "mail", "other"):
        await enqueue(acme, job_type="FAIL", queue=queue)
    await enqueue(operator, job_type="FAIL", queue="mail", tenant="globex")
    await drain()
    asked = {"queue": "mail", **WHY}
    nothing: dict[str, Any] = {"left_alone": {}, "next_cursor": None}
    assert (await acme.post("/jobs/retry", json={**asked, "dry_run": True})).json() == {
        "count": 2,
        "dry_run": True,
        **nothing,
    }
    assert (await acme.post("/jobs/retry", json=asked)).json() == {"count": 2, "dry_run": False, **nothing}
    states = [(job["tenant"], job["queue"], job["state"]) for job in (await operator.get("/jobs")).json()["jobs"]]
    assert sorted(states) == [
        ("acme", "mail", "pending"),
        ("acme", "mail", "pending"),
        ("acme", "other", "failed"),
        ("globex", "mail", "failed"),
    ]
    entries = (await acme.get("/audit?action=JOB_RETRIED")).json()["entries"]
    assert [one["reason"] for one in entries] == ["because"] * 2


async def test_many_jobs_are_cancelled_piece_by_piece(acme):
    for _ in range(5):
        await enqueue(acme)
    first = (await acme.post("/jobs/cancel", json={"limit": 2, **WHY})).json()
    assert first["count"] == 2
    rest = (await acme.post("/jobs/cancel", json={"cursor": first["next_cursor"], **WHY})).json()
    assert (rest["count"], rest["next_cursor"]) == (3, None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "reason"),
        ({"reason": " "}, "reason"),
        ({"states": ["pending"], **WHY}, None),
        ({"states": [], **WHY}, "states"),
        ({"limit": 10_001, **WHY}, "limit"),
        ({"queues": "mail", **WHY}, "queues"),
        ({"cursor": "nonsense", **WHY}, "cursor"),
        ({"tenant": "globex", **WHY}, "tenant"),
    ],
)
async def test_a_retry_of_all_that_makes_no_sense_moves_none(acme, drain, body, field):
    job = await enqueue(acme, job_type="FAIL")
    await drain()
    refused = await acme.post("/jobs/retry", json=body)
    assert refused.status_code in (403, 404, 422)
    assert refused.json().get("field") == field
    assert (await acme.get(f"/jobs/{job['id']}")).json()["state"] == "failed"


async def test_a_body_that_is_not_said_to_be_json_is_told_which_header_is_missing(acme):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    refused = await acme.post("/jobs", content=b'{"job_type": "PING"}', headers=form)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert "Content-Type: application/json" in refused.json()["detail"]
