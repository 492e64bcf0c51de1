"""Profiles: whose resume a variant is, what its person answers, and how it does."""

import pytest

from dibs.apps.postings import store
from dibs.apps.postings.actions import find_timeline, measure
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.holdings import make_holding
from dibs.apps.postings.ledger.actions import put_answer
from dibs.apps.postings.model import Question
from dibs.apps.postings.profiles import actions
from dibs.apps.postings.profiles.model import MOST_ANSWERS, ProfileDraft, VariantDraft, check_profile
from dibs.apps.postings.records import BoardPolicy, By
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.errors import BadInput, PostingConflict, ProfileNotFound
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import TENANT, keep, make_posting

ANN = By(actor="ann", reason="they asked us to")
VISA = "Do you require a visa?"
ADA = ProfileDraft(name="p1", full_name="Ada Byron", contact="ada@example.org", answers={VISA: "no"})
WHEN_GUESSED = BoardPolicy(approval=Approval.WHEN_GUESSED)


async def add(office, draft=ADA, *variants, tenant=TENANT):
    await actions.put_profile(office, tenant, draft, ANN)
    for variant_id in variants:
        await actions.put_variant(office, tenant, VariantDraft(variant_id=variant_id, profile=draft.name), ANN)


async def finish(office, count, variant_id, *, first=0, board="ramp", status="success"):
    """Let runs with a variant end."""
    for number in range(first, first + count):
        await claim(office, f"{board}-{number}", str(number), board, variant_id=variant_id)
        await report(office, f"{board}-{number}", status)


async def test_a_profile_is_kept_changed_and_forgotten(office):
    await add(office, ADA, "v1")
    story = await actions.put_profile(office, TENANT, ProfileDraft(name="p1", contact="ada@new.example"), ANN)
    assert (story.profile.full_name, story.profile.contact, story.profile.answers) == (
        "Ada Byron",
        "ada@new.example",
        {VISA: "no"},
    )
    assert [one.variant_id for one in story.variants] == ["v1"]
    await actions.forget_profile(office, TENANT, "p1", ANN)
    with pytest.raises(ProfileNotFound, match="no profile 'p1'"):
        await actions.find_profile(office, TENANT, "p1")
    assert await actions.list_profiles(office, TENANT) == []


async def test_what_is_done_to_a_profile_is_in_the_log_without_what_it_says(office):
    await add(office, ADA, "v1")
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        acts = [*await store.list_acts(transaction, "profile:p1"), *await store.list_acts(transaction, "profile:p1:v1")]
    assert [act.action for act in acts] == ["PROFILE_SET", "VARIANT_SET"]
    assert not any("Ada" in f"{act}" or VISA in f"{act}" for act in acts)


async def test_a_new_profile_needs_a_full_name_and_a_variant_a_profile(office):
    with pytest.raises(BadInput, match="full name"):
        await actions.put_profile(office, TENANT, ProfileDraft(name="p9"), ANN)
    with pytest.raises(ProfileNotFound):
        await actions.put_variant(office, TENANT, VariantDraft(variant_id="v1", profile="p9"), ANN)


async def test_a_variant_is_one_persons(office):
    await add(office, ADA, "v1")
    await add(office, ProfileDraft(name="p2", full_name="Bert"))
    with pytest.raises(BadInput, match="belongs to another profile"):
        await actions.put_variant(office, TENANT, VariantDraft(variant_id="v1", profile="p2"), ANN)
    with pytest.raises(ProfileNotFound, match="no variant 'v1'"):
        await actions.forget_variant(office, TENANT, ("p2", "v1"), ANN)
    assert (await actions.forget_variant(office, TENANT, ("p1", "v1"), ANN)).variants == []


async def test_another_tenants_profiles_are_not_there(office):
    await add(office, ADA, "v1", tenant="acme")
    assert await actions.list_profiles(office, TENANT) == []
    with pytest.raises(ProfileNotFound):
        await actions.find_profile(office, TENANT, "p1")


async def test_an_agent_gives_the_answers_of_the_person_whose_resume_it_sends(office):
    await keep(office, make_posting(), make_posting("2"), make_posting("3"), policy=WHEN_GUESSED)
    await add(office, ADA, "v1")
    await claim(office, "run-1", variant_id="v1")
    assert (await report(office, "run-1", "submitting", artifacts={"answers": {VISA: "no"}})).state == "submitting"
    await claim(office, "run-2", "2", variant_id="v1")
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, "run-2", "submitting", artifacts={"answers": {VISA: "yes"}})
    await claim(office, "run-3", "3", variant_id="nobodys")
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, "run-3", "submitting", artifacts={"answers": {VISA: "no"}})


async def test_what_others_were_answered_for_does_not_go_before_a_persons_own(office):
    await keep(office, make_posting(), policy=WHEN_GUESSED)
    await put_answer(office, TENANT, VISA, "yes", ANN)
    await add(office, ADA, "v1")
    await claim(office, variant_id="v1")
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, status="submitting", artifacts={"answers": {VISA: "yes"}})


async def test_a_posting_tells_which_questions_a_person_has_to_answer_first(office):
    asked = (Question(label=VISA, required=True), Question(label="Salary?"), Question(label="Why us?"))
    await keep(office, make_posting(questions=asked))
    await add(office, ADA, "v1")

    async def list_unanswered(variant_id=""):
        found = await find_timeline(office, TENANT, "12345", variant_id=variant_id)
        return [question.label for question in found.unanswered]

    assert await list_unanswered() == [VISA, "Salary?"]
    assert await list_unanswered("v1") == ["Salary?"]
    await put_answer(office, TENANT, "Salary?", "60,000", ANN)
    assert await list_unanswered("v1") == []


async def test_an_answer_in_other_words_takes_the_place_of_the_first(office):
    await add(office)
    story = await actions.answer_for(office, TENANT, "p1", {"do you require a VISA": "yes", "Pronouns": "she"}, ANN)
    assert story.profile.answers == {"do you require a VISA": "yes", "Pronouns": "she"}
    with pytest.raises(ProfileNotFound):
        await actions.answer_for(office, TENANT, "p9", {VISA: "no"}, ANN)


async def test_a_profile_shows_how_its_resumes_do_and_no_rate_below_twenty(office):
    await keep(office, *(make_posting(str(number)) for number in range(23)))
    await keep(office, make_posting("0"), board="other")
    await add(office, ADA, "v1", "v2")
    await finish(office, 15, "v1")
    await finish(office, 5, "v1", first=15, status="failed")
    await finish(office, 3, "nobodys", first=20)
    await finish(office, 1, "v2", board="other")
    story = await actions.find_profile(office, TENANT, "p1")
    assert (story.measures["v1"].n, story.measures["v1"].rate) == (20, 0.75)
    assert story.measures["v1"].interval == pytest.approx((0.531, 0.888), abs=0.001)
    assert (story.measures["v2"].n, story.measures["v2"].rate) == (1, None)
    assert (story.together.n, story.together.successes) == (21, 16)
    found = {one.variant_id: (one.n, one.profile) for one in await measure(office, TENANT)}
    assert found == {"v1": (20, "p1"), "v2": (1, "p1"), "nobodys": (3, None)}
    there = {one.variant_id: one.n for one in await measure(office, TENANT, board="other", profile="p1")}
    assert there == {"v1": 0, "v2": 1}


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        (ProfileDraft(name="", full_name="A"), "is no name"),
        (ProfileDraft(name="a\nb", full_name="A"), "is no name"),
        (ProfileDraft(name="p1", full_name=" "), "full_name is empty"),
        (ProfileDraft(name="p1", contact="x" * 301), "contact is too long"),
        (ProfileDraft(name="p1", answers={"?!": "no"}), "has no words"),
        (ProfileDraft(name="p1", answers={"Visa?": "no", "visa": "yes"}), "are the same"),
        (ProfileDraft(name="p1", answers={"Visa?": "\x00"}), "holds a NUL"),
        (ProfileDraft(name="p1", answers={f"q {number}": "" for number in range(MOST_ANSWERS + 1)}), "over the limit"),
    ],
)
def test_a_profile_that_cannot_be_kept_is_refused(draft, fault):
    with pytest.raises(BadInput, match=fault):
        check_profile(draft)


async def test_a_person_is_given_out_and_erased_with_all_that_was_sent_in_for_them(office):
    await keep(office, make_posting(), make_posting("2"))
    await add(office, ADA, "v1")
    await add(office, ProfileDraft(name="p2", full_name="Bert", contact="bert@example.org"), "v2")
    await claim(office, "run-1", variant_id="v1", artifacts={"cover_letter": "Dear all"})
    await claim(office, "run-2", "2", variant_id="v2", artifacts={"cover_letter": "Dear you"})
    holding = make_holding(tables=office.tables)
    inquiry = Inquiry(TENANT, ["Ada Byron"])
    assert list(await holding.trace(inquiry)) == ["ada@example.org"]
    found = [(held.kind, held.id) for held in await holding.find(inquiry)]
    assert found == [("profile", "p1"), ("variant", "v1"), ("run", "run-1"), ("version", "run-1:1")]
    await holding.erase(inquiry, OperatorAct(actor="ann", reason="asked"))
    assert await holding.find(inquiry) == []
    assert [story.profile.name for story in await actions.list_profiles(office, TENANT)] == ["p2"]
    assert (await report(office, "run-1")).artifacts == {}
    assert (await report(office, "run-2")).artifacts == {"cover_letter": "Dear you"}


@pytest.mark.parametrize("contact", ["none", "unknown", "see above", "by mail @ home", ""])
async def test_a_contact_that_is_no_address_leads_to_nobody_else(office, contact):
    await add(office, ProfileDraft(name="p1", full_name="Ada Byron", contact=contact), "v1")
    assert list(await make_holding(tables=office.tables).trace(Inquiry(TENANT, ["Ada Byron"]))) == []


async def test_who_wrote_a_profile_down_is_erased_from_it_and_the_profile_stays(office):
    await actions.put_profile(office, TENANT, ADA, By(actor="user:worker-77", reason="new"))
    holding = make_holding(tables=office.tables)
    await holding.erase(Inquiry(TENANT, ["user:worker-77"]), OperatorAct(actor="ann", reason="asked"))
    [story] = await actions.list_profiles(office, TENANT)
    assert (story.profile.full_name, story.profile.given_by) == ("Ada Byron", "[erased]")
