"""What was answered, where it comes from, and whether a person approved it."""

import pytest

from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.approving import approve_run
from dibs.apps.postings.claims.artifacts import LARGEST_INLINE
from dibs.apps.postings.ledger.actions import approve_answer, forget_answer, list_answers, put_answer
from dibs.apps.postings.model import Question
from dibs.apps.postings.records import BoardPolicy, By
from dibs.errors import AnswerNotFound, BadInput, PostingConflict
from dibs.storage.transaction import Transaction
from tests.apps.postings.agents import claim, report
from tests.apps.postings.conftest import TENANT, keep, make_posting

ADA = By(actor="ada", reason="it is so")
VISA = "Do you require a visa?"


@pytest.fixture(autouse=True)
async def postings(office):
    policy = BoardPolicy(approval=Approval.WHEN_GUESSED)
    await keep(office, *(make_posting(str(number), title=f"Cook {number}x") for number in range(4)), policy=policy)


async def submit(office, number, answers):
    await claim(office, f"run-{number}", str(number), artifacts={"answers": answers})
    return await report(office, f"run-{number}", status="submitting")


async def refuse(office, number, answers):
    with pytest.raises(PostingConflict, match="has to approve") as refused:
        await submit(office, number, answers)
    assert refused.value.rule == "approval"


async def test_what_agents_answer_is_noted_with_its_source(office):
    await claim(office, "run-0", "0", artifacts={"answers": {"yoe": 5}})
    await report(office, "run-0", artifacts={"answers": {VISA: "no"}})
    noted = await list_answers(office, TENANT)
    assert [(one.question, one.value, one.source, one.run_id, one.approved_by) for one in noted] == [
        (VISA, "no", "agent", "run-0", None),
        ("yoe", "5", "agent", "run-0", None),
    ]


async def test_a_persons_own_answer_may_be_given_with_that_very_value(office):
    await put_answer(office, TENANT, VISA, "no", ADA)
    assert (await submit(office, 0, {"do you require a VISA": "no"})).state == "submitting"
    await refuse(office, 1, {VISA: "yes"})


async def test_what_a_person_approved_once_may_be_given_again(office):
    await refuse(office, 0, {VISA: "no"})
    await approve_run(office, TENANT, "run-0", ADA)
    assert (await report(office, "run-0", status="submitting")).state == "submitting"
    assert (await submit(office, 1, {VISA: "no"})).state == "submitting"
    await refuse(office, 2, {VISA: "no", "Expected salary": "90000"})


async def test_who_changes_an_answer_after_the_approval_has_to_ask_again(office):
    await refuse(office, 0, {VISA: "no"})
    await approve_run(office, TENANT, "run-0", ADA)
    await report(office, "run-0", status="pending", artifacts={"notes": "ready"})
    changed = {"answers": {VISA: "yes"}}
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, "run-0", status="submitting", artifacts=changed)
    await report(office, "run-0", status="pending", artifacts=changed)
    with pytest.raises(PostingConflict, match="has to approve"):
        await report(office, "run-0", status="submitting")
    await approve_run(office, TENANT, "run-0", ADA)
    assert (await report(office, "run-0", status="submitting")).state == "submitting"


async def test_an_answer_is_approved_and_taken_out(office):
    await refuse(office, 0, {VISA: "no"})
    await approve_answer(office, TENANT, VISA, "no", ADA)
    assert [one.approved_by for one in await list_answers(office, TENANT, is_approved=True)] == ["ada"]
    assert (await submit(office, 1, {VISA: "no"})).state == "submitting"
    await forget_answer(office, TENANT, VISA, "no", ADA)
    await refuse(office, 2, {VISA: "no"})


async def test_what_is_not_there_can_be_neither_approved_nor_taken_out(office):
    for verb in (approve_answer, forget_answer):
        with pytest.raises(AnswerNotFound):
            await verb(office, TENANT, VISA, "no", ADA)
    with pytest.raises(BadInput, match="no words"):
        await put_answer(office, TENANT, "??", "no", ADA)


async def test_another_tenants_answers_count_for_nothing(office):
    await put_answer(office, "globex", VISA, "no", ADA)
    assert await list_answers(office, TENANT) == []
    await refuse(office, 0, {VISA: "no"})


async def test_answers_by_the_names_of_fields_are_noted_judged_and_approved_by_their_questions(office):
    form = (Question(label=VISA, name="question_31"),)
    named = [make_posting(name, title=f"Baker {name}", questions=form) for name in ("a", "b")]
    other = make_posting("c", title="Baker c", questions=(Question(label="Are you a citizen?", name="question_31"),))
    await keep(office, *named, other)
    await refuse(office, "a", {"question_31": "no"})
    assert [one.question for one in await list_answers(office, TENANT)] == [VISA]
    await approve_run(office, TENANT, "run-a", ADA)
    assert (await submit(office, "b", {"question_31": "no"})).state == "submitting"
    # The same field of another form is another question.
    await refuse(office, "c", {"question_31": "no"})


async def test_answers_and_files_are_kept_in_one_order(office, monkeypatch):
    await claim(office, "run-0", "0")
    whole, kept = Transaction.add_if_new, []

    async def note(transaction, table, **row):
        kept.append(row["key"] if "key" in row else row["digest"])
        return await whole(transaction, table, **row)

    monkeypatch.setattr(Transaction, "add_if_new", note)
    answers = {f"question {letter}": "x" for letter in "zmxay"}
    await report(office, "run-0", artifacts={"answers": answers})
    assert kept == sorted(kept)
    assert len(kept) == len(answers)
    kept.clear()
    await report(office, "run-0", artifacts={letter: letter * LARGEST_INLINE for letter in "zmxay"})
    # Once for the run and once for its version.
    assert kept == 2 * sorted(set(kept))
