"""An agent that dies leaves nothing applied to twice and nothing stuck, wherever it dies."""

from datetime import timedelta

import pytest

from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.approving import approve_run
from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reconciling import Finding, resolve_hold, settle_lapsed
from dibs.apps.postings.claims.requests import ClaimRequest
from dibs.apps.postings.claims.runs import Fence, RunState
from dibs.apps.postings.records import BoardPolicy, By
from dibs.errors import PostingConflict, PostingUnfit, RunNotFound, StoreUnavailable
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction
from tests.apps.postings.agents import claim, lapse, report
from tests.apps.postings.conftest import FREE, TENANT, find, keep, make_posting

ADA = By(actor="ada", reason="the mail says so")


async def state_of(office, run_id="run-1"):
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        return await run_store.find_state(transaction, run_id)


@pytest.fixture
async def posted(office):
    await keep(office, make_posting())


async def test_an_agent_that_dies_before_it_announces_loses_its_posting_to_the_next(office, clock, locks, posted):
    await claim(office)
    await report(office, status="pending")
    await lapse(office, clock, locks)
    assert await settle_lapsed(office, TENANT) == 0
    assert (await find(office)).state == "queued"
    await claim(office, "run-2")
    await report(office, "run-2", status="success")
    assert (await find(office)).applied_run == "run-2"


@pytest.mark.parametrize(("announced", "is_swept"), [("submitting", True), ("submitted", False), ("unknown", True)])
async def test_an_agent_that_dies_after_it_announced_leaves_a_hold(office, clock, locks, posted, announced, is_swept):
    await claim(office)
    await report(office, status=announced)
    await lapse(office, clock, locks)
    if is_swept:
        await settle_lapsed(office, TENANT)
        assert (await find(office)).is_held
    with pytest.raises(PostingConflict, match="find out first") as refused:
        await claim(office, "run-2")
    assert (refused.value.rule, refused.value.holder) == ("held", "run-1")
    assert await state_of(office) is RunState.UNKNOWN
    assert (await find(office)).is_held
    clock.advance(timedelta(days=30))
    with pytest.raises(PostingConflict):
        await claim(office, "run-3")


async def test_a_hold_ends_as_a_person_found_out(office, clock, locks, posted):
    await claim(office)
    await report(office, status="submitting")
    await lapse(office, clock, locks)
    await settle_lapsed(office, TENANT)
    tracked = await resolve_hold(office, TENANT, "run-1", Finding.NOT_SUBMITTED, ADA)
    assert (tracked.state, await state_of(office)) == ("discovered", RunState.FAILED)
    await claim(office, "run-2")
    await report(office, "run-2", status="submitting")
    await lapse(office, clock, locks)
    await settle_lapsed(office, TENANT)
    tracked = await resolve_hold(office, TENANT, "run-2", Finding.SUBMITTED, ADA)
    assert (tracked.state, tracked.applied_run) == ("applied", "run-2")
    with pytest.raises(PostingUnfit):
        await claim(office, "run-3")


async def test_only_what_is_held_can_be_found_out_about(office, posted):
    await claim(office)
    with pytest.raises(PostingConflict, match="holds nothing"):
        await resolve_hold(office, TENANT, "run-1", Finding.SUBMITTED, ADA)
    with pytest.raises(RunNotFound):
        await resolve_hold(office, TENANT, "run-9", Finding.SUBMITTED, ADA)


@pytest.mark.parametrize("status", ["submitted", "success", "failed"])
async def test_an_agent_that_was_only_slow_ends_the_hold_itself(office, clock, locks, posted, status):
    await claim(office)
    await report(office, status="submitting")
    await lapse(office, clock, locks)
    await settle_lapsed(office, TENANT)
    run = await report(office, status=status)
    tracked = await find(office)
    assert (run.state, tracked.is_held) == (status, False)
    assert tracked.state == {"submitted": "queued", "success": "applied", "failed": "discovered"}[status]


async def test_an_agent_that_does_not_know_says_so_and_the_posting_is_held_at_once(office, posted):
    await claim(office)
    await report(office, status="unknown", error="the page went blank after the click")
    assert (await find(office)).is_held
    with pytest.raises(PostingConflict, match="find out first"):
        await claim(office, "run-2")


async def test_where_the_fence_is_required_every_lapsed_run_is_held(office, clock, locks):
    await keep(office, make_posting(), policy=BoardPolicy(fence=Fence.REQUIRED, approval=FREE.approval))
    await claim(office)
    await lapse(office, clock, locks)
    assert await settle_lapsed(office, TENANT) == 1
    with pytest.raises(PostingConflict, match="find out first"):
        await claim(office, "run-2")
    # An agent that says it failed has said that it did not submit.
    await report(office, status="failed")
    await claim(office, "run-2")


async def test_a_sweep_in_the_lease_changes_nothing(office, posted):
    await claim(office)
    await report(office, status="submitting")
    assert await settle_lapsed(office, TENANT) == 0
    assert await state_of(office) is RunState.SUBMITTING


async def test_a_new_board_asks_a_person_before_anything_is_submitted(office):
    await keep(office, make_posting(), policy=BoardPolicy())
    await claim(office)
    with pytest.raises(PostingConflict, match="has to approve") as refused:
        await report(office, status="submitting")
    assert refused.value.rule == "approval"
    await approve_run(office, TENANT, "run-1", ADA)
    assert (await report(office, status="submitting")).state is RunState.SUBMITTING
    with pytest.raises(PostingConflict, match="only a pending one"):
        await approve_run(office, TENANT, "run-1", ADA)


async def test_a_board_may_ask_only_where_an_answer_is_one_that_nobody_may_guess(office):
    await keep(office, make_posting(), make_posting("777"), policy=BoardPolicy(approval=Approval.WHEN_GUESSED))
    await claim(office, artifacts={"answers": {"years of Python": "5"}})
    assert (await report(office, status="submitting")).state is RunState.SUBMITTING
    await claim(office, "run-2", "777")
    with pytest.raises(PostingConflict, match="visa_required"):
        await report(office, "run-2", status="submitting", artifacts={"answers": {"visa_required": "no"}})


@pytest.mark.parametrize("place", ["postgres+redis"], indirect=True)
async def test_a_server_that_dies_between_lock_and_claim_blocks_nobody_for_longer_than_the_lock(
    office, clock, locks, posted
):
    await office.take_lock("lock:apply:ramp:12345", "run-1")
    with pytest.raises(PostingConflict):
        await claim(office, "run-2")
    # The same agent asks again, because it got no answer.
    assert (await claim(office)).run.run_id == "run-1"


async def test_a_refused_claim_leaves_no_lock_behind(office, locks, posted):
    await claim(office)
    await report(office, status="success")
    with pytest.raises(PostingUnfit):
        await claim(office, "run-2")
    if locks is not None:
        assert await locks.find("lock:apply:ramp:12345") is None


class Broken:
    """A Redis that is away."""

    async def acquire(self, *_):
        raise StoreUnavailable("redis is away")

    find = renew = release = acquire


async def test_without_redis_claims_go_on_and_are_given_once(office, posted):
    office._locks = Broken()
    await claim(office)
    with pytest.raises(PostingConflict):
        await claim(office, "run-2")
    await report(office, status="success")
    assert (await find(office)).state == "applied"


class Died(BaseException):
    """Nothing in the program catches this, as nothing catches the end of its process."""


def die_at(patched, statement):
    """Let the process die before its n-th write; the list tells whether it came to that."""
    writes: list[str] = []

    def dying(name):
        original = getattr(Transaction, name)

        async def write(self, *given, **named):
            writes.append(name)
            if len(writes) == statement:
                raise Died
            return await original(self, *given, **named)

        return write

    for name in ("add", "add_many", "add_if_new", "change"):
        patched.setattr(Transaction, name, dying(name))


@pytest.mark.parametrize("verb", ["claim", "submitting", "success"])
async def test_a_crash_at_any_write_leaves_all_or_nothing_and_the_agent_can_repeat_it(office, monkeypatch, verb):
    await keep(office, *(make_posting(str(number)) for number in range(1, 6)))

    async def act(number):
        if verb == "claim":
            return await claim(office, f"run-{number}", str(number), artifacts={"resume": "v2"})
        return await report(office, f"run-{number}", status=verb)

    crashes = 0
    for number in range(1, 6):
        if verb != "claim":
            await claim(office, f"run-{number}", str(number))
        before = await find(office, str(number))
        with monkeypatch.context() as patched:
            die_at(patched, number)
            try:
                await act(number)
            except Died:
                crashes += 1
                assert await find(office, str(number)) == before
        await act(number)
        tracked = await find(office, str(number))
        assert (tracked.state, tracked.token) == ({"success": "applied", "failed": "discovered"}.get(verb, "queued"), 1)
    # Each verb has at least three writes, and none as many as there were tries.
    assert 3 <= crashes < 5


async def test_a_claim_whose_answer_was_lost_is_the_same_claim(office, posted):
    request = ClaimRequest(run_id="run-1", job_id="12345", board="ramp")
    first = await claim_posting(office, TENANT, request)
    assert (await claim_posting(office, TENANT, request)).run == first.run
