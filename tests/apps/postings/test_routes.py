"""What agents and people do with postings over HTTP."""

import asyncio
import shutil
from datetime import timedelta

import httpx
import pytest

import dibs
from dibs.access.directory import Directory
from dibs.access.scopes import Scope
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.runs import Fence
from dibs.apps.postings.office import Office
from dibs.apps.postings.records import BoardPolicy
from dibs.server.application import make_server
from dibs.storage.tables import Tables
from tests.apps.postings.conftest import keep, make_posting
from tests.server.conftest import OPTIONS
from tests.server.keys import OPERATOR, KeyRing

JOBS, POSTINGS = "/api/crawler/jobs", "/api/v1/postings"
CLAIM = {"action": "run", "run_id": "run-1", "job_id": "12345", "board": "ramp"}


@pytest.fixture
async def tables(migrated_file, tmp_path, clock):
    shutil.copy(migrated_file, tmp_path / "tables.db")
    async with Tables.at(f"sqlite:///{tmp_path}/tables.db", clock=clock) as opened:
        yield opened


@pytest.fixture
def ring():
    return KeyRing()


@pytest.fixture
async def server(tables, ring):
    async with dibs.Dibs("memory://") as app:
        yield make_server(app, ring, Directory(tables), options=OPTIONS)


def connect(server, key=OPERATOR):
    transport = httpx.ASGITransport(server, raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(transport=transport, base_url="http://dibs.test", headers=headers)


@pytest.fixture
async def client(server, tables):
    await keep(Office(tables), make_posting(), make_posting("777", title="Baker"))
    async with connect(server) as opened:
        yield opened


async def claim(client, run_id="run-1", path=JOBS, **more):
    return await client.post(path, json={**CLAIM, "run_id": run_id, **more})


async def report(client, status=None, run_id="run-1", path=JOBS, **more):
    return await client.patch(path, json={"run_id": run_id, **({} if status is None else {"status": status}), **more})


async def status_of(client, job_id="12345"):
    return (await client.get(JOBS, params={"runs_for": job_id})).json()["job"]["status"]


@pytest.mark.parametrize("path", [JOBS, POSTINGS])
async def test_an_agent_claims_reports_and_succeeds(client, path):
    claimed = await claim(client, path=path, variant_id="resume-v2", artifacts={"resume_url": "s3://v2.pdf"})
    assert (claimed.status_code, claimed.json()["status"], claimed.json()["job_id"]) == (201, "pending", "12345")
    assert await status_of(client) == "queued"
    assert (await report(client, "submitted", path=path, artifacts={"answers": {"yoe": "5"}})).status_code == 200
    done = await report(client, "success", path=path, artifacts={"confirmation_url": "https://ramp.test/c"})
    assert done.json()["artifacts"] == {
        "resume_url": "s3://v2.pdf",
        "answers": {"yoe": "5"},
        "confirmation_url": "https://ramp.test/c",
    }
    found = (await client.get(path, params={"runs_for": "12345"})).json()
    assert (found["job"]["status"], [run["status"] for run in found["runs"]]) == ("applied", ["success"])


async def test_a_failure_makes_the_posting_discovered_again(client):
    await claim(client)
    failed = await report(client, "failed", error="Form submission timeout")
    assert (failed.status_code, failed.json()["error"]) == (200, "Form submission timeout")
    assert await status_of(client) == "discovered"


async def test_a_second_claim_names_the_rule_the_holder_and_when_to_try_again(client):
    await claim(client)
    refused = await claim(client, "run-2")
    told = refused.json()
    assert (refused.status_code, told["code"], told["rule"], told["holder"]) == (
        409,
        "posting_conflict",
        "claimed",
        "run-1",
    )
    assert told["retry_at"] > "2026"
    assert int(refused.headers["retry-after"]) >= 1


async def test_the_same_request_again_gets_the_same_answer(client):
    first = await claim(client, artifacts={"a": 1})
    await report(client, "submitted", artifacts={"b": 2})
    again = await claim(client, artifacts={"a": 1})
    assert (again.status_code, again.json()) == (201, first.json())
    other = await claim(client, artifacts={"a": 2})
    assert (other.status_code, other.json()["rule"]) == (409, "run_id")


@pytest.mark.parametrize("status", ["pending", "submitting", "submitted", "unknown", "success", "failed"])
async def test_the_same_report_again_gets_the_same_answer_and_renews(client, clock, status):
    await claim(client)
    first = await report(client, status, artifacts={"note": "one"}, error="slow")
    clock.advance(timedelta(seconds=200))
    again = await report(client, status, artifacts={"note": "one"}, error="slow")
    assert (again.status_code, again.json()) == (200, first.json())
    story = (await client.get("/api/v1/runs/run-1")).json()
    assert (story["run"], len(story["versions"])) == (first.json(), 2)
    assert (first.json()["ended_at"] is not None) == (status in ("success", "failed"))
    if status not in ("success", "failed", "unknown"):
        clock.advance(timedelta(seconds=200))
        assert (await claim(client, "run-2")).json()["rule"] == "claimed"


async def test_a_posting_in_another_state_is_answered_with_400(client):
    await claim(client)
    await report(client, "success")
    refused = await claim(client, "run-2")
    assert (refused.status_code, refused.json()["code"]) == (400, "posting_unfit")


async def test_all_faults_are_told_at_once(client):
    refused = await client.post(JOBS, json={"action": "go", "job_id": [], "artifacts": {"a": None}, "more": 1})
    assert (refused.status_code, refused.json()["code"]) == (400, "posting_malformed")
    assert refused.json()["faults"] == [
        "'more' is no field",
        "action 'go': use \"run\"",
        "run_id is missing",
        "board is missing",
        "job_id is no text",
        "artifacts.a is null; a null deletes nothing, leave the key out",
    ]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'"run"', b"null"])
async def test_what_is_no_claim_and_no_report_is_answered_with_400(client, body):
    for method in ("POST", "PATCH"):
        assert (await client.request(method, JOBS, content=body)).status_code == 400


async def test_a_null_is_refused_and_deletes_nothing(client):
    await claim(client, artifacts={"a": {"b": 1}})
    assert (await report(client, artifacts={"a": {"b": None}})).status_code == 400
    [run] = (await client.get(JOBS, params={"runs_for": "12345"})).json()["runs"]
    assert run["artifacts"] == {"a": {"b": 1}}


async def test_of_a_thousand_faults_the_first_are_told(client):
    refused = await client.post(JOBS, json={f"field-{number}": 1 for number in range(1_000)})
    assert (refused.status_code, len(refused.json()["faults"]) < 40) == (400, True)


async def test_a_claim_with_more_artifacts_than_a_run_may_have_is_refused_whole(client):
    many = {f"part-{number}": "x" * 10_000 for number in range(101)}
    refused = await claim(client, artifacts=many)
    assert (refused.status_code, refused.json()["code"]) == (400, "posting_malformed")
    assert "over the limit of 1000000" in refused.json()["faults"][0]
    assert await status_of(client) == "discovered"


async def test_boards_and_ids_in_any_script_are_found_again(client, tables):
    board, job_id = "Büro 渋谷/№ 7: A+B%", "ид-💼?&#"
    await keep(Office(tables), make_posting(job_id), board=board)
    assert (await claim(client, job_id=job_id, board=board)).status_code == 201
    found = (await client.get(JOBS, params={"runs_for": job_id, "board": board})).json()
    assert (found["job"]["board"], found["runs"][0]["job_id"]) == (board, job_id)


async def test_reports_on_one_run_at_the_same_moment_lose_nothing(client):
    await claim(client)
    said = [{"answers": {f"question {number}": "yes"}, f"note {number}": number} for number in range(20)]
    answers = await asyncio.gather(*(report(client, artifacts=one) for one in said))
    assert {one.status_code for one in answers} == {200}
    story = (await client.get("/api/v1/runs/run-1")).json()
    kept = story["run"]["artifacts"]
    assert (len(kept["answers"]), len(kept), story["run"]["version"]) == (20, 21, 21)
    assert [one["version"] for one in story["versions"]] == list(range(1, 22))


async def test_of_contradicting_ends_at_the_same_moment_one_counts(client):
    await claim(client)
    ends = await asyncio.gather(*(report(client, status) for status in ("success", "failed") * 5))
    first = next(one.json()["status"] for one in ends if one.status_code == 200)
    told = {
        (one.status_code, one.json().get("status") if one.status_code == 200 else one.json()["rule"]) for one in ends
    }
    assert told == {(200, first), (409, "ended")}
    assert await status_of(client) == {"success": "applied", "failed": "discovered"}[first]


async def test_an_unknown_posting_run_or_board_is_answered_with_404(client):
    answers = [
        await claim(client, job_id="999"),
        await claim(client, board="other"),
        await report(client, "success", "run-9"),
        await client.get(JOBS, params={"runs_for": "999"}),
        await client.get("/api/v1/runs/run-9"),
        await client.put("/api/v1/boards/none/policy", json={"reason": "x"}),
    ]
    assert [one.status_code for one in answers] == [404] * 6


async def test_the_board_tells_one_of_two_postings_with_the_same_id(client, tables):
    await keep(Office(tables), make_posting(title="Clerk"), board="brex")
    assert (await client.get(JOBS, params={"runs_for": "12345"})).status_code == 404
    found = await client.get(JOBS, params={"runs_for": "12345", "board": "brex"})
    assert found.json()["job"]["title"] == "Clerk"


async def test_postings_are_listed_by_status_board_and_page(client):
    await claim(client)
    queued = (await client.get(JOBS, params={"status": "queued"})).json()["jobs"]
    assert [(one["job_id"], one["holder"]) for one in queued] == [("12345", "run-1")]
    assert (await client.get(JOBS, params={"board": "none"})).json()["jobs"] == []
    first = (await client.get(JOBS, params={"limit": 1})).json()
    rest = (await client.get(JOBS, params={"limit": 5, "cursor": first["next_cursor"]})).json()
    assert [one["job_id"] for one in first["jobs"] + rest["jobs"]] == ["12345", "777"]
    assert rest["next_cursor"] is None
    assert (await client.get(JOBS, params={"status": "gone"})).status_code == 422


async def test_people_expire_reject_and_reopen(client):
    for verb, state in (("expire", "expired"), ("reject", "rejected"), ("reopen", "discovered")):
        moved = await client.post(f"{POSTINGS}/777/{verb}", json={"reason": "because"})
        assert (moved.status_code, moved.json()["job"]["status"]) == (200, state)
    shown = (await client.get(f"{POSTINGS}/777")).json()
    assert [act["actor"] for act in shown["acts"]] == ["operator-key"] * 3
    assert shown["text"] == "Cook well."


async def test_a_person_approves_a_run_before_it_submits(client):
    asked = {"approval": "every_time", "fence": "required", "reason": "new"}
    assert (await client.put("/api/v1/boards/ramp/policy", json=asked)).json()["policy"]["fence"] == "required"
    [board] = (await client.get("/api/v1/boards")).json()["boards"]
    assert board["policy"] == {"fence": "required", "approval": "every_time", "role_rule": "warn"}
    await claim(client)
    refused = await report(client, "submitting")
    assert (refused.status_code, refused.json()["rule"]) == (409, "approval")
    late = await client.post("/api/v1/runs/run-1/approve", json={"reason": "good", "version": 7})
    assert (late.status_code, late.json()["rule"]) == (409, "changed")
    said = {"reason": "good", "version": 1}
    assert (await client.post("/api/v1/runs/run-1/approve", json=said)).status_code == 200
    assert (await report(client, "submitting")).status_code == 200


async def test_who_did_not_wait_for_approval_is_answered_as_ever_and_held(client):
    await client.put("/api/v1/boards/ramp/policy", json={"approval": "every_time", "reason": "new"})
    await claim(client)
    done = await report(client, "success")
    assert (done.status_code, done.json()["status"], done.json()["breach"]) == (200, "success", "approval")
    [held] = (await client.get(JOBS, params={"held": True})).json()["jobs"]
    assert (held["status"], held["holder"], held["applied_run"]) == ("applied", "run-1", "run-1")
    shown = (await client.get(f"{POSTINGS}/12345")).json()
    assert [act["action"] for act in shown["acts"]] == ["RUN_UNAPPROVED"]


async def test_a_person_ends_a_hold(client):
    await claim(client)
    await report(client, "unknown")
    assert [one["job_id"] for one in (await client.get(JOBS, params={"held": True})).json()["jobs"]] == ["12345"]
    refused = await claim(client, "run-2")
    assert (refused.status_code, refused.json()["rule"]) == (409, "held")
    found_out = {"finding": "not_submitted", "reason": "no mail"}
    moved = await client.post("/api/v1/runs/run-1/resolve", json=found_out)
    assert moved.json()["job"]["status"] == "discovered"
    story = (await client.get("/api/v1/runs/run-1")).json()
    assert (story["run"]["status"], len(story["versions"])) == ("failed", 2)


async def test_variants_are_measured(client):
    await claim(client, variant_id="v2")
    await report(client, "success")
    [measure] = (await client.get("/api/v1/variants")).json()["variants"]
    assert (measure["variant_id"], measure["n"], measure["rate"]) == ("v2", 1, None)


async def test_agents_may_neither_approve_themselves_nor_set_policies(client, server, ring):
    ring.add("agent", Scope.POSTINGS_READ, Scope.POSTINGS_WRITE)
    async with connect(server, "agent") as agent:
        assert (await claim(agent)).status_code == 201
        for path in ("runs/run-1/approve", "postings/12345/expire", "runs/run-1/resolve"):
            refused = await agent.post(f"/api/v1/{path}", json={"reason": "x"})
            assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


async def test_what_an_operator_sees_of_another_tenant_is_that_tenants(client, tables):
    await keep(Office(tables), make_posting("42"), tenant="acme", policy=BoardPolicy(approval=Approval.NEVER))
    assert (await client.get(JOBS, params={"runs_for": "42"})).status_code == 404
    assert (await client.get(JOBS, params={"runs_for": "42", "tenant": "acme"})).status_code == 200


async def test_of_five_hundred_claims_at_once_one_is_given_and_nobody_is_turned_away_for_want_of_connections(client):
    answers = await asyncio.gather(*(claim(client, f"run-{number}") for number in range(500)))
    statuses = [one.status_code for one in answers]
    assert (statuses.count(201), statuses.count(409)) == (1, 499)


async def test_caps_are_set_and_refuse(client):
    capped = await client.put("/api/v1/caps", json={"scope": "company", "most_a_day": 1, "reason": "slowly"})
    [cap] = capped.json()["caps"]
    assert cap.pop("version")
    assert cap == {"scope": "company", "name": "*", "most_a_day": 1, "cool_down_seconds": None}
    await claim(client)
    refused = await claim(client, "run-2", job_id="777")
    assert (refused.status_code, refused.json()["rule"], refused.json()["holder"]) == (409, "cap", "run-1")
    assert (await client.put("/api/v1/caps", json={"scope": "company", "reason": "enough"})).json() == {"caps": []}
    assert (await claim(client, "run-2", job_id="777")).status_code == 201


async def test_a_cap_on_a_company_without_a_name_is_refused(client):
    refused = await client.put("/api/v1/caps", json={"scope": "company", "name": "!!!", "most_a_day": 1, "reason": "x"})
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_input")


async def test_answers_are_given_approved_and_forgotten(client):
    await claim(client, artifacts={"answers": {"Salary?": "90000"}})
    meant = {"question": "Salary?", "value": "90000", "reason": "it is so"}
    [noted] = (await client.get("/api/v1/answers", params={"approved": False})).json()["answers"]
    assert (noted["source"], noted["topic"], noted["run_id"]) == ("agent", "pay", "run-1")
    [approved] = (await client.post("/api/v1/answers/approve", json=meant)).json()["answers"]
    assert approved["approved_by"] == "operator-key"
    assert (await client.post("/api/v1/answers/approve", json=meant)).status_code == 404
    assert (await client.post("/api/v1/answers/forget", json=meant)).json() == {"answers": []}
    [given] = (await client.put("/api/v1/answers", json=meant)).json()["answers"]
    assert (given["source"], given["approved_by"]) == ("person", "operator-key")


STEPS = ("claim", "pending", "submitting", "submitted", "success")


@pytest.mark.parametrize("last", STEPS)
async def test_an_agent_that_dies_after_any_step_leaves_nothing_applied_to_twice_and_nothing_stuck(client, clock, last):
    await claim(client)
    for status in STEPS[1 : STEPS.index(last) + 1]:
        assert (await report(client, status)).status_code == 200
    clock.advance(timedelta(seconds=301))
    second = await claim(client, "run-2")
    if last in ("claim", "pending"):
        assert second.status_code == 201
        late = await report(client, "submitting")
        assert (late.status_code, late.json()["rule"]) == (409, "superseded")
    elif last == "success":
        assert second.status_code == 400
    else:
        assert (second.status_code, second.json()["rule"]) == (409, "held")
        found_out = {"finding": "submitted", "reason": "a mail came"}
        assert (await client.post("/api/v1/runs/run-1/resolve", json=found_out)).status_code == 200
        assert await status_of(client) == "applied"


async def test_an_agent_that_was_only_slow_goes_on_while_nobody_else_has_its_posting(client, clock):
    await claim(client)
    clock.advance(timedelta(seconds=301))
    assert (await report(client, "submitting")).status_code == 200
    assert (await claim(client, "run-2")).json()["rule"] == "claimed"


async def test_runs_that_wait_for_approval_are_listed_with_what_they_answer(client, tables):
    await keep(Office(tables), make_posting("9", title="Nurse"), board="clinic", policy=BoardPolicy())
    await claim(client)
    await claim(client, "run-2", job_id="9", board="clinic", artifacts={"answers": {"Visa?": "no", "yoe": "5"}})
    listed = await client.get("/api/v1/approvals")
    assert listed.status_code == 200, listed.text
    [waiting] = listed.json()["approvals"]
    assert (waiting["title"], waiting["answers"], waiting["guessed"]) == ("Nurse", 2, ["Visa?"])
    approval = {"reason": "reads well", "version": waiting["run"]["version"]}
    assert (await client.post("/api/v1/runs/run-2/approve", json=approval)).status_code == 200
    assert (await client.get("/api/v1/approvals")).json() == {"approvals": []}


async def test_an_agent_is_told_for_how_long_it_has_the_posting(client, clock):
    lease = (await claim(client)).json()["lease_seconds"]
    clock.advance(timedelta(seconds=lease - 1))
    assert (await claim(client, "run-2")).status_code == 409
    assert (await report(client, artifacts={"note": "still here"})).json()["lease_seconds"] == lease
    clock.advance(timedelta(seconds=lease))
    assert (await claim(client, "run-2")).status_code == 201
    runs = (await client.get(JOBS, params={"runs_for": "12345"})).json()["runs"]
    assert [run["lease_seconds"] for run in runs] == [None, lease]
    assert (await report(client, "success", "run-2")).json()["lease_seconds"] is None


async def test_an_agent_that_waits_is_told_how_often_to_ask_and_when_it_was_approved(client, tables):
    await keep(Office(tables), make_posting("9"), board="clinic", policy=BoardPolicy(approval=Approval.EVERY_TIME))
    first = await claim(client, job_id="9", board="clinic")
    assert first.json()["approved_at"] is None
    assert f"at least every {first.json()['lease_seconds']} s" in (await report(client, "submitting")).json()["detail"]
    await client.post("/api/v1/runs/run-1/approve", json={"reason": "reads well"})
    assert (await report(client, "submitting")).json()["approved_at"] is not None
    assert (await claim(client, job_id="9", board="clinic")).json() == first.json()


async def test_postings_that_nobody_has_are_listed_for_agents(client, tables, clock):
    postings = [make_posting(name) for name in ("free", "left", "announced", "over")]
    await keep(Office(tables), *postings, board="open")
    await keep(Office(tables), make_posting("strict"), board="strict", policy=BoardPolicy(fence=Fence.REQUIRED))
    for name, board in (("left", "open"), ("announced", "open"), ("over", "open"), ("strict", "strict")):
        assert (await claim(client, f"run-{name}", job_id=name, board=board)).status_code == 201
    await report(client, "submitting", "run-announced")
    await report(client, "success", "run-over")

    async def list_claimable():
        found = await client.get(JOBS, params={"claimable": True})
        return {job["job_id"] for job in found.json()["jobs"]}

    assert await list_claimable() == {"12345", "777", "free"}
    clock.advance(timedelta(seconds=300))
    assert await list_claimable() == {"12345", "777", "free", "left"}
    for name in await list_claimable():
        board = "ramp" if name.isdigit() else "open"
        assert (await claim(client, f"again-{name}", job_id=name, board=board)).status_code == 201


async def test_an_agent_whose_posting_was_claimed_by_another_is_told_so(client, clock):
    await claim(client)
    clock.advance(timedelta(seconds=301))
    await claim(client, "run-2")
    late = await report(client, "submitting")
    told = late.json()
    assert (late.status_code, told["rule"], told["holder"]) == (409, "superseded", "run-2")
    assert "run 'run-2' claimed its posting. Stop" in told["detail"]
    beat = await report(client)
    assert (beat.status_code, beat.json()["rule"]) == (409, "superseded")
    await report(client, "failed", "run-2", error="no form")
    after = (await report(client, "success", "run-2")).json()
    assert (after["rule"], "ended as failed;" in after["detail"]) == ("ended", True)


async def test_an_agent_whose_run_a_person_ended_is_told_what_they_found(client):
    await claim(client)
    await report(client, "unknown")
    found = {"finding": "submitted", "reason": "a mail came"}
    assert (await client.post("/api/v1/runs/run-1/resolve", json=found)).status_code == 200
    told = (await report(client, "failed", error="I think not")).json()
    assert (told["rule"], "a mail came" in told["detail"]) == ("ended", True)
