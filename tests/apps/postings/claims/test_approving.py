"""What becomes of a run whose agent did not wait for a person."""

from datetime import timedelta

import pytest

from dibs.apps.postings import actions, store
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.approving import approve_run
from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reconciling import Finding, resolve_hold, settle_lapsed
from dibs.apps.postings.claims.requests import ClaimRequest
from dibs.apps.postings.records import BoardPolicy, By
from dibs.errors import PostingConflict, PostingMalformed
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import claim, lapse, report
from tests.apps.postings.conftest import TENANT, find, keep, make_posting

ADA = By(actor="ada", reason="asked the employer")


@pytest.fixture
async def asked(office):
    """A posting on a board that asks a person every time, claimed."""
    await keep(office, make_posting(), policy=BoardPolicy())
    await claim(office)


async def list_actions(office):
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        posting = await store.find_named(transaction, "12345", "ramp")
        return [act.action for act in await store.list_acts(transaction, posting[0].id)]


@pytest.mark.parametrize("status", ["submitted", "success"])
async def test_what_was_sent_without_approval_is_written_down_and_held_for_a_person(office, asked, status):
    run = await report(office, status=status, artifacts={"answers": {"yoe": "5"}})
    assert (run.state, run.breach) == (status, "approval")
    tracked = await find(office)
    assert (tracked.is_held, tracked.holder) == (True, "run-1")
    assert tracked.state == {"submitted": "queued", "success": "applied"}[status]
    with pytest.raises(PostingConflict, match="find out first"):
        await claim(office, "run-2")
    assert await list_actions(office) == ["RUN_UNAPPROVED"]


async def test_an_agent_that_goes_on_after_it_was_refused_is_found_out_as_well(office, asked):
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, status="submitting")
    assert (await report(office, status="submitted")).breach == "approval"
    assert (await report(office, status="success")).breach == "approval"
    assert await list_actions(office) == ["RUN_UNAPPROVED"]


async def test_a_person_confirms_what_was_sent_without_approval(office, asked):
    await report(office, status="success")
    tracked = await resolve_hold(office, TENANT, "run-1", Finding.SUBMITTED, ADA)
    assert (tracked.state, tracked.is_held, tracked.applied_run) == ("applied", False, "run-1")


async def test_a_person_finds_out_that_an_agent_only_said_it_had_applied(office, asked):
    await report(office, status="success")
    tracked = await resolve_hold(office, TENANT, "run-1", Finding.NOT_SUBMITTED, ADA)
    assert (tracked.state, tracked.is_held, tracked.applied_run) == ("discovered", False, None)
    assert (await claim(office, "run-2")).run.run_id == "run-2"


async def test_who_let_a_number_through_has_not_let_a_yes_through(office, asked):
    await report(office, artifacts={"answers": {"visa required": 1}})
    await approve_run(office, TENANT, "run-1", ADA)
    assert (await report(office, artifacts={"answers": {"visa required": True}})).version == 3
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, status="submitting")


async def test_nobody_approves_what_a_run_has_answered_since_they_looked(office, asked):
    seen = await report(office, artifacts={"answers": {"visa required": "no"}})
    await report(office, artifacts={"answers": {"visa required": "yes"}})
    with pytest.raises(PostingConflict, match="has reported since") as refused:
        await approve_run(office, TENANT, "run-1", ADA, version=seen.version)
    assert refused.value.rule == "changed"
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, status="submitting")
    await approve_run(office, TENANT, "run-1", ADA, version=seen.version + 1)
    assert (await report(office, status="submitting")).state == "submitting"


async def test_silence_after_a_breach_stays_held(office, clock, locks, asked):
    await report(office, status="submitted")
    await lapse(office, clock, locks)
    await settle_lapsed(office, TENANT)
    with pytest.raises(PostingConflict, match="find out first"):
        await claim(office, "run-2")


@pytest.mark.parametrize("status", ["submitted", "success"])
async def test_who_waited_for_approval_breaks_nothing(office, asked, status):
    await report(office, artifacts={"answers": {"yoe": "5"}})
    await approve_run(office, TENANT, "run-1", ADA)
    assert (await report(office, status=status)).breach is None
    assert not (await find(office)).is_held


async def test_answers_that_nobody_had_seen_are_a_breach_even_after_the_fence(office):
    await keep(office, make_posting(), policy=BoardPolicy(approval=Approval.WHEN_GUESSED))
    await claim(office)
    await report(office, status="submitting")
    assert (await report(office, artifacts={"answers": {"yoe": "5"}})).breach is None
    guessed = await report(office, status="submitted", artifacts={"answers": {"visa_required": "no"}})
    assert (guessed.breach, (await find(office)).is_held) == ("approval", True)


async def test_a_policy_that_became_stricter_after_the_fence_makes_no_breach(office):
    await keep(office, make_posting(), policy=BoardPolicy(approval=Approval.NEVER))
    await claim(office)
    await report(office, status="submitted")
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await store.set_policy(transaction, "ramp", BoardPolicy())
    assert (await report(office, status="success")).breach is None


async def list_awaiting(office, tenant=TENANT):
    return [(one.run.run_id, one.answers, one.guessed) for one in await actions.list_awaiting(office, tenant)]


async def test_whoever_approves_finds_the_runs_that_wait_for_it(office, clock, asked):
    await keep(office, make_posting("777"), make_posting("778"), policy=BoardPolicy())
    await claim(office, "run-2", "777")
    clock.advance(timedelta(seconds=1))
    await report(office, artifacts={"answers": {"visa required": "no", "yoe": "5"}})
    clock.advance(timedelta(seconds=1))
    await claim(office, "run-3", "778")
    assert await list_awaiting(office) == [
        ("run-3", 0, ()),
        ("run-1", 2, ("visa required",)),
        ("run-2", 0, ()),
    ]
    await approve_run(office, TENANT, "run-1", ADA)
    await report(office, "run-2", status="failed")
    await report(office, "run-3", status="unknown")
    assert await list_awaiting(office) == []


async def test_answers_that_change_after_the_approval_wait_again(office, asked):
    await approve_run(office, TENANT, "run-1", ADA)
    assert await list_awaiting(office) == []
    await report(office, artifacts={"answers": {"visa required": "no"}})
    assert await list_awaiting(office) == [("run-1", 1, ("visa required",))]


async def test_where_only_guesses_need_approval_only_runs_that_guess_wait(office):
    await keep(office, make_posting(), make_posting("777"), policy=BoardPolicy(approval=Approval.WHEN_GUESSED))
    await claim(office, artifacts={"answers": {"yoe": "5"}})
    await claim(office, "run-2", "777", artifacts={"answers": {"Salary expectation": "90"}})
    assert await list_awaiting(office) == [("run-2", 1, ("Salary expectation",))]


async def test_nothing_waits_on_a_board_that_never_asks_and_nothing_of_another_tenant(office):
    await keep(office, make_posting())
    await claim(office, artifacts={"answers": {"visa required": "no"}})
    await keep(office, make_posting(), policy=BoardPolicy(), tenant="acme")
    request = ClaimRequest(run_id="run-9", job_id="12345", board="ramp")
    await claim_posting(office, "acme", request)
    assert (await list_awaiting(office), await list_awaiting(office, "acme")) == ([], [("run-9", 0, ())])


async def ask_to_submit(office, **more):
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, status="submitting", **more)


async def test_an_agent_that_only_asks_to_submit_is_let_through_with_what_it_asked_with(office, asked):
    said = {"answers": {"visa required": "no"}, "letter": "x" * 20_000}
    await ask_to_submit(office, artifacts=said)
    assert await list_awaiting(office) == [("run-1", 1, ("visa required",))]
    [waiting] = await actions.list_awaiting(office, TENANT)
    assert (waiting.run.state, waiting.run.fenced_at, waiting.run.artifacts) == ("pending", None, said)
    await approve_run(office, TENANT, "run-1", ADA, version=waiting.run.version)
    assert (await report(office, status="submitting", artifacts=said)).breach is None


async def test_asking_again_says_nothing_new_and_keeps_the_claim(office, clock, locks, asked):
    for _ in range(5):
        clock.advance(timedelta(seconds=200))
        await ask_to_submit(office, artifacts={"answers": {"yoe": "5"}}, error="slow form")
    story = await actions.get_run(office, TENANT, "run-1")
    assert [(one.version, one.state) for one in story.versions] == [(1, "pending"), (2, "pending")]
    assert story.posting.expires_at == clock() + office.lease
    with pytest.raises(PostingConflict, match="already has an active"):
        await claim(office, "run-2")


async def test_other_answers_at_the_last_moment_take_the_approval_back(office, asked):
    await report(office, artifacts={"answers": {"visa required": "no"}})
    await approve_run(office, TENANT, "run-1", ADA)
    await ask_to_submit(office, artifacts={"answers": {"visa required": "yes"}})
    assert await list_awaiting(office) == [("run-1", 1, ("visa required",))]
    await ask_to_submit(office)


async def test_who_asks_to_submit_with_what_cannot_be_kept_changes_nothing(office, asked):
    await report(office, artifacts={"answers": {"yoe": "5"}})
    with pytest.raises(PostingMalformed):
        await report(office, status="submitting", artifacts={"answers": "none"})
    assert (await actions.get_run(office, TENANT, "run-1")).run.version == 2
