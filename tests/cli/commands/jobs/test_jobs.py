"""Looking at jobs, and moving them."""

import re
from datetime import timedelta

import pytest

from dibs.cli.printing.shapes import JOB_FIELDS
from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job
from dibs.engine.store.moves import Failure
from dibs.engine.store.reading import AuditFilter, PageRequest

BOOM = ErrorInfo(type="Boom", message="[red]it[/red] \x1b[31mbroke", traceback="Traceback:\n  line 7\nBoom: it broke")


async def fill(backend):
    """One job in each state, in the order pending, running, retryable, succeeded, failed, cancelled."""
    names = ["waiting", "held", "again", "done", "broken", "dropped"]
    await backend.store_jobs([Job(id=name, job_type="MAIL", input={"to": name}) for name in names])
    taken = await backend.claim_pending_jobs(6, worker="worker-1")
    by_id = {job.id: job for job in taken}
    await backend.snooze_job(by_id["waiting"].lease, timedelta(hours=2))
    failure = Failure(lease=by_id["again"].lease, error=BOOM, retry_in=timedelta(minutes=10))
    await backend.fail_jobs([failure])
    await backend.complete_job(by_id["done"].lease, {"sent": True}, cost_cents=0.25)
    await backend.fail_jobs([Failure(lease=by_id["broken"].lease, error=BOOM, kind=FailureKind.PERMANENT)])
    await backend.cancel_job("dropped", actor="ada", reason="not needed")


@pytest.fixture
def filled(store):
    store(fill)
    return store


def list_ids(dibs, *arguments: str) -> list[str]:
    return [job["id"] for job in dibs("jobs", "list", "--json", *arguments).json["jobs"]]


def test_the_list_shows_every_job_with_what_matters(dibs, filled):
    done = dibs("jobs", "list")
    assert done.code == 0
    rows = {line.split()[0]: line for line in done.out.splitlines()[2:]}
    assert list(rows) == ["dropped", "broken", "done", "again", "held", "waiting"]
    assert "in 1 h" in rows["waiting"]
    assert "by worker-1" in rows["held"]
    assert "in 9 min Boom: " in rows["again"]
    assert "took" in rows["done"]
    assert "Boom: [red]it[/red] \\x1b[31mbroke" in rows["broken"]


def test_the_list_tells_how_often_each_job_was_tried_of_how_often_it_may_be(dibs, filled):
    rows = [line.split() for line in dibs("jobs", "list").out.splitlines()[2:]]
    tried_once = dict.fromkeys(("dropped", "broken", "done", "again", "held"), "1/4")
    assert {row[0]: row[4] for row in rows} == {**tried_once, "waiting": "0/4"}
    assert re.search("tries +1 of 4", dibs("jobs", "show", "done").out)
    assert dibs("jobs", "show", "done", "--json").json["job"]["tries"] == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--state", "failed", "--state", "cancelled"], ["dropped", "broken"]),
        (["--worker", "worker-1", "--state", "running"], ["held"]),
        (["--type", "MAIL", "--limit", "2"], ["dropped", "broken"]),
        (["--type", "OTHER"], []),
        (["--queue", "default", "--tenant", "default", "--state", "pending"], ["waiting"]),
        (["--tenant", "acme"], []),
        (["--parent", "x"], []),
        (["--source", "x"], []),
        (["--unique-key", "x"], []),
    ],
)
def test_filters_choose_jobs(dibs, filled, arguments, expected):
    assert list_ids(dibs, *arguments) == expected


def test_the_cursor_leads_from_page_to_page(dibs, filled):
    first = dibs("jobs", "list", "--limit", "4", "--json").json
    rest = dibs("jobs", "list", "--limit", "4", "--json", "--cursor", str(first["next_cursor"])).json
    assert [job["id"] for job in first["jobs"] + rest["jobs"]] == list_ids(dibs)
    assert rest["next_cursor"] is None
    told = dibs("jobs", "list", "--limit", "4")
    assert told.err == f"There are more: add --cursor {first['next_cursor']}\n"


def test_a_long_list_is_read_in_several_pages(dibs, store):
    async def store_many(backend):
        await backend.store_jobs([Job(id=f"job-{number:04}", job_type="MANY") for number in range(2_500)])

    store(store_many)
    page = dibs("jobs", "list", "--limit", "2400", "--json").json
    assert [job["id"] for job in page["jobs"]] == [f"job-{number:04}" for number in range(2_499, 99, -1)]
    assert dibs("jobs", "list", "--cursor", str(page["next_cursor"]), "--json").json["jobs"][0]["id"] == "job-0099"


def test_a_job_as_json_has_the_documented_fields(dibs, filled):
    job = dibs("jobs", "show", "done", "--json").json["job"]
    assert tuple(job) == JOB_FIELDS
    assert job["output"] == {"sent": True}
    assert job["cost_cents"] == 0.25
    assert job["finished_at"].endswith("Z")


def test_a_job_is_shown_with_its_attempts_and_its_audit_entries(dibs, filled):
    shown = dibs("jobs", "show", "broken", "--json").json
    assert [attempt["outcome"] for attempt in shown["attempts"]] == ["errored"]
    assert [entry["action"] for entry in shown["audit"]] == ["JOB_FAILED"]
    done = dibs("jobs", "show", "broken")
    assert done.code == 0
    assert "MAIL  failed" in done.out
    assert '"to": "broken"' in done.out
    assert "line 7" in done.out
    assert "JOB_FAILED" in done.out
    assert "\x1b" not in done.out


def test_a_job_that_is_not_there_is_not_found(dibs, filled):
    done = dibs("jobs", "show", "nowhere")
    assert (done.code, done.out) == (3, "")
    assert done.err == "dibs: no job has the id 'nowhere'. It may never have been stored, or it was pruned.\n"


def test_jobs_are_retried_in_the_name_of_an_operator(dibs, filled):
    done = dibs("jobs", "retry", "broken", "dropped", "--actor", "grace", "--reason", "server is back")
    assert done.code == 0
    assert done.out == "broken  pending again\ndropped  pending again\n"
    assert list_ids(dibs, "--state", "failed", "--state", "cancelled") == []

    async def read_actors(backend):
        page = await backend.reader.list_audit(AuditFilter(action="JOB_RETRIED"), PageRequest())
        return {(entry.actor, entry.reason) for entry in page.items}

    assert filled(read_actors) == {("grace", "server is back")}


def test_the_operator_is_by_default_who_is_logged_in(dibs, filled, monkeypatch):
    monkeypatch.setenv("LOGNAME", "lin")
    dibs("jobs", "cancel", "waiting", "--reason", "no more")
    assert dibs("jobs", "show", "waiting", "--json").json["audit"][0]["actor"] == "lin"


@pytest.mark.parametrize(
    ("verb", "ids", "code", "verdicts"),
    [
        ("retry", ["broken", "nowhere"], 3, ["retried", "missing"]),
        ("retry", ["nowhere", "held", "broken"], 4, ["missing", "not_revivable", "retried"]),
        ("cancel", ["held", "again"], 0, ["cancelled", "cancelled"]),
        ("cancel", ["done", "waiting"], 4, ["already_final", "cancelled"]),
        ("cancel", ["waiting", "waiting"], 0, ["cancelled"]),
    ],
)
def test_each_job_gets_its_verdict_and_the_worst_decides_the_code(dibs, filled, verb, ids, code, verdicts):
    done = dibs("jobs", verb, *ids, "--reason", "test", "--json")
    assert done.code == code
    results = done.json["results"]
    assert [result["verdict"] for result in results] == verdicts
    assert [result["id"] for result in results] == list(dict.fromkeys(ids))


def test_ids_can_come_from_stdin(dibs, filled):
    done = dibs("jobs", "cancel", "held", "-", "--reason", "test", stdin="waiting\n\nagain\n")
    assert done.out == "held  cancelled\nwaiting  cancelled\nagain  cancelled\n"
    assert dibs("jobs", "cancel", "-", "--reason", "test", stdin="\n").code == 2
    odd = dibs("jobs", "cancel", "-", "--reason", "test", stdin="waiting\n\udcff\n")
    assert (odd.code, "is no text in utf-8" in odd.err) == (2, True)


def test_many_ids_are_moved_in_batches(dibs, store):
    ids = [f"job-{number}" for number in range(1_200)]

    async def store_many(backend):
        await backend.store_jobs([Job(id=job_id, job_type="MANY") for job_id in ids])

    store(store_many)
    done = dibs("jobs", "cancel", "-", "--reason", "test", "--json", stdin="\n".join(ids))
    assert done.code == 0
    assert len(done.json["results"]) == 1_200


def test_a_reason_must_say_something(dibs, filled):
    done = dibs("jobs", "cancel", "waiting", "--reason", "  ")
    assert done.code == 2
    assert "say why" in done.err


def test_all_that_fit_are_retried_or_cancelled(dibs, filled):
    counted = dibs("jobs", "retry", "--all", "--type", "MAIL", "--dry-run", "--reason", "back")
    assert (counted.code, counted.out) == (0, "1 would be retried\n")
    done = dibs("jobs", "retry", "--all", "--state", "failed", "--state", "cancelled", "--reason", "back")
    assert (done.code, done.out) == (0, "2 pending again\n")
    assert dibs("jobs", "retry", "--all", "--queue", "elsewhere", "--reason", "back").out == "0 pending again\n"
    some = dibs("jobs", "cancel", "--all", "--limit", "2", "--reason", "enough", "--json").json
    assert some == {"count": 2, "left_alone": {}, "has_more": True, "dry_run": False}
    rest = dibs("jobs", "cancel", "--all", "--reason", "enough")
    assert (rest.out, rest.err) == ("3 cancelled\n", "")
    assert set(list_ids(dibs, "--state", "cancelled")) == {"waiting", "held", "again", "broken", "dropped"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--queue", "mail"], "need --all"),
        (["broken", "--queue", "mail"], "need --all"),
        (["broken", "--dry-run"], "need --all"),
        (["broken", "--all"], "--all takes no ids"),
        ([], "no id was given"),
        (["--all", "--state", "succeeded"], "no job that is succeeded can be retried"),
    ],
)
def test_choosing_jobs_in_two_ways_is_refused(dibs, filled, arguments, said):
    refused = dibs("jobs", "retry", *arguments, "--reason", "back")
    assert refused.code == 2
    assert said in refused.err
    assert list_ids(dibs, "--state", "failed") == ["broken"]
