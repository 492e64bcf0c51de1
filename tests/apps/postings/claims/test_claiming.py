"""One agent has a posting at a time, and what it reports leads where the table says."""

import asyncio
from datetime import timedelta

import pytest

from dibs.apps.postings import store
from dibs.apps.postings.actions import move_by_hand
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.identity import Ring
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.office import lock_name
from dibs.apps.postings.records import BoardPolicy, By, Kin, RoleRule
from dibs.errors import BadInput, PostingConflict, PostingNotFound, PostingUnfit, RunNotFound
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import JOB, claim, lapse, report
from tests.apps.postings.conftest import FREE, TENANT, find, keep, make_posting


@pytest.fixture(autouse=True)
async def one_posting(office):
    await keep(office, make_posting())


async def test_a_claim_makes_a_pending_run_and_a_queued_posting(office, clock):
    claimed = await claim(office, variant_id="resume-v2", artifacts={"resume_url": "s3://v2.pdf"})
    assert (claimed.run.state, claimed.run.variant_id, claimed.run.artifacts) == (
        "pending",
        "resume-v2",
        {"resume_url": "s3://v2.pdf"},
    )
    tracked = await find(office)
    assert (tracked.state, tracked.holder, tracked.token) == ("queued", "run-1", 1)
    assert tracked.expires_at == clock.at + timedelta(seconds=300)


async def test_a_second_claim_is_refused_with_rule_holder_and_when_to_come_back(office, clock):
    await claim(office)
    with pytest.raises(PostingConflict, match="already has an active application") as refused:
        await claim(office, "run-2")
    assert (refused.value.rule, refused.value.holder) == ("claimed", "run-1")
    assert refused.value.retry_at is not None
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        assert await run_store.find_run(transaction, "run-2") is None


async def test_of_many_claims_at_once_one_is_given(office):
    answers = await asyncio.gather(*(claim(office, f"run-{n}") for n in range(40)), return_exceptions=True)
    given = [answer for answer in answers if not isinstance(answer, BaseException)]
    assert len(given) == 1
    assert {type(answer) for answer in answers if isinstance(answer, BaseException)} == {PostingConflict}


async def test_the_same_request_again_gives_the_same_answer(office):
    first = await claim(office, artifacts={"a": {"b": 1}})
    again = await claim(office, artifacts={"a": {"b": 1}})
    assert (again.is_repeated, again.run) == (True, first.run)
    await report(office, status="submitted", artifacts={"c": 2})
    later = await claim(office, artifacts={"a": {"b": 1}})
    assert later.run == first.run
    assert (await find(office)).token == 1


async def test_many_copies_of_one_request_at_once_all_get_the_same_run(office):
    answers = await asyncio.gather(*(claim(office) for _ in range(10)))
    assert len({answer.run.token for answer in answers}) == 1
    assert sum(not answer.is_repeated for answer in answers) == 1


async def test_a_run_id_with_another_body_is_refused(office):
    await claim(office)
    with pytest.raises(PostingConflict, match="another request") as refused:
        await claim(office, variant_id="other")
    assert refused.value.rule == "run_id"


async def test_an_unknown_posting_or_run_is_not_found(office):
    with pytest.raises(PostingNotFound, match="'999' on board 'ramp'"):
        await claim(office, job_id="999")
    with pytest.raises(PostingNotFound, match="no posting"):
        await claim(office, board="other")
    with pytest.raises(RunNotFound, match="run-9"):
        await report(office, "run-9")


async def test_a_posting_of_another_tenant_is_not_found(office):
    await keep(office, make_posting("777"), tenant="globex")
    with pytest.raises(PostingNotFound):
        await claim(office, job_id="777")


async def test_an_id_on_two_boards_of_a_provider_needs_the_boards_name(office):
    await keep(office, make_posting(), board="brex")
    with pytest.raises(PostingNotFound, match="several boards: ramp, brex"):
        await claim(office, board="greenhouse")
    assert (await claim(office, board="brex")).posting.board == "brex"


async def test_malformed_requests_are_refused_with_all_their_faults(office):
    with pytest.raises(BadInput, match=r"run_id '' is no id; job_id .* is no id; artifacts.a is null"):
        await claim(office, "", job_id="\x00", artifacts={"a": None})
    with pytest.raises(BadInput, match=r"artifacts.b.c is null"):
        await claim(office, artifacts={"b": {"c": None}})


async def test_success_makes_the_posting_applied_and_releases_it(office, locks):
    await claim(office)
    await report(office, status="submitted", artifacts={"answers": {"yoe": "5"}})
    run = await report(office, status="success", artifacts={"confirmation_url": "https://example.com/c"})
    assert run.artifacts == {"answers": {"yoe": "5"}, "confirmation_url": "https://example.com/c"}
    tracked = await find(office)
    assert (tracked.state, tracked.holder, tracked.applied_run) == ("applied", None, "run-1")
    if locks is not None:
        assert await locks.find(lock_name(TENANT, "ramp", JOB)) is None
    with pytest.raises(PostingUnfit, match="was applied to"):
        await claim(office, "run-2")


async def test_failure_makes_the_posting_discovered_and_it_can_be_claimed_again(office):
    await claim(office)
    await report(office, status="failed", error="Form submission timeout")
    assert (await find(office)).state == "discovered"
    assert (await claim(office, "run-2")).run.token == 2


async def test_failure_leaves_the_posting_queued_while_another_run_is_active(office):
    await claim(office)
    tracked = await find(office)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        run = await run_store.find_run(transaction, "run-1")
        assert run is not None
        other = type(run)(**{name: getattr(run, name) for name in run.__struct_fields__} | {"run_id": "run-0"})
        await run_store.add_run(transaction, other)
    await report(office, status="failed")
    assert ((await find(office)).state, tracked.state) == ("queued", "queued")


@pytest.mark.parametrize("state", ["expired", "rejected", "applied"])
async def test_a_posting_in_another_state_cannot_be_claimed(office, state):
    await set_state(office, state)
    with pytest.raises(PostingUnfit, match=state):
        await claim(office)


async def set_state(office, state):
    tracked = await find(office)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await store.move_state(transaction, tracked.id, PostingState(state), "a test")


async def test_every_report_renews_the_claim(office, clock):
    await claim(office)
    clock.advance(timedelta(seconds=200))
    await report(office, artifacts={"a": 1})
    assert (await find(office)).expires_at == clock.at + timedelta(seconds=300)


async def test_a_lapsed_claim_can_be_taken_by_another_whose_predecessor_then_changes_nothing(office, clock, locks):
    await claim(office)
    await lapse(office, clock, locks)
    await claim(office, "run-2")
    before = await find(office)
    for status in (None, "pending", "submitted", "success", "failed"):
        with pytest.raises(PostingConflict) as refused:
            await report(office, status=status, artifacts={"late": True})
        assert refused.value.rule == "superseded"
    assert await find(office) == before
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        old = await run_store.find_run(transaction, "run-1")
    assert old is not None
    assert (old.state, old.artifacts) == ("failed", {})


async def test_who_merely_lapsed_with_nobody_else_there_goes_on(office, clock, locks):
    await claim(office)
    await lapse(office, clock, locks)
    await report(office, status="submitted")
    assert (await find(office)).expires_at == clock.at + timedelta(seconds=300)
    await report(office, status="success")
    assert (await find(office)).state == "applied"


async def test_what_an_ended_run_left_is_frozen_and_the_same_report_is_answered_again(office):
    await claim(office)
    done = await report(office, status="success", artifacts={"a": 1})
    again = await report(office, status="success", artifacts={"a": 1})
    assert again.version == done.version
    for more in ({"artifacts": {"b": 2}}, {"status": "failed"}, {"error": "x"}):
        with pytest.raises(PostingConflict, match="frozen"):
            await report(office, **{"status": "success", **more})


async def test_concurrent_reports_of_one_run_lose_nothing(office):
    await claim(office)
    await asyncio.gather(*(report(office, artifacts={"answers": {f"q{n}": n}, f"k{n}": n}) for n in range(12)))
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        run = await run_store.find_run(transaction, "run-1")
        versions = await run_store.list_versions(transaction, "run-1")
    assert run is not None
    assert run.artifacts["answers"] == {f"q{n}": n for n in range(12)}
    assert [one.version for one in versions] == list(range(1, 14))


async def test_long_artifacts_are_kept_by_their_hash_and_come_back_whole(office):
    letter = "Dear hiring manager " * 2000
    await claim(office, artifacts={"cover_letter": letter})
    run = await report(office, artifacts={"answers": {"why": letter}})
    assert run.artifacts["cover_letter"] == letter
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        again = await run_store.find_run(transaction, "run-1")
    assert again is not None
    assert again.artifacts == {"cover_letter": letter, "answers": {"why": letter}}


async def test_a_report_with_a_null_is_refused_and_changes_nothing(office):
    await claim(office, artifacts={"a": 1})
    with pytest.raises(BadInput, match=r"artifacts\.a is null"):
        await report(office, status="success", artifacts={"a": None})
    assert (await find(office)).state == "queued"


async def test_a_run_does_not_go_back(office):
    await claim(office)
    await report(office, status="submitted")
    for status in ("pending", "submitting"):
        with pytest.raises(PostingConflict, match="cannot go back"):
            await report(office, status=status)


async def test_a_role_that_was_applied_to_elsewhere_warns_or_blocks(office):
    await keep(office, make_posting("777"), board="brex")
    strict = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    await keep(office, make_posting("888"), board="strict", policy=strict)
    await claim(office)
    await report(office, status="success")
    warned = await claim(office, "run-2", job_id="777", board="brex")
    assert warned.run.akin == (Kin(ring=Ring.ROLE, board="ramp", job_id="12345", run_id="run-1", is_same_place=True),)
    assert (await claim(office, "run-2", "777", "brex")).run.akin == warned.run.akin
    with pytest.raises(PostingConflict, match="of a role") as refused:
        await claim(office, "run-3", job_id="888", board="strict")
    assert (refused.value.rule, refused.value.holder) in [("role", "run-1"), ("role", "run-2")]


PROSE = " ".join(f"You will cook dish number {number} with care and serve it warm." for number in range(20))


async def test_a_text_that_was_applied_to_elsewhere_warns_even_where_roles_block(office):
    await keep(office, make_posting("1", title="Cook", text=PROSE))
    strict = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    texts = {"2": f"{PROSE} Apply soon.", "3": " ".join(f"Nothing like it {number}." for number in range(40))}
    agency = [make_posting(number, title="Chef", company="Agency", text=text) for number, text in texts.items()]
    await keep(office, *agency, board="agency", policy=strict)
    await claim(office, "run-1", "1")
    await report(office, "run-1", status="success")
    [kin] = (await claim(office, "run-2", "2", "agency")).run.akin
    assert (kin.ring, kin.board, kin.job_id, kin.run_id) == (Ring.TEXT, "ramp", "1", "run-1")
    assert kin.similarity >= 0.8
    await report(office, "run-2", status="failed")
    again = await claim(office, "run-3", "3", "agency")
    assert again.run.akin == ()


async def test_what_was_applied_to_and_is_over_still_warns_when_it_is_posted_again(office):
    await keep(office, make_posting("1", text=PROSE), make_posting("2", title="Kitchen star", text=PROSE))
    await claim(office, "run-1", "1")
    await report(office, "run-1", status="success")
    await move_by_hand(office, TENANT, ("1", "ramp"), "expire", By(actor="ada", reason="gone"))
    [kin] = (await claim(office, "run-2", "2")).run.akin
    assert (kin.ring, kin.job_id) == (Ring.TEXT, "1")


@pytest.mark.parametrize("place", ["postgres+redis"], indirect=True)
async def test_a_lock_that_somebody_holds_on_redis_refuses_a_claim(office, locks):
    await locks.acquire(lock_name(TENANT, "ramp", JOB), "foreign", timedelta(seconds=30))
    with pytest.raises(PostingConflict) as refused:
        await claim(office)
    assert refused.value.holder == "foreign"
    assert (await find(office)).state == "discovered"


async def test_a_lock_that_was_renewed_after_the_last_report_keeps_nobody_out(office, locks):
    await claim(office)
    await report(office, status="failed")
    # As by a report that was written before the last one, and comes to the lock after it.
    await office.renew_lock(lock_name(TENANT, "ramp", JOB), "run-1")
    assert (await claim(office, "run-2")).run.run_id == "run-2"
    if locks is not None:
        assert (await locks.find(lock_name(TENANT, "ramp", JOB))).owner == "run-2"


@pytest.mark.parametrize("place", ["postgres+redis"], indirect=True)
async def test_who_leaves_while_the_lock_is_taken_leaves_none_behind(office, locks, monkeypatch):
    acquire, taken = locks.acquire, asyncio.Event()

    async def take_slowly(*facts):
        lease = await acquire(*facts)
        taken.set()
        await asyncio.sleep(0.01)
        return lease

    monkeypatch.setattr(locks, "acquire", take_slowly)
    leaving = asyncio.create_task(claim(office))
    await taken.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert await locks.find(lock_name(TENANT, "ramp", JOB)) is None


@pytest.mark.parametrize("place", ["postgres+redis"], indirect=True)
async def test_a_redis_that_forgot_its_locks_gives_nothing_away(office, locks):
    await claim(office)
    held = await locks.find(lock_name(TENANT, "ramp", JOB))
    assert held is not None
    assert held.owner == "run-1"
    await locks.release(held)
    with pytest.raises(PostingConflict) as refused:
        await claim(office, "run-2")
    assert (refused.value.rule, refused.value.holder) == ("claimed", "run-1")
    await report(office, artifacts={"a": 1})
    again = await locks.find(lock_name(TENANT, "ramp", JOB))
    assert again is not None
    assert again.owner == "run-1"
    assert (await report(office, status="success")).state is RunState.SUCCESS


async def test_one_run_id_for_several_postings_at_the_same_moment_has_one_of_them(office):
    await keep(office, *(make_posting(str(number), title=f"Cook of {number}") for number in range(6)))
    asked = (claim(office, "run-1", str(number)) for number in range(6))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [one.rule for one in answers if isinstance(one, PostingConflict)]
    assert refused == ["run_id"] * 5
    holders = [(await find(office, str(number))).holder for number in range(6)]
    assert sorted(filter(None, holders)) == ["run-1"]


def test_postings_whose_boards_and_ids_have_colons_do_not_share_a_lock():
    assert lock_name("default", "ramp", "12345") == "lock:apply:ramp:12345"
    assert lock_name("default", "a:b", "c") != lock_name("default", "a", "b:c")
    assert lock_name("default", "a%3Ab", "c") != lock_name("default", "a:b", "c")


async def test_of_claims_of_one_role_at_the_same_moment_one_is_given_where_roles_block(office):
    strict = BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK)
    await keep(
        office, *(make_posting(str(number), title="Baker") for number in range(6)), board="strict", policy=strict
    )
    asked = (claim(office, f"run-{number}", str(number), "strict") for number in range(6))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [one.rule for one in answers if isinstance(one, PostingConflict)]
    assert (refused, len(answers)) == (["role"] * 5, 6)


def test_tenants_whose_names_have_colons_share_no_lock():
    hers = lock_name("acme", "x", "lock:apply:ramp:12345")
    assert hers != lock_name("acme:lock:apply:x", "ramp", "12345")
    assert lock_name("default", "x", "lock:apply:ramp:1") != lock_name("lock:apply:x", "ramp", "1")
