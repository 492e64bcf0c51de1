"""`dibs gate`, `sources`, `limits`, `jobs why` and `audit`."""

import json
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from dibs.engine.admission.source import FetchReport, FetchVerdict
from dibs.engine.events import Events
from dibs.engine.job import Job
from dibs.engine.loops.sealing import Sealing
from dibs.engine.worker.reach import Reach
from tests.held_back import REASONS, hold_back

WHY = ("--reason", "repairs", "--actor", "ann")


async def claim_all(backend):
    return [job.id for job in await backend.claim_pending_jobs(10)]


async def store_one(backend):
    await backend.store_job(Job(id="job", job_type="MAIL", queue="slow", source="ebay"))


def test_a_gate_is_closed_shown_and_opened(dibs, store):
    store(store_one)
    assert dibs("gate", "status").out == "All gates are open.\n"
    assert dibs("gate", "close", *WHY).code == 0
    [gate] = dibs("gate", "status", "--json").json["gates"]
    assert (gate["mode"], gate["actor"], gate["reason"]) == ("closed", "ann", "repairs")
    assert store(claim_all) == []
    shown = dibs("gate", "status").out
    assert "global" in shown
    assert "repairs" in shown
    assert dibs("gate", "open", *WHY).code == 0
    assert store(claim_all) == ["job"]


@pytest.mark.parametrize(
    "scope", [("--queue", "slow"), ("--type", "MAIL"), ("--source", "ebay"), ("--tenant", "default")]
)
def test_a_smaller_gate_holds_back_what_is_behind_it(dibs, store, scope):
    store(store_one)
    assert dibs("gate", "close", *scope, "--drain", "--for", "2h", *WHY).code == 0
    [gate] = dibs("gate", "status", "--json").json["gates"]
    assert (gate["mode"], "expires_at" in gate) == ("drain", True)
    assert store(claim_all) == []
    dibs("gate", "open", *WHY)
    assert store(claim_all) == [], "another gate was opened"
    dibs("gate", "open", *scope, *WHY)
    assert store(claim_all) == ["job"]


def test_two_gates_in_one_command_are_refused(dibs, store):
    refused = dibs("gate", "close", "--queue", "slow", "--tenant", "acme", *WHY)
    assert (refused.code, "one gate at a time" in refused.err) == (2, True)


@pytest.mark.parametrize("command", [("gate", "close"), ("sources", "pause", "ebay")])
def test_a_pause_of_no_length_is_refused(dibs, store, command):
    store(store_one)
    refused = dibs(*command, "--for", "0s", *WHY)
    assert (refused.code, "over at once" in refused.err) == (2, True)
    assert store(claim_all) == ["job"]


def test_declaring_a_paused_source_leaves_it_paused(dibs, store):
    store(store_one)
    dibs("sources", "pause", "ebay", *WHY)
    assert dibs("sources", "declare", "ebay", "--rate", "60", *WHY).code == 0
    assert store(claim_all) == []


def test_a_source_is_declared_and_what_is_left_out_stays(dibs, store):
    first = dibs("sources", "declare", "ebay", "--rate", "30", "--burst", "3", "--pause", "90s", *WHY, "--json").json
    assert first["source"]["rule"]["rate_limit_per_minute"] == 30
    second = dibs("sources", "declare", "ebay", "--rate", "0", *WHY, "--json").json["source"]["rule"]
    assert (second["rate_limit_per_minute"], second["burst"]) == (None, 3)
    assert "ebay" in dibs("sources", "list").out
    assert "no limit" in dibs("sources", "list").out


def test_a_source_is_paused_and_resumed(dibs, store):
    store(store_one)
    dibs("sources", "pause", "ebay", *WHY)
    assert store(claim_all) == []
    assert "disabled" in dibs("sources", "show", "ebay").out
    dibs("sources", "resume", "ebay", *WHY)
    dibs("sources", "pause", "ebay", "--for", "1h", *WHY)
    assert "paused for 59 min" in dibs("sources", "list").out
    dibs("sources", "resume", "ebay", *WHY)
    assert store(claim_all) == ["job"]


def test_who_paused_a_source_is_told_by_whose_pause_it_is(dibs, store):
    async def fail(backend):
        await backend.sources.report(FetchReport(source="ebay", verdict=FetchVerdict.PROVIDER_FAULT))

    store(store_one)
    store(fail)
    dibs("sources", "pause", "ebay", "--for", "1h", *WHY)
    [said, *_] = dibs("jobs", "why", "job", "--json").json["reasons"]
    assert said["sentence"] == "source 'ebay' is paused by an operator; dibs sources resume ebay --reason …"
    dibs("sources", "resume", "ebay", *WHY)
    dibs("sources", "declare", "ebay", "--failures", "1", *WHY)
    store(fail)
    [said, *_] = dibs("jobs", "why", "job", "--json").json["reasons"]
    assert said["sentence"] == "source 'ebay' is paused after 1 failure in a row."


def test_a_broken_source_says_so(dibs, store):
    async def break_it(backend):
        for _ in range(5):
            await backend.sources.report(FetchReport(source="ebay", verdict=FetchVerdict.PROVIDER_FAULT))

    store(break_it)
    assert "5/5" in dibs("sources", "list").out


def test_a_source_that_nobody_knows_is_neither_paused_nor_resumed(dibs, store):
    for act in ("pause", "resume"):
        refused = dibs("sources", act, "eaby", *WHY)
        assert (refused.code, "eaby" in refused.err) == (3, True)
    assert dibs("sources", "list", "--json").json["sources"] == []


def test_a_gate_before_a_name_that_nobody_uses_is_shut_with_a_warning(dibs, store):
    store(store_one)
    odd = dibs("gate", "close", "--queue", "tpyo", *WHY)
    assert (odd.code, "no job is of queue 'tpyo'" in odd.err) == (0, True)
    assert dibs("gate", "close", "--queue", "slow", *WHY).err == ""


def test_a_limit_of_a_family_of_keys_is_taken_away(dibs, store):
    dibs("limits", "key", "account:", "5", *WHY)
    assert "account:" in dibs("limits", "list").out
    assert dibs("limits", "key", "account:", "none", *WHY).code == 0
    assert dibs("limits", "list", "--json").json["limits"] == []


def test_an_unknown_source_is_not_found(dibs, store):
    missing = dibs("sources", "show", "nowhere")
    assert (missing.code, "dibs sources list" in missing.err) == (3, True)


def test_limits_are_set_listed_and_taken_away(dibs, store):
    assert "No limits are set" in dibs("limits", "list").out
    dibs("limits", "tenant", "acme", "--max-running", "2", "--daily-budget", "150.5", *WHY)
    dibs("limits", "tenant", "acme", "--weight", "3", *WHY)
    dibs("limits", "queue", "shared", "--fair", *WHY)
    dibs("limits", "key", "account:", "4", *WHY)
    shown = dibs("limits", "list").out
    assert "2 at once, weight 3, 150.5 cents a day" in shown
    assert "its tenants take turns" in shown
    dibs("limits", "tenant", "acme", "--max-running", "none", "--daily-budget", "none", "--weight", "1", *WHY)
    dibs("limits", "queue", "shared", "--not-fair", *WHY)
    assert [limit["name"] for limit in dibs("limits", "list", "--json").json["limits"]] == ["account:"]


@pytest.mark.parametrize(
    "given",
    [
        ("tenant", "acme", "--max-running", "some"),
        ("tenant", "acme", "--max-running", "9" * 5_000),
        ("key", "k", "0"),
        ("tenant", "acme", "--daily-budget", "x"),
        ("tenant", "acme", "--daily-budget", "1e999999999"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(dibs, store, given):
    assert dibs("limits", *given, *WHY).code == 2
    assert dibs("limits", "list", "--json").json["limits"] == []


def test_why_tells_what_holds_a_job_back(dibs, store):
    store(store_one)
    dibs("gate", "close", "--queue", "slow", *WHY)
    told = dibs("jobs", "why", "job")
    assert "the gate of queue 'slow' is shut (closed) by ann: repairs" in told.out
    codes = [reason["code"] for reason in dibs("jobs", "why", "job", "--json").json["reasons"]]
    assert codes == ["gate", "no_worker"]
    assert dibs("jobs", "why", "nothing").code == 3


def test_why_tells_every_reason_in_words(dibs, store):
    store(hold_back)
    for code, (sentence, has_end) in REASONS.items():
        reason = dibs("jobs", "why", code, "--json").json["reasons"][0]
        assert (reason["code"], sentence in reason["sentence"]) == (code, True), reason
        assert bool(reason.get("until")) is has_end, reason
        assert sentence[:20] in dibs("jobs", "why", code).out


async def act_and_seal(backend):
    for number in range(3):
        await backend.store_job(Job(id=f"job-{number}", job_type="MAIL", tenant="acme"))
    for job in await backend.claim_pending_jobs(3):
        await backend.complete_job(job.lease)


async def seal(backend):
    sealing = Sealing(backend, Reach(Events()), owner="test", interval=timedelta(seconds=9))
    await sealing.tick()
    await sealing.leading.give_up()


async def finish_one(backend):
    await store_one(backend)
    [job] = await backend.claim_pending_jobs(1)
    await backend.complete_job(job.lease)


def test_what_workers_would_forget_is_told_and_stays(dibs, store, monkeypatch):
    store(finish_one)
    monkeypatch.setenv("DIBS_KEEP_SUCCEEDED_DAYS", "0.0000001")
    monkeypatch.setenv("CACHE_ENABLED", "true")
    told = dibs("db", "retention", "--json").json["forgettable"]
    assert [(one["what"], one["count"]) for one in told] == [
        ("cancelled and succeeded jobs", 1),
        ("failed jobs", 0),
        ("pages of the response cache", 0),
    ]
    assert "1 cancelled and succeeded jobs" in dibs("db", "retention").out
    assert len(dibs("jobs", "list", "--json").json["jobs"]) == 1


def test_the_log_is_listed_by_what_is_asked(dibs, store):
    store(act_and_seal)
    dibs("gate", "close", *WHY)
    assert len(dibs("audit", "list", "--json").json["entries"]) == 4
    [entry] = dibs("audit", "list", "--by", "ann", "--json").json["entries"]
    assert (entry["action"], entry["subject"]) == ("GATE_SHUT", "gate:global")
    assert len(dibs("audit", "list", "--action", "JOB_SUCCEEDED", "--tenant", "acme", "--json").json["entries"]) == 3
    assert dibs("audit", "list", "--until", "2020-01-01T00:00:00Z", "--json").json["entries"] == []
    assert "job:job-1" in dibs("audit", "list", "--subject", "job:job-1").out


def test_the_log_is_exported_one_entry_a_line(dibs, store):
    store(act_and_seal)
    lines = dibs("audit", "export").out.splitlines()
    assert [json.loads(line)["action"] for line in lines] == ["JOB_SUCCEEDED"] * 3


def test_an_unbroken_chain_is_verified_with_its_tail(dibs, store):
    store(act_and_seal)
    store(seal)
    dibs("gate", "close", *WHY)
    verified = dibs("audit", "verify", "--json")
    chains = {chain["tenant"]: chain for chain in verified.json["chains"]}
    assert (verified.code, chains["acme"]["sealed"], chains["*"]["unsealed"]) == (0, 3, 1)
    assert chains["acme"]["fault"] is None
    assert "unbroken" in dibs("audit", "verify").out


def test_a_changed_entry_is_found(dibs, store, room):
    store(act_and_seal)
    store(seal)
    with closing(sqlite3.connect(room / "jobs.db")) as intruder, intruder:
        intruder.execute("UPDATE dibs_audit SET actor = 'nobody' WHERE sequence = 2")
    intruder.close()
    verified = dibs("audit", "verify")
    assert (verified.code, "BROKEN" in verified.out) == (1, True)


def test_old_entries_are_forgotten_and_the_chain_stays_whole(dibs, store):
    store(act_and_seal)
    store(seal)
    assert dibs("audit", "forget", "acme", "--older-than", "0s", *WHY, "--json").json == {"forgotten": 3}
    store(seal)
    [chain] = dibs("audit", "verify", "--tenant", "acme", "--json").json["chains"]
    assert (chain["fault"], chain["begins_at"], chain["sealed"]) == (None, 4, 1)


def test_the_help_of_verify_names_what_it_needs_to_find_a_log_cut_off(dibs):
    assert "DIBS_AUDIT_HEADS" in dibs("audit", "verify", "--help").out


def test_a_span_of_the_log_that_ends_before_it_begins_is_refused(dibs, store):
    for command in ("list", "export"):
        refused = dibs("audit", command, "--since", "2027-02-01", "--until", "2027-01-31")
        assert (refused.code, "is not before --until" in refused.err) == (2, True)
