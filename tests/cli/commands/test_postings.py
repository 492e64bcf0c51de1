"""`dibs postings`."""

import asyncio
import json

import pytest

from dibs.apps.postings.office import Office
from dibs.cli.main import run
from dibs.storage.tables import Tables
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import keep, make_posting


def read(capsys, *arguments):
    code = run(["postings", "read", *arguments])
    shown = capsys.readouterr()
    return code, [json.loads(line) for line in shown.out.splitlines()], shown.err


def save(tmp_path, document):
    file = tmp_path / "jobs.json"
    file.write_text(json.dumps(document))
    return str(file)


def test_a_saved_payload_is_printed_as_json_lines(tmp_path, capsys):
    row = {"id": 7, "title": "Cook", "content": "Salary: $20 - $25 per hour", "location": {"name": "Lima"}}
    code, lines, told = read(capsys, "--board", "greenhouse", "--company", "Ibis", save(tmp_path, {"jobs": [row]}))
    assert (code, told) == (0, "")
    assert lines == [
        {
            "external_id": "7",
            "title": "Cook",
            "company": "Ibis",
            "locations": ["Lima"],
            "remote": None,
            "department": None,
            "employment_type": None,
            "pay": {"min": 20, "max": 25, "currency": "USD", "period": "hour"},
            "posted_at": None,
            "updated_at": None,
            "apply_url": None,
            "text": "Salary: $20 - $25 per hour",
        }
    ]


def test_a_bad_row_is_told_and_the_others_are_printed(tmp_path, capsys):
    rows = [5, None, "x", {"id": 7, "title": "Cook"}, {"id": 8}]
    code, lines, told = read(capsys, "--board", "greenhouse", save(tmp_path, {"jobs": rows}))
    assert (code, len(lines)) == (0, 1)
    assert told.splitlines() == [
        "dibs: row 0: the row is a number, not an object.",
        "dibs: row 1: the row is null, not an object.",
        "dibs: row 2: the row is a text, not an object.",
        "dibs: row 4 (id 8): the row has no title.",
    ]


def test_what_is_no_payload_of_the_board_ends_with_1(tmp_path, capsys):
    code, lines, told = read(capsys, "--board", "lever", save(tmp_path, {"ok": False}))
    assert (code, lines) == (1, [])
    assert told.startswith("dibs: the payload is no answer of lever")


def test_days_in_words_are_read_as_of_a_day(tmp_path, capsys):
    row = {"title": "Clerk", "bulletFields": ["R1"], "postedOn": "Posted 3 Days Ago"}
    file = save(tmp_path, {"total": 1, "jobPostings": [row]})
    for told in ("2026-05-10", "2026-05-09T23:00-03:00", "2026-05-11T01:00:00+02:00"):
        _, lines, _ = read(capsys, "--board", "workday", "--as-of", told, file)
        assert lines[0]["posted_at"] == "2026-05-07", told
    code, _, told = read(capsys, "--board", "workday", "--as-of", "2026-05-10T12:00", file)
    assert (code, "which time zone" in told) == (2, True)


def test_an_unknown_board_and_a_missing_file_are_refused(tmp_path, capsys):
    assert read(capsys, "--board", "monster", save(tmp_path, []))[0] == 2
    code, _, told = read(capsys, "--board", "lever", str(tmp_path / "none.json"))
    assert (code, "No such file" in told) == (2, True)


@pytest.fixture
def kept(dibs, room):
    """Tables with two postings of a board."""
    assert dibs("db", "migrate").code == 0

    async def fill():
        async with Tables.at("sqlite:///jobs.db") as tables:
            await keep(Office(tables), make_posting(), make_posting("777", title="Baker"))

    asyncio.run(fill())
    return dibs


def test_postings_are_listed_and_shown(kept):
    listed = kept("postings", "list", "--json").json["postings"]
    assert [(one["external_id"], one["state"], one["title"]) for one in listed] == [
        ("12345", "discovered", "Cook"),
        ("777", "discovered", "Baker"),
    ]
    assert "ramp  777  discovered  Baker" in kept("postings", "list").out
    assert kept("postings", "show", "777").out.startswith("Baker (ramp 777): discovered")
    assert kept("postings", "show", "999").code == 3
    assert kept("postings", "list", "--state", "gone").code == 2


def test_a_posting_is_expired_rejected_and_reopened_with_a_reason(kept):
    assert kept("postings", "expire", "777", "--reason", "filled", "--actor", "ada").out == "ramp 777: expired\n"
    assert kept("postings", "reject", "777", "--reason", "scam").out == "ramp 777: rejected\n"
    assert kept("postings", "reopen", "777", "--reason", "was a mistake").out == "ramp 777: discovered\n"
    assert kept("postings", "reopen", "777", "--reason", "again").code == 4
    assert "POSTING_EXPIRED  ada: filled" in kept("postings", "show", "777").out
    entries = kept("audit", "list", "--json").json["entries"]
    assert {"POSTING_EXPIRED", "POSTING_REJECTED", "POSTING_REOPENED"} <= {entry["action"] for entry in entries}


def test_runs_are_approved_and_resolved(kept):
    async def begin():
        async with Tables.at("sqlite:///jobs.db") as tables:
            await claim(Office(tables))
            await report(Office(tables), status="unknown")

    asyncio.run(begin())
    assert kept("postings", "approve", "run-1").code == 4
    assert kept("postings", "list", "--held").out == "ramp  12345  queued (held)  Cook\n"
    assert kept("postings", "list", "--claimable").out == "ramp  777  discovered  Baker\n"
    assert kept("postings", "resolve", "run-1", "perhaps", "--reason", "x").code == 2
    assert kept("postings", "resolve", "run-1", "submitted", "--reason", "a mail came").out == "ramp 12345: applied\n"
    assert kept("postings", "resolve", "run-9", "submitted", "--reason", "x").code == 3


def test_runs_that_wait_for_approval_are_listed(kept):
    async def begin():
        async with Tables.at("sqlite:///jobs.db") as tables:
            await claim(Office(tables), artifacts={"answers": {"Visa?": "no"}})

    assert kept("postings", "approvals").out == "No run waits for approval.\n"
    asyncio.run(begin())
    assert kept("postings", "approvals").out == "No run waits for approval.\n"
    kept("postings", "policy", "ramp", "--approval", "every_time", "--reason", "a new form")
    assert kept("postings", "approvals").out == "run-1  ramp  12345  Cook  answers: 1 (to be judged: Visa?)\n"
    [waiting] = kept("postings", "approvals", "--json").json["approvals"]
    assert (waiting["run"]["artifacts"], waiting["posting"]["title"]) == ({"answers": {"Visa?": "no"}}, "Cook")
    kept("postings", "approve", "run-1")
    assert kept("postings", "approvals", "--json").json == {"approvals": []}


def test_a_crawl_of_what_is_no_board_is_refused(kept):
    refused = kept("postings", "crawl", "monster", "acme")
    assert (refused.code, "There are: greenhouse" in refused.err) == (2, True)
    assert kept("postings", "crawl", "lever", "../x").code == 2


def test_the_policy_of_a_board_is_set_word_by_word(kept):
    done = kept("postings", "policy", "ramp", "--fence", "required", "--reason", "its form lies")
    assert done.out == "ramp  greenhouse ramp  fence required, approval never, role warn\n"
    kept("postings", "policy", "ramp", "--role-rule", "block", "--reason", "once is enough")
    [board] = kept("postings", "boards", "--json").json["boards"]
    assert board["policy"] == {"fence": "required", "approval": "never", "role_rule": "block"}
    assert kept("postings", "policy", "none", "--fence", "required", "--reason", "x").code == 3
    assert kept("postings", "policy", "ramp", "--fence", "maybe", "--reason", "x").code == 2
    assert kept("postings", "policy", "ramp", "--reason", "x").code == 2


def test_caps_are_set_and_taken_away(kept):
    done = kept(
        "postings", "cap", "company", "Ibis, Inc.", "--most-a-day", "2", "--cool-down", "3d", "--reason", "slowly"
    )
    assert done.out == "company ibis: 2 a day, cool-down 3 d\n"
    assert kept("postings", "caps", "--json").json["caps"] == [
        {"scope": "company", "name": "ibis", "most_a_day": 2, "cool_down_seconds": 259200}
    ]
    assert kept("postings", "cap", "company", "ibis", "--reason", "enough").code == 0
    assert kept("postings", "caps").out.startswith("No caps")
    assert kept("postings", "cap", "planet", "--reason", "x").code == 2


def test_a_person_answers_for_the_agents(kept):
    assert kept("postings", "answers").out == "No answers.\n"
    assert kept("postings", "answer", "Visa?", "no", "--reason", "a citizen", "--actor", "ada").code == 0
    assert kept("postings", "answers").out == "Visa?  no  (person, approved by ada)\n"
    assert kept("postings", "answers", "--unapproved", "--json").json == {"answers": []}


def test_profiles_and_their_resumes_are_kept_shown_and_forgotten(kept):
    why = ("--reason", "she asked us to")
    assert kept("postings", "profiles").out.startswith("No profiles")
    assert kept("postings", "profile", "p1", *why).code == 2
    done = kept("postings", "profile", "p1", "--full-name", "Ada Byron", "--answer", "Visa?=no", *why)
    assert done.out == "p1  Ada Byron  no contact  0 of 0 succeeded\n  Visa?  no\n"
    kept("postings", "profile", "p1", "--contact", "ada@example.org", "--answer", "Pay?=a=b", *why)
    assert kept("postings", "variant", "v2", "p1", "--resume", "s3://v2.pdf", *why).code == 0
    [found] = kept("postings", "profiles", "--json").json["profiles"]
    assert found["profile"]["answers"] == {"Visa?": "no", "Pay?": "a=b"}
    assert [one["resume"] for one in found["variants"]] == ["s3://v2.pdf"]
    assert kept("postings", "variants", "--profile", "p1").out == "v2  p1  0 of 0 succeeded\n"
    assert kept("postings", "profile", "p1", "--answer", "Visa", *why).code == 2
    assert kept("postings", "variant", "v2", "p9", *why).code == 3
    assert kept("postings", "variant", "v2", "p1", "--forget", *why).code == 0
    assert kept("postings", "variants", "--json").json == {"variants": []}
    assert kept("postings", "profile", "p1", "--forget", *why).code == 0
    assert kept("postings", "profile", "p1", "--forget", *why).code == 3
