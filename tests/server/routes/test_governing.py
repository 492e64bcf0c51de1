"""Queues, workers, sources, gates, limits, budgets, audit, health and figures over HTTP."""

import pytest

from dibs.errors import StoreUnavailable
from tests.held_back import REASONS, hold_back
from tests.server.conftest import connect, enqueue

WHY = {"reason": "because"}


async def test_queues_are_counted_for_a_tenant_and_for_all(acme, globex, operator):
    await enqueue(acme, queue="mail")
    await enqueue(globex, queue="mail")
    await enqueue(globex, queue="secret")
    own = (await acme.get("/queues")).json()["queues"]
    assert [(queue["name"], queue["states"]["pending"]) for queue in own] == [("mail", 1)]
    everything = (await operator.get("/queues")).json()["queues"]
    assert [(queue["name"], queue["states"]["pending"]) for queue in everything] == [("mail", 2), ("secret", 1)]
    assert (await acme.get("/queues/mail")).json()["states"]["pending"] == 1
    assert (await acme.get("/queues/secret")).status_code == 404


async def test_no_tenant_hides_another_ones_queues_behind_many_of_its_own(acme, globex):
    await enqueue(acme, queue="mail")
    many = [{"job_type": "PING", "queue": f"{number:04}"} for number in range(600)]
    assert (await globex.post("/jobs/bulk", json={"jobs": many})).status_code == 201
    assert [queue["name"] for queue in (await acme.get("/queues")).json()["queues"]] == ["mail"]


async def test_a_source_is_declared_paused_and_resumed(operator):
    assert (await operator.post("/sources/board/pause", json=WHY)).status_code == 404
    declared = await operator.put("/sources/board", json={"rate_limit_per_minute": 60, **WHY})
    assert declared.json()["rule"]["pause_seconds"] == 300
    paused = await operator.post("/sources/board/pause", json={"until": "2099-01-01T00:00:00Z", **WHY})
    assert paused.json()["paused_until"] == "2099-01-01T00:00:00Z"
    resumed = await operator.post("/sources/board/resume", json=WHY)
    assert resumed.json()["paused_until"] is None
    assert [one["rule"]["name"] for one in (await operator.get("/sources")).json()["sources"]] == ["board"]
    assert (await operator.get("/sources/board")).json()["rule"]["rate_limit_per_minute"] == 60


async def test_declaring_a_paused_source_leaves_it_paused(operator):
    assert (await operator.put("/sources/board", json=WHY)).json()["rule"]["enabled"] is True
    await operator.post("/sources/board/pause", json=WHY)
    anew = await operator.put("/sources/board", json={"rate_limit_per_minute": 60, **WHY})
    assert anew.json()["rule"]["enabled"] is False
    said = await operator.put("/sources/board", json={"rate_limit_per_minute": 60, "enabled": True, **WHY})
    assert said.json()["rule"]["enabled"] is True


async def test_a_gate_is_shut_and_opened(operator):
    shut = await operator.put("/gate", json={"scope": "queue", "name": "mail", "mode": "closed", **WHY})
    assert (shut.json()["actor"], shut.json()["reason"]) == ("operator-key", "because")
    assert [gate["name"] for gate in (await operator.get("/gate")).json()["gates"]] == ["mail"]
    await operator.put("/gate", json={"scope": "queue", "name": "mail", "mode": "open", **WHY})
    assert (await operator.get("/gate")).json()["gates"] == []


async def test_a_job_tells_every_reason_why_it_does_not_run(operator, engine):
    await hold_back(await engine.backend())
    for code, (sentence, has_end) in REASONS.items():
        reason = (await operator.get(f"/jobs/{code}/why")).json()["reasons"][0]
        assert (reason["code"], sentence in reason["sentence"]) == (code, True), reason
        assert bool(reason["until"]) is has_end, reason


async def test_a_pause_that_is_over_already_is_refused(operator):
    await operator.put("/sources/board", json=WHY)
    past = "2001-01-01T00:00:00Z"
    shut = await operator.put("/gate", json={"scope": "global", "mode": "closed", "expires_at": past, **WHY})
    paused = await operator.post("/sources/board/pause", json={"until": past, **WHY})
    assert (shut.status_code, paused.status_code) == (422, 422)
    assert "is past" in shut.text
    assert (await operator.get("/gate")).json()["gates"] == []


async def test_a_gate_that_is_opened_until_an_instant_is_refused(operator):
    await operator.put("/gate", json={"scope": "global", "mode": "drain", **WHY})
    until = "2150-01-01T00:00:00Z"
    opened = await operator.put("/gate", json={"scope": "global", "mode": "open", "expires_at": until, **WHY})
    assert (opened.status_code, "expires_at" in opened.json()["detail"]) == (422, True)
    assert [gate["mode"] for gate in (await operator.get("/gate")).json()["gates"]] == ["drain"]


async def test_a_tenant_has_no_gate_but_its_own(acme, operator):
    for scope, name in (("global", ""), ("queue", "mail"), ("tenant", "globex")):
        refused = await acme.put("/gate", json={"scope": scope, "name": name, "mode": "closed", **WHY})
        assert refused.status_code == 403
    await operator.put("/gate", json={"scope": "global", "mode": "drain", **WHY})
    await acme.put("/gate", json={"scope": "tenant", "name": "acme", "mode": "closed", **WHY})
    assert [gate["name"] for gate in (await acme.get("/gate")).json()["gates"]] == ["acme"]


async def test_limits_and_budgets_are_set_by_operators_alone(acme, operator):
    fair = (await operator.put("/limits/queues/mail", json={"fair": True, **WHY})).json()
    assert (fair["name"], fair["fair"]) == ("mail", True)
    assert (await operator.put("/limits/keys/account:", json={"max_running": 3, **WHY})).status_code == 200
    limits = (await operator.get("/limits")).json()
    assert limits["queues"] == [fair]
    assert [(one["name"], one["max_running"]) for one in limits["keys"]] == [("account:", 3)]
    for name in ("acme", "globex"):
        await operator.put(f"/budgets/{name}", json={"daily_budget_cents": 12.5, **WHY})
    own = (await acme.get("/budgets")).json()["budgets"]
    assert [(one["tenant"], one["daily_budget_cents"]) for one in own] == [("acme", 12.5)]
    refused = await acme.put("/budgets/acme", json={"daily_budget_cents": 10_000, **WHY})
    assert (refused.status_code, refused.json()["code"]) == (403, "installation_only")


async def test_the_audit_log_is_listed_exported_and_verified(acme, globex, operator):
    job = await enqueue(acme)
    await acme.post(f"/jobs/{job['id']}/cancel", json={"reason": "=cmd()"})
    entries = (await acme.get("/audit", params={"action": "JOB_CANCELLED"})).json()["entries"]
    assert [one["subject"] for one in entries] == [f"job:{job['id']}"]
    assert (await globex.get("/audit")).json()["entries"] == []
    assert "'=cmd()" in (await acme.get("/audit.csv")).text
    report = (await operator.get("/audit/verify")).json()
    assert (report["is_whole"], [chain["tenant"] for chain in report["chains"]]) == (True, ["acme"])
    assert (await acme.get("/audit", params={"since": "yesterday"})).status_code == 422


async def test_workers_are_shown_to_operators(acme, operator):
    assert (await operator.get("/workers")).json() == {"workers": []}
    assert (await operator.get("/workers/none")).json()["code"] == "worker_not_found"
    assert (await acme.get("/workers")).json()["code"] == "installation_only"


async def test_health_needs_no_key_and_tells_when_the_store_is_away(server, engine, monkeypatch):
    async with connect(server, None) as nobody:
        assert (await nobody.get("http://dibs.test/health/live")).json() == {"status": "live"}
        assert (await nobody.get("http://dibs.test/health/ready")).status_code == 200

        async def away() -> None:
            message = "gone"
            raise StoreUnavailable(message)

        monkeypatch.setattr((await engine.backend()).reader, "now", away)
        assert (await nobody.get("http://dibs.test/health/ready")).status_code == 503


async def test_a_store_that_is_away_is_told_with_a_time_to_come_again(acme, engine, monkeypatch):
    async def away(_: list[str]) -> None:
        message = "password=hunter2"
        raise StoreUnavailable(message)

    monkeypatch.setattr((await engine.backend()).reader, "find_jobs", away)
    answered = await acme.get("/jobs/one")
    assert (answered.status_code, answered.headers["retry-after"]) == (503, "2")
    assert "hunter2" not in answered.text


async def test_figures_are_given_to_prometheus(operator, acme):
    await enqueue(acme, queue="mail")
    await acme.post("/jobs/bulk", json={"jobs": [{"job_type": "PING", "queue": "bulk"}] * 2})
    text = (await operator.get("/metrics")).text
    assert 'dibs_jobs_enqueued_total{job_type="PING",queue="bulk"} 2.0' in text
    assert 'dibs_queue_jobs{queue="mail",state="pending"} 1.0' in text
    assert 'dibs_http_requests_total{method="POST",route="/api/v1/jobs",status="201"} 1.0' in text


async def test_made_up_methods_make_no_figures_of_their_own(operator, acme):
    for number in range(3):
        assert (await acme.request(f"MADE{number}", "/jobs")).status_code == 405
    text = (await operator.get("/metrics")).text
    assert "MADE" not in text
    assert 'dibs_http_requests_total{method="other",route="/api/v1/jobs",status="405"} 3.0' in text


@pytest.mark.parametrize("path", ["/nothing", "/jobs/"])
async def test_a_path_that_leads_nowhere_is_a_problem_too(acme, path):
    answered = await acme.get(path)
    assert (answered.status_code, answered.headers["content-type"]) == (404, "application/problem+json")


async def test_a_method_that_a_path_does_not_have_is_a_problem_too(acme):
    answered = await acme.patch("/jobs")
    assert (answered.status_code, answered.json()["code"]) == (405, "method_not_allowed")
