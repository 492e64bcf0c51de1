"""What people do with postings."""

import pytest

from dibs.apps.postings.actions import (
    count_states,
    find_holders,
    find_timeline,
    list_boards,
    list_postings,
    measure,
    move_by_hand,
    set_policy,
)
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.records import BoardPolicy, By, RoleRule
from dibs.assembly import open_backend
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.errors import BadInput, BoardNotFound, PostingNotFound, PostingUnfit
from tests.apps.postings.agents import JOB, claim, lapse, report
from tests.apps.postings.conftest import TENANT, find, keep, make_posting

ADA = By(actor="ada", reason="it is a scam")


@pytest.fixture(autouse=True)
async def postings(office):
    await keep(office, make_posting(), make_posting("777", title="Baker"))


async def move(office, verb, by=ADA, job_id=JOB):
    return await move_by_hand(office, TENANT, (job_id, "ramp"), verb, by)


async def test_a_person_expires_rejects_and_reopens_with_a_reason(office):
    assert (await move(office, "expire")).state == "expired"
    assert (await move(office, "reject")).state == "rejected"
    assert (await move(office, "reopen")).state == "discovered"
    timeline = await find_timeline(office, TENANT, JOB)
    assert [(act.action, act.actor, act.reason) for act in timeline.acts] == [
        ("POSTING_EXPIRED", "ada", "it is a scam"),
        ("POSTING_REJECTED", "ada", "it is a scam"),
        ("POSTING_REOPENED", "ada", "it is a scam"),
    ]


async def test_what_people_do_is_in_the_audit_log_of_the_jobs(office):
    async with await open_backend("memory://") as backend:
        office._audit = backend.audit
        await move(office, "expire")
        office._audit = None
        await move(office, "reject")
        office._audit = backend.audit
        await move(office, "reopen")
        page = await backend.reader.list_audit(AuditFilter(), PageRequest())
    told = [(entry.action, entry.actor) for entry in reversed(page.items)]
    assert told == [("POSTING_EXPIRED", "ada"), ("POSTING_REJECTED", "ada"), ("POSTING_REOPENED", "ada")]


async def test_without_a_reason_nothing_is_done(office):
    with pytest.raises(BadInput, match="needs a reason"):
        await move(office, "expire", By(actor="ada", reason=" "))
    assert (await find(office)).state == "discovered"


async def test_only_what_is_closed_can_be_reopened(office):
    with pytest.raises(PostingUnfit, match="is discovered"):
        await move(office, "reopen")
    with pytest.raises(PostingNotFound):
        await move(office, "expire", job_id="999")


async def test_what_was_applied_to_and_expired_is_reopened_as_applied(office):
    await claim(office)
    await report(office, status="success")
    await move(office, "expire")
    assert (await move(office, "reopen")).state == "applied"
    with pytest.raises(PostingUnfit):
        await claim(office, "run-2")


async def test_what_a_run_has_is_reopened_as_queued_and_its_success_is_seen(office):
    await claim(office)
    await move(office, "expire")
    assert (await move(office, "reopen")).state == "queued"
    await report(office, status="success")
    assert (await find(office)).state == "applied"


async def test_an_agent_whose_posting_was_rejected_meanwhile_may_still_report(office):
    await claim(office)
    await move(office, "reject")
    await report(office, status="success")
    tracked = await find(office)
    assert (tracked.state, tracked.applied_run, tracked.holder) == ("rejected", "run-1", None)


async def test_postings_are_listed_by_state_board_and_page(office):
    await claim(office)
    assert [one.external_id for one in await list_postings(office, TENANT, {"state": "queued"})] == [JOB]
    assert len(await list_postings(office, TENANT, {"board": "ramp"})) == 2
    first = await list_postings(office, TENANT, {}, limit=1)
    rest = await list_postings(office, TENANT, {}, after=first[0].id)
    assert {one.external_id for one in (*first, *rest)} == {JOB, "777"}
    with pytest.raises(BadInput, match="limit 0"):
        await list_postings(office, TENANT, {}, limit=0)


async def test_a_timeline_has_every_run_with_what_it_left(office):
    await claim(office, artifacts={"resume_url": "a"})
    await report(office, status="failed", error="timeout")
    await claim(office, "run-2")
    timeline = await find_timeline(office, TENANT, JOB, "ramp")
    assert [(run.run_id, run.state, run.error) for run in timeline.runs] == [
        ("run-1", "failed", "timeout"),
        ("run-2", "pending", None),
    ]
    assert timeline.runs[0].artifacts == {"resume_url": "a"}


async def test_variants_are_measured(office):
    await claim(office, variant_id="v2")
    await report(office, status="success")
    measured = await measure(office, TENANT)
    assert [(one.variant_id, one.n, one.rate) for one in measured] == [("v2", 1, None)]


async def test_the_policy_of_a_board_is_set(office):
    await set_policy(office, TENANT, "ramp", BoardPolicy(role_rule=RoleRule.BLOCK), ADA)
    assert (await list_boards(office, TENANT))[0].policy.role_rule is RoleRule.BLOCK
    with pytest.raises(BoardNotFound, match="no board 'none'"):
        await set_policy(office, TENANT, "none", BoardPolicy(), ADA)


async def test_postings_are_counted_and_searched_in_every_store(office, clock, locks):
    await keep(office, make_posting("888", title="KÜCHENCHEF 50%", company="Héron, Inc."), board="kitchens")
    await claim(office)

    async def search(**filters):
        return [one.external_id for one in await list_postings(office, TENANT, filters)]

    counts = await count_states(office, TENANT)
    assert counts == {**dict.fromkeys(PostingState, 0), PostingState.DISCOVERED: 2, PostingState.QUEUED: 1}
    assert [await search(words=words) for words in ("heron", "küchen", "50%", "%_", "12345")] == [
        ["888"],
        ["888"],
        ["888"],
        [],
        ["12345"],
    ]
    assert await search(is_claimable=True) == ["777", "888"]
    await lapse(office, clock, locks)
    assert await search(is_claimable=True) == ["12345", "777", "888"]
    holders = await find_holders(office, TENANT, [await find(office)])
    assert (list(holders), holders["run-1"].error) == (["run-1"], None)
