"""What people do with the ledger of answers. One transaction each."""

from dibs.apps.postings import store as posting_store
from dibs.apps.postings.answers import Answer, question_key
from dibs.apps.postings.ledger import store
from dibs.apps.postings.office import Office
from dibs.apps.postings.records import By
from dibs.errors import AnswerNotFound, BadInput
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


async def list_answers(
    office: Office, tenant: str, question: str | None = None, *, is_approved: bool | None = None
) -> list[Answer]:
    """Read the ledger, or what one question was answered with."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_answers(transaction, question, is_approved=is_approved)


async def put_answer(office: Office, tenant: str, question: str, value: str, by: By) -> None:
    """Keep a person's own answer: agents may give it, to that question and with that very value."""
    if not question_key(question):
        message = f"question {question[:80]!r} has no words. Write it as the form does."
        raise BadInput(message)
    async with office.tables.writing(sight_of(tenant)) as transaction:
        await store.put(transaction, question, value, by.actor)
        await _note(transaction, "ANSWER_GIVEN", question, by)
    await office.forward_acts(tenant)


async def approve_answer(office: Office, tenant: str, question: str, value: str, by: By) -> None:
    """Let an agent's answer through, from now on."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        if not await store.approve(transaction, question_key(question), value, by.actor):
            raise AnswerNotFound(_missing(question, "waits for approval"))
        await _note(transaction, "ANSWER_APPROVED", question, by)
    await office.forward_acts(tenant)


async def forget_answer(office: Office, tenant: str, question: str, value: str, by: By) -> None:
    """Take an answer out: agents may not give it any more without asking."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        if not await store.forget(transaction, question, value):
            raise AnswerNotFound(_missing(question, "is in the ledger"))
        await _note(transaction, "ANSWER_FORGOTTEN", question, by)
    await office.forward_acts(tenant)


async def _note(transaction: Transaction, action: str, question: str, by: By) -> None:
    # The key of the question alone: what somebody answers about their person has no business in a log.
    subject = f"answer:{question_key(question)[:100]}"
    await posting_store.add_act(transaction, subject, action, actor=by.actor, reason=by.reason)


def _missing(question: str, what: str) -> str:
    return f"no answer to {question[:80]!r} with this value {what}. List the ledger to see those that do."
