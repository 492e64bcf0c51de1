"""What is taken out of postings, runs and profiles, and what is left of them."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from dibs.apps.postings import store
from dibs.apps.postings.actions import list_postings, move_by_hand
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.erasing import erase_rows, find_rows
from dibs.apps.postings.claims.searching import Seen
from dibs.apps.postings.holdings import make_holding
from dibs.apps.postings.ledger import store as ledger_store
from dibs.apps.postings.ledger.actions import list_answers, put_answer
from dibs.apps.postings.limits.actions import set_cap
from dibs.apps.postings.limits.caps import Cap, CapScope
from dibs.apps.postings.model import Moment, Pay, Period, Place, Question, Workplace
from dibs.apps.postings.profiles.actions import list_profiles
from dibs.apps.postings.profiles.model import ProfileDraft
from dibs.apps.postings.records import By
from dibs.apps.postings.tables import BLOBS
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import TENANT, find, keep, make_posting
from tests.apps.postings.profiles.test_profiles import add
from tests.engine.personal.slow import Slow

BOSS = By(actor="ann", reason="be polite")
ACT = OperatorAct(actor="ann", reason="asked")
# Everything that a posting may hold, so that each way of writing it is met.
FULL = make_posting(
    workplace=Workplace.REMOTE,
    pay=Pay(period=Period.YEAR, currency="EUR"),
    posted=Moment(datetime(2026, 5, 1, tzinfo=UTC)),
    questions=(Question(label="Who is Ada Byron?", options=("yes", "no")),),
    text='Write to\nada@example.org, or to "Ada Byron".\tAda Byron cooks.',
    places=(Place(name="Lima", city="Lima"),),
)


async def erase(office, *references):
    holding, inquiry = make_holding(tables=office.tables), Inquiry(TENANT, references)
    erased = await holding.erase(inquiry, ACT)
    assert await holding.find(inquiry) == []
    return erased.count


@pytest.mark.parametrize(
    "word", ["true", "null", "title", "text", "2026", "2026-05-01T00:00:00Z", "remote", "instant", "year", '","text":"']
)
async def test_a_word_that_only_the_writing_of_a_posting_has_erases_nothing(office, word):
    await keep(office, FULL)
    assert await erase(office, word) == 0
    assert (await find(office)).posting == FULL


async def test_a_person_is_taken_out_of_all_that_a_posting_says_and_it_can_still_be_claimed(office):
    await keep(office, FULL)
    before = await find(office)
    assert await erase(office, "ada@example.org", "Ada Byron") == 1
    after = await find(office)
    assert after.posting.text == 'Write to\n[erased], or to "[erased]".\t[erased] cooks.'
    assert after.posting.questions[0].label == "Who is [erased]?"
    assert (after.posting.pay, after.posting.posted, after.digest) == (FULL.pay, FULL.posted, before.digest)
    assert [one.external_id for one in await list_postings(office, TENANT, {})] == ["12345"]
    assert (await claim(office, "run-1")).run.run_id == "run-1"


async def test_a_person_in_the_title_is_taken_out_of_what_roles_are_compared_by(office):
    await keep(office, make_posting(title="Assistant of Ada Byron", company="Byron Ada Ltd"))
    assert "byron" in (await find(office)).role
    assert await erase(office, "Ada Byron", "Byron Ada Ltd") == 1
    after = await find(office)
    assert (after.title, after.posting.title) == ("Assistant of [erased]", "Assistant of [erased]")
    assert "byron" not in after.role


async def test_what_a_posting_is_called_by_stays(office):
    await keep(office, make_posting("person-7", text="of person-7"))
    assert await erase(office, "person-7") == 1
    after = await find(office, "person-7")
    assert (after.posting.external_id, after.posting.text) == ("person-7", "of [erased]")


@pytest.mark.parametrize("name", ["Ada Byron", 'Ada "A" Byron', "Ada \\ Byron", "Ädå Bÿron"])
async def test_whoever_is_named_at_the_beginning_of_a_line_is_found_in_what_agents_sent(office, name):
    await keep(office, make_posting(), make_posting("2"), make_posting("3"))
    await claim(office, "run-1", artifacts={"cover_letter": f"Yours\n{name}"})
    await claim(office, "run-2", "2", artifacts={"letter": f"{'long ' * 5_000}\n{name}"})
    await claim(office, "run-3", "3", artifacts={"cover_letter": "Yours\nBert"})
    # Two runs, their versions, and the long value of the second.
    assert await erase(office, name) == 5
    assert [(await report(office, f"run-{number}")).artifacts for number in (1, 2)] == [{}, {}]
    assert (await report(office, "run-3")).artifacts == {"cover_letter": "Yours\nBert"}


async def test_whoever_is_named_in_somebody_elses_answer_is_taken_out_of_it_and_the_profile_stays(office):
    answers = {"Who recommends you?": "Ask:\nAda Byron", "Visa?": "yes"}
    await add(office, ProfileDraft(name="p1", full_name="Bert", contact="bert@example.org", answers=answers), "v1")
    holding, inquiry = make_holding(tables=office.tables), Inquiry(TENANT, ["Ada Byron"])
    # Nobody goes on to look for Bert.
    assert list(await holding.trace(inquiry)) == []
    told = await holding.erase(inquiry, ACT)
    [said] = told.kept
    assert (told.count, said.partition(",")[0]) == (1, "the profile 'p1'")
    [story] = await list_profiles(office, TENANT)
    assert story.profile.answers == {"Who recommends you?": "Ask:\n[erased]", "Visa?": "yes"}
    assert [one.variant_id for one in story.variants] == ["v1"]


async def test_whoever_is_reached_at_the_same_address_does_not_go_along_and_that_is_told(office):
    for name, full_name in (("p1", "Ada Byron"), ("p2", "Bert Byron")):
        await add(office, ProfileDraft(name=name, full_name=full_name, contact="Byrons@example.org", answers={}))
    await add(office, ProfileDraft(name="p3", full_name="Carl", contact="carl@example.org", answers={}))
    holding, ada = make_holding(tables=office.tables), Inquiry(TENANT, ["Ada Byron"])
    assert list(await holding.trace(ada)) == []
    assert list(await holding.trace(Inquiry(TENANT, ["Carl"]))) == ["carl@example.org"]
    told = await holding.erase(ada, ACT)
    [said] = told.kept
    assert (told.count, said.startswith("1 addresses where others are reached")) == (1, True)
    assert [story.profile.name for story in await list_profiles(office, TENANT)] == ["p2", "p3"]


async def test_a_person_is_taken_out_of_why_a_posting_was_moved_and_of_the_act_on_a_question(office):
    await keep(office, make_posting())
    by = By(actor="ann", reason="asked by ada@example.org")
    await move_by_hand(office, TENANT, ("12345", "ramp"), "expire", by)
    await put_answer(office, TENANT, "Is it ada@example.org?", "yes", BOSS)
    # The posting, the act on it, the answer, the act on that.
    assert await erase(office, "ada@example.org") == 4
    assert (await find(office)).reason == "asked by [erased]"


async def test_a_run_with_a_resume_that_is_called_after_a_person_is_theirs(office):
    await keep(office, make_posting())
    await claim(office, "run-1", variant_id="cv of ada@example.org", artifacts={"cover_letter": "I cook."})
    assert await erase(office, "ada@example.org") == 2
    run = await report(office, "run-1")
    assert (run.variant_id, run.artifacts) == ("cv of [erased]", {})


async def test_runs_and_caps_that_are_called_after_a_person_stay_and_are_told(office):
    await keep(office, make_posting())
    await claim(office, "run of ada-7")
    await set_cap(office, TENANT, Cap(scope=CapScope.COMPANY, name="Byron Works", most_a_day=1), BOSS)
    told = await make_holding(tables=office.tables).erase(Inquiry(TENANT, ["ada-7", "Byron Works"]), ACT)
    assert [said.partition(" ")[0] + said.partition(" ")[2][:5] for said in told.kept] == ["1runs ", "1caps "]
    assert (await report(office, "run of ada-7")).run_id == "run of ada-7"


async def test_who_approved_a_run_or_an_answer_takes_nothing_of_others_along(office):
    await keep(office, make_posting())
    sent = {"cover_letter": "Yours, Bert", "answers": {"Visa?": "yes"}}
    await claim(office, "run-1", artifacts=sent)
    ada = By(actor="ada@example.org", reason="looked at")
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        assert await run_store.approve(transaction, "run-1", ada.actor)
    await put_answer(office, TENANT, "Licence?", "no", ada)
    holding, inquiry = make_holding(tables=office.tables), Inquiry(TENANT, [ada.actor])
    given = [one.data for one in await holding.find(inquiry)]
    assert not Inquiry(TENANT, ["Bert"]).names(given)
    # The run, the answer, and the act on it.
    assert await erase(office, ada.actor) == 3
    run = await report(office, "run-1")
    assert (run.artifacts, run.approved_by, run.approved_at is not None) == (sent, "[erased]", True)
    answers = await list_answers(office, TENANT)
    assert [(one.question, one.approved_by) for one in answers] == [("Licence?", "[erased]"), ("Visa?", None)]


async def test_long_values_of_a_persons_run_go_with_it_unless_another_run_has_them(office):
    await keep(office, *(make_posting(name) for name in "123"))
    letter, form = "I cook. " * 5_000, ["a question"] * 5_000
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts={"letter": letter, "form": form})
    await claim(office, "run-2", "2", artifacts={"form": form})
    await claim(office, "run-3", "3", artifacts={"letter": ["Bert cooks"] * 5_000})
    given = await make_holding(tables=office.tables).find(Inquiry(TENANT, ["ada-7"]))
    assert [letter in one.data["content"] for one in given if "content" in one.data] == [True]
    # The run, its version, and the letter.
    assert await erase(office, "ada-7") == 3
    assert (await report(office, "run-2")).artifacts == {"form": form}
    assert (await report(office, "run-3")).artifacts == {"letter": ["Bert cooks"] * 5_000}


async def test_others_write_while_a_person_is_looked_for_and_nothing_of_that_is_undone(office):
    await keep(office, make_posting(text="old, ada@example.org"))
    inquiry, found = Slow(TENANT, "ada@example.org"), await find(office)
    erasing = asyncio.create_task(make_holding(tables=office.tables).erase(inquiry, ACT))
    await asyncio.to_thread(inquiry.begun.wait, 60)
    news = store.content_row("ramp", make_posting(text="new, ada@example.org"))
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await store.change_content(transaction, found.id, news)
    inquiry.may_go_on.set()
    assert (await erasing).count == 1
    assert (await find(office)).posting.text == "new, [erased]"


async def test_a_long_value_that_another_sends_in_meanwhile_stays(office):
    await keep(office, make_posting("1"), make_posting("2"))
    form = ["a question"] * 5_000
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts={"form": form})
    holding, inquiry = make_holding(tables=office.tables), Inquiry(TENANT, ["ada-7"])
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        seen = Seen(await find_rows(transaction, inquiry), transaction.now)
    assert [row["digest"] for row in seen.rows["own_blob"]]
    await claim(office, "run-2", "2", artifacts={"form": form})
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await erase_rows(transaction, inquiry, await find_rows(transaction, inquiry, seen))
    assert (await report(office, "run-2")).artifacts == {"form": form}
    assert await holding.find(inquiry) == []


async def test_what_a_persons_run_reports_meanwhile_goes_with_it(office):
    await keep(office, make_posting())
    await claim(office, "run-1", variant_id="cv of ada-7", artifacts={"letter": "I cook."})
    inquiry = Inquiry(TENANT, ["ada-7"])
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        seen = Seen(await find_rows(transaction, inquiry), transaction.now)
    await report(office, "run-1", artifacts={"note": "I sing.", "answers": {"Visa?": "yes"}})
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await erase_rows(transaction, inquiry, await find_rows(transaction, inquiry, seen))
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        assert await run_store.list_versions(transaction, "run-1") == []
    assert await list_answers(office, TENANT) == []


async def look(office, inquiry):
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        return Seen(await find_rows(transaction, inquiry), transaction.now)


async def forget(office, inquiry, seen):
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await erase_rows(transaction, inquiry, await find_rows(transaction, inquiry, seen))


async def count_blobs(office):
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        return len(await transaction.fetch(select(BLOBS.c.digest)))


async def test_a_long_value_that_another_sends_in_stays_however_long_the_look_takes(office, clock):
    await keep(office, make_posting("1"), make_posting("2"))
    form, inquiry = ["a question"] * 5_000, Inquiry(TENANT, ["ada-7"])
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts={"form": form})
    seen = await look(office, inquiry)
    await claim(office, "run-2", "2", artifacts={"form": form})
    clock.advance(timedelta(minutes=10))
    await forget(office, inquiry, seen)
    assert (await report(office, "run-2")).artifacts == {"form": form}


async def test_long_values_that_a_persons_run_reports_meanwhile_go_with_it(office):
    await keep(office, make_posting())
    await claim(office, "run-1", variant_id="cv of ada-7", artifacts={"form": ["a question"] * 5_000})
    inquiry = Slow(TENANT, "ada-7")
    erasing = asyncio.create_task(make_holding(tables=office.tables).erase(inquiry, ACT))
    await asyncio.to_thread(inquiry.begun.wait, 60)
    await report(office, "run-1", artifacts={"letter": "I cook. " * 5_000})
    inquiry.may_go_on.set()
    # The run, its two reports, and both values.
    assert (await erasing).count == 5
    assert await count_blobs(office) == 0


async def test_whoever_is_overtaken_by_every_report_says_that_all_is_left(office):
    await keep(office, make_posting())
    await claim(office, "run-1", variant_id="cv of ada-7")
    holding, inquiry = make_holding(tables=office.tables), Inquiry(TENANT, ["ada-7"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dibs.apps.postings.claims.erasing.has_grown", lambda *_: True)
        erased = await holding.erase(inquiry, ACT)
    assert erased.count == 0
    assert "Erase once more." in erased.kept[0]
    assert (await holding.erase(inquiry, ACT)).count == 2


async def test_a_run_that_begins_meanwhile_with_a_persons_resume_goes_with_it(office):
    await keep(office, make_posting("1"), make_posting("2"))
    await add(office, ProfileDraft(name="p1", full_name="Ada Byron", contact="ada@example.org", answers={}), "v1")
    await claim(office, "run-1", "1", variant_id="v1", artifacts={"letter": "I cook."})
    inquiry = Inquiry(TENANT, ["Ada Byron"])
    seen = await look(office, inquiry)
    await claim(office, "run-2", "2", variant_id="v1", artifacts={"letter": "I sing."})
    await forget(office, inquiry, seen)
    assert [(await report(office, f"run-{number}")).artifacts for number in (1, 2)] == [{}, {}]


async def test_a_long_value_stays_that_another_is_just_sending_in(office):
    await keep(office, make_posting("1"), make_posting("2"))
    form, inquiry = ["a question"] * 5_000, Inquiry(TENANT, ["ada-7"])
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts={"form": form})
    await claim(office, "run-2", "2")
    seen = await look(office, inquiry)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        run = await run_store.find_run(transaction, "run-2", is_locked=True)
        assert run is not None
        await run_store.write_report(transaction, replace(run, version=2, artifacts={"form": form}), {"form": form})
        erasing = asyncio.create_task(forget(office, inquiry, seen))
        # It ends here only where it does not wait for what is being written.
        await asyncio.wait([erasing], timeout=1)
    await erasing
    assert (await report(office, "run-2")).artifacts == {"form": form}


async def test_a_long_value_that_is_just_erased_is_kept_anew_for_another_run(office):
    await keep(office, make_posting("1"), make_posting("2"))
    form, inquiry = ["a question"] * 5_000, Inquiry(TENANT, ["ada-7"])
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts={"form": form})
    seen = await look(office, inquiry)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        found = await find_rows(transaction, inquiry, seen)
        claiming = asyncio.create_task(claim(office, "run-2", "2", artifacts={"form": form}))
        await asyncio.wait([claiming], timeout=1)
        await erase_rows(transaction, inquiry, found)
    await claiming
    assert (await report(office, "run-2")).artifacts == {"form": form}


async def test_a_long_value_that_another_had_long_before_a_persons_run_reports_it_meanwhile_stays(office, clock):
    await keep(office, make_posting("1"), make_posting("2"))
    form = ["a question"] * 5_000
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts={"letter": "I cook."})
    await claim(office, "run-2", "2", artifacts={"form": form})
    clock.advance(timedelta(minutes=10))
    inquiry = Slow(TENANT, "ada-7")
    erasing = asyncio.create_task(make_holding(tables=office.tables).erase(inquiry, ACT))
    await asyncio.to_thread(inquiry.begun.wait, 60)
    await report(office, "run-1", artifacts={"form": form})
    inquiry.may_go_on.set()
    # The run and its two reports.
    assert (await erasing).count == 3
    assert (await report(office, "run-2")).artifacts == {"form": form}


async def test_who_approves_a_run_and_who_erases_somebody_do_not_wait_for_each_other_for_ever(office):
    await keep(office, make_posting("1"), make_posting("2"))
    sent = {"answers": {"Visa?": "yes"}}
    await claim(office, "run-1", "1", variant_id="cv of ada-7", artifacts=sent)
    await claim(office, "run-2", "2", artifacts=sent)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await run_store.approve(transaction, "run-2", "ada-7")
    inquiry = Inquiry(TENANT, ["ada-7"])
    seen = await look(office, inquiry)
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await run_store.find_run(transaction, "run-2", is_locked=True)
        erasing = asyncio.create_task(forget(office, inquiry, seen))
        # As far as it comes.
        await asyncio.wait([erasing], timeout=1)
        await ledger_store.approve_answers(transaction, sent, "ann")
    await erasing
    assert (await report(office, "run-2")).approved_by == "[erased]"
